"""The books: does everything add up, and who is out of place?

    cd notebooks && python -m shop.books --redis redis://localhost --database sqlite:///shop.db --sku 2001

(1) Stock and buyers make the initial stock. (2) Each buyer has a live row, or no live row and an
entry that is not acknowledged yet. (3) Each live row's user is among the buyers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import redis
from sqlalchemy import Engine, exc, select

from .connect import check as answers
from .connect import connect, home, without_retries
from .keys import GROUP, Keys, position
from .orders import database, first_line, parser
from .sale import SaleError, whole
from .tables import CANCELLED, LIVE, items, orders

ROUNDS = 5  # looks at a sale that moves; a gap has to be there in each of them
SQUARES, ROW = 100, 25  # in the bar, and in a line of it: a phone is that wide
MARKS = {"ordered": "█", "in flight": "▓", "returned": "░", "stock": "▁", "missing": "✗"}
SHOWN = 20  # names listed of each kind


class Gap(NamedTuple):
    """One thing out of place, by name. `user` is "" when it is the sum."""

    user: str
    what: str


class Shelf(NamedTuple):
    """Redis at one instant."""

    initial: int
    stock: int
    users: frozenset[str]
    open_entries: dict[str, str]  # user -> id of the newest entry not acknowledged
    dead: dict[str, str]  # user -> id of the newest dead-lettered entry


class Ledger(NamedTuple):
    """The database at one instant: user -> (state, entry_id); and what it has left to sell."""

    rows: dict[str, tuple[str, str]]
    remaining: int | None


@dataclass(frozen=True)
class Books:
    """What was found. stock + in_flight + ordered = initial when all is well.

    returned counts users whose item went back and who have bought none since: cancelled and
    dead-lettered. Their items are in stock again, or sold to others, so they are no part of the sum.
    """

    sku: str
    initial: int
    stock: int
    in_flight: int
    ordered: int
    cancelled: tuple[str, ...]
    dead: tuple[str, ...]
    gaps: tuple[Gap, ...]

    @property
    def balanced(self) -> bool:
        return not self.gaps

    @property
    def returned(self) -> int:
        return len(self.cancelled) + len(self.dead)

    def bar(self) -> str:
        """The initial stock as at most a hundred squares, each one item or an equal share."""
        back = min(self.returned, max(self.stock, 0))
        missing = self.initial - self.stock - self.in_flight - self.ordered
        parts = {
            "ordered": self.ordered,
            "in flight": self.in_flight,
            "missing": max(missing, 0),
            "returned": back,
            "stock": self.stock - back,
        }
        squares, edge, done = "", 0, 0
        for name, count in parts.items():
            done += count
            here = round(done * SQUARES / self.initial) if self.initial > SQUARES else done
            squares += MARKS[name] * (here - edge)
            edge = max(edge, here)
        return squares

    def __str__(self) -> str:
        counts = [
            f"{MARKS['ordered']} ordered {self.ordered:,}",
            f"{MARKS['in flight']} in flight {self.in_flight:,}",
            f"{MARKS['returned']} returned {self.returned:,}",
            f"{MARKS['stock']} stock {self.stock:,}",
        ]
        bar = self.bar()
        lines = [bar[at : at + ROW] for at in range(0, len(bar), ROW)]
        lines += [" · ".join(counts) + f", of {self.initial:,}"]
        for title, users in (("cancelled", self.cancelled), ("dead-lettered", self.dead)):
            if users:
                lines.append(f"{title}: {_listed(users)}")
        lines += [f"✗ {gap.user or self.sku}: {gap.what}" for gap in self.gaps[:SHOWN]]
        if len(self.gaps) > SHOWN:
            lines.append(f"✗ and {len(self.gaps) - SHOWN:,} more")
        lines.append("The books balance." if self.balanced else "The books do not balance.")
        return "\n".join(lines)

    __repr__ = __str__


def _listed(users: tuple[str, ...]) -> str:
    more = f" and {len(users) - SHOWN:,} more" if len(users) > SHOWN else ""
    return ", ".join(users[:SHOWN]) + more


def read_redis(client: redis.Redis, sku: str) -> Shelf:
    """One atomic read of everything that the sale has in Redis. Raises SaleError if it is unknown."""
    keys = Keys.of(sku)
    with home(client, keys.orders).pipeline(transaction=True) as pipe:
        pipe.get(keys.initial)
        pipe.get(keys.stock)
        pipe.smembers(keys.users)
        pipe.xrange(keys.orders)
        pipe.xrange(keys.dead)
        pipe.xinfo_groups(keys.orders)
        pipe.xpending_range(keys.orders, GROUP, "-", "+", 2**31)
        initial, stock, users, entries, dead, groups, pending = pipe.execute(raise_on_error=False)
    for reply in (initial, stock, users, entries, dead):
        if isinstance(reply, redis.RedisError):
            raise reply
    if initial is None:
        raise SaleError(f"There is no sale {sku}. Open it first: python -m shop.sale")
    groups = [] if isinstance(groups, redis.ResponseError) else groups  # no stream yet
    read_to = next((g["last-delivered-id"] for g in groups if g["name"] == GROUP), "0-0")
    waiting = set() if isinstance(pending, redis.ResponseError) else _ids(pending)
    not_done = (e for e in entries if e[0] in waiting or position(e[0]) > position(read_to))
    return Shelf(
        whole(keys.initial, initial),
        whole(keys.stock, stock or "0"),
        frozenset(users),
        {fields["user"]: entry_id for entry_id, fields in not_done if "user" in fields},
        {fields["user"] or fields["entry_id"]: fields["entry_id"] for _, fields in dead},
    )


def _ids(pending: Iterable[dict]) -> set[str]:
    return {entry["message_id"] for entry in pending}


def read_sql(engine: Engine, sku: str) -> Ledger:
    """All rows of the sale, in one transaction."""
    wanted = select(orders.c.user, orders.c.state, orders.c.entry_id).where(orders.c.sku == sku)
    with engine.begin() as connection:
        rows = {user: (state, entry_id) for user, state, entry_id in connection.execute(wanted)}
        remaining = connection.scalar(select(items.c.remaining).where(items.c.sku == sku))
    return Ledger(rows, remaining)


def compare(sku: str, shelf: Shelf, ledger: Ledger) -> Books:
    """Set against set, user by user; counts alone would hide two errors that cancel out."""
    live = {user for user, (state, _) in ledger.rows.items() if state in LIVE}
    gaps = []
    if shelf.stock + len(shelf.users) != shelf.initial:
        what = f"stock {shelf.stock:,} + buyers {len(shelf.users):,} is not {shelf.initial:,}"
        gaps.append(Gap("", what))
    if ledger.remaining is not None and ledger.remaining + len(live) != shelf.initial:
        what = f"remaining {ledger.remaining:,} + live rows {len(live):,} is not {shelf.initial:,}"
        gaps.append(Gap("", what))
    in_flight = 0
    for user in sorted(shelf.users - live):
        state, row_id = ledger.rows.get(user, (None, "0-0"))
        entry_id = shelf.open_entries.get(user, "0-0")
        if position(entry_id) > position(row_id):
            in_flight += 1
        elif state == CANCELLED:
            gaps.append(Gap(user, "cancelled, and the item has not gone back: cancel once more"))
        else:
            gaps.append(Gap(user, "bought, but has no row and no entry on its way"))
    gaps += [Gap(user, "has a live row, but is no buyer") for user in sorted(live - shelf.users)]
    gone = ledger.rows.keys() - live - shelf.users
    dead = {
        user
        for user, entry_id in shelf.dead.items()
        if user not in shelf.users | live
        and position(entry_id) > position(ledger.rows.get(user, ("", "0-0"))[1])
    }
    return Books(
        *(sku, shelf.initial, shelf.stock, in_flight, len(live)),
        cancelled=tuple(sorted(gone - dead)),
        dead=tuple(sorted(dead)),
        gaps=tuple(gaps),
    )


def check(client: redis.Redis, engine: Engine, sku: str) -> Books:
    """Look at both sides, Redis first; and again while there are gaps and something moves.

    A gap counts when every look has shown it. Raises SaleError for an unknown sale.
    """
    client = without_retries(client)
    seen = read_redis(client, sku), read_sql(engine, sku)
    books = compare(sku, *seen)
    for _ in range(ROUNDS - 1):
        if books.balanced:
            break
        before, seen = seen, (read_redis(client, sku), read_sql(engine, sku))
        if seen == before:
            break
        now = compare(sku, *seen)
        both = tuple(gap for gap in now.gaps if gap in books.gaps)
        books = Books(**{**now.__dict__, "gaps": both})
    return books


def main(words: list[str] | None = None) -> int:
    """The command line. Exit 0: balanced; 1: not; 2: no such sale, or nobody answers."""
    asked = parser("python -m shop.books", "Check that every order of a sale is in its place.")
    given = asked.parse_args(words)
    try:
        client = connect(given.redis)
        answers(client)
        books = check(client, database(given.database), given.sku)
    except (SaleError, ValueError, redis.RedisError, exc.SQLAlchemyError) as error:
        print(first_line(error))
        return 2
    except SystemExit as problem:
        print(problem)
        return 2
    print(books)
    return 0 if books.balanced else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows a ? instead
    raise SystemExit(main())
