"""A sale: open it, buy, cancel, ask how an order stands.

    cd notebooks && python -m shop.sale --redis redis://localhost --sku 2001 --stock 100

opens one and remembers its stock. Opening again with the same stock changes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

import redis
from sqlalchemy import Engine, exc

from . import rows, tables
from .connect import LOST, check, connect, sentence, without_retries
from .keys import LONGEST, Keys, position
from .lua import register
from .rows import Order

BOUGHT, SOLD_OUT, ALREADY, NOT_ON_SALE = 1, 0, -1, -2
PAGE = 500  # stream entries asked for at a time
Board = Callable[[str, str, str, datetime], object]  # (entry_id, user, sku, created_at)


class SaleError(Exception):
    """What was asked does not fit the sale; the message says what to do."""


class Bought(NamedTuple):
    """What a press was told: 1 bought, 0 sold out, -1 already bought, -2 not on sale."""

    code: int
    entry_id: str  # "" unless bought, or when the reply was lost and the purchase found


def whole(key: str, text: str) -> int:
    """The number that a key holds. Raises SaleError when somebody put something else there."""
    try:
        return int(text)
    except ValueError:
        raise SaleError(
            f"{key} holds {text[:20]!r}, and a sale keeps a whole number there: "
            "set it right, or delete it and open the sale again."
        ) from None


class Sale:
    """One sku. Cancelling, paying and asking need the engine of the database too.

    It talks through a client of its own with retries off, made after the given one.
    """

    def __init__(self, client: redis.Redis, sku: str, engine: Engine | None = None) -> None:
        self.sku, self.keys, self.engine = sku, Keys.of(sku), engine
        self.redis = without_retries(client)
        self._enqueue = register(self.redis, "seckill_enqueue")
        self._cancel = register(self.redis, "seckill_cancel")

    def open(self, stock: int) -> bool:
        """Put `stock` items on sale and remember how many. False when this sale was open already.

        Both keys are set together or not at all, and never again: the buyers, and what they have
        left, stay. Raises SaleError when the sale was opened with another stock.
        """
        if not 0 <= stock < 2**53:
            raise SaleError(f"stock is {stock}: choose a whole number from 0 to 2^53 - 1.")
        opened = self.redis.msetnx({self.keys.initial: stock, self.keys.stock: stock})
        before = self.initial()
        if before != stock:
            had = f"was opened with {before}" if before is not None else "has stock of other making"
            raise SaleError(f"Sale {self.sku} {had}, not {stock}: its buyers would not add up.")
        return bool(opened)

    def initial(self) -> int | None:
        """The stock that the sale was opened with; None for an unknown sale."""
        text = self.redis.get(self.keys.initial)
        return None if text is None else whole(self.keys.initial, text)

    def buy(self, user: str) -> Bought:
        """One press. When the reply is lost, the buyers are asked: who is among them has bought.

        Raises redis.ConnectionError or TimeoutError when that is open still. Pressing again is
        safe: whoever has one then hears "already bought".
        """
        self._fits(user)
        try:
            return Bought(*self._enqueue(keys=self.keys[:3], args=[user, self.sku]))
        except LOST:
            if self.redis.sismember(self.keys.users, user):
                return Bought(BOUGHT, "")
            raise

    def cancel(self, user: str, on_cancel: Board | None = None) -> bool:
        """Give a user's item back, once. True when this call did; False when there is nothing to.

        First the row says cancelled, whether the order was drained or not; then `on_cancel` hears
        of it; then the stock goes back. After a crash in between, call again: the steps repeat
        harmlessly, and `on_cancel` may hear of the same entry again. A paid order stays.
        """
        self._needs_engine()
        self._open_item()
        order = None
        while order is None:
            if not self.redis.sismember(self.keys.users, user) and not self._is_live(user):
                return False
            try:
                with self.engine.begin() as connection:
                    order = rows.cancel(
                        connection, self.sku, user, lambda after: self.newest(user, after)
                    )
            except exc.IntegrityError:  # a consumer has inserted the row in this moment
                continue
            if order is None and not self._moved(user):
                return False
        if on_cancel:
            on_cancel(order.entry_id, user, self.sku, order.created_at)
        return self._give_back(user)

    def pay(self, user: str) -> bool:
        """Mark a user's order as paid. False when it is not there yet, or cancelled: too late."""
        self._needs_engine()
        with self.engine.begin() as connection:
            return rows.pay(connection, self.sku, user)

    def status(self, user: str) -> str:
        """How a user's order stands: queued, ordered, paid, cancelled, failed, or none."""
        row = self._row(user)
        if row and row.state in tables.LIVE:
            return row.state
        after = row.entry_id if row else "0-0"
        if self.redis.sismember(self.keys.users, user):
            if self.newest(user, after):
                return "queued"
            row = self._row(user)  # drained between the two looks?
            return row.state if row else "queued"
        dead = self._newest_in(self.keys.dead, user, "0-0")
        if dead and position(dead[1]["entry_id"]) > position(after):
            return "failed"
        return "cancelled" if row else "none"

    def newest(self, user: str, after: str = "0-0") -> Order | None:
        """The user's newest entry in the stream behind the id `after`."""
        found = self._newest_in(self.keys.orders, user, after)
        return found and Order(found[0], user, self.sku)

    def _newest_in(self, key: str, user: str, after: str) -> tuple[str, dict] | None:
        return next((e for e in self._backwards(key, after) if e[1].get("user") == user), None)

    def _backwards(self, key: str, after: str) -> Iterator[tuple[str, dict]]:
        """A stream's entries from the newest back to the id `after`, exclusive."""
        last = "+"
        while page := self.redis.xrevrange(key, last, f"({after}", count=PAGE):
            yield from page
            last = f"({page[-1][0]}"

    def _give_back(self, user: str) -> bool:
        """Give the item back, unless the user has bought anew since: then that one is not ours."""
        with self.engine.begin() as connection:
            rows.take_turn(connection, self.sku)
            row = rows.read(connection, self.sku, user)
            if row.state != tables.CANCELLED or self.newest(user, row.entry_id):
                return False
            try:
                return self._cancel(keys=self.keys[:2], args=[user]) == 1
            except LOST:
                if not self.redis.sismember(self.keys.users, user):
                    return True
                raise

    def _row(self, user: str):
        if self.engine is None:
            return None
        with self.engine.begin() as connection:
            return rows.read(connection, self.sku, user)

    def _is_live(self, user: str) -> bool:
        row = self._row(user)
        return row is not None and row.state in tables.LIVE

    def _moved(self, user: str) -> bool:
        """Whether there is something to cancel after all: drained after the one look, before the other."""
        row = self._row(user)
        return row is not None and row.state != tables.PAID

    def _open_item(self) -> None:
        initial = self.initial()
        if initial is not None:
            tables.open_item(self.engine, self.sku, initial)

    def _needs_engine(self) -> None:
        if self.engine is None:
            raise SaleError("Cancelling and paying write rows: give Sale the database's engine.")

    @staticmethod
    def _fits(user: str) -> None:
        if not 0 < len(user) <= LONGEST or "\0" in user:
            raise SaleError(
                f"user {user[:LONGEST]!r}: a name has 1 to {LONGEST} characters, no NUL."
            )


def main(words: list[str] | None = None) -> None:
    """The command line: open a sale."""
    parser = argparse.ArgumentParser(prog="python -m shop.sale", description="Open a sale.")
    parser.add_argument("--redis", required=True, metavar="URL", help="redis://host:port/0")
    parser.add_argument("--sku", required=True, help="what is sold, 1 to 64 characters")
    parser.add_argument("--stock", required=True, type=int, metavar="N", help="how many there are")
    given = parser.parse_args(words)
    try:
        sale = Sale(connect(given.redis), given.sku)
        check(sale.redis)
        opened = sale.open(given.stock)
    except (SaleError, ValueError, redis.RedisError) as error:
        raise SystemExit(sentence(error)) from None
    print(f"Sale {given.sku} {'is open' if opened else 'was open already'}: {given.stock:,} items.")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows a ? instead
    main()
