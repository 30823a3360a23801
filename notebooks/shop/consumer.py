"""The consumer: from the stream of orders into the database, and no order lost or doubled.

It reads a batch, writes it in one transaction, and acknowledges only after the commit. Dying in
between means that the batch comes again; rows.write makes that harmless.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import redis
from sqlalchemy import Connection, Engine, exc

from . import rows, tables
from .connect import not_now, without_retries
from .dead import bury
from .inbox import Inbox
from .keys import Keys
from .rows import Order
from .sale import Board, SaleError, whole

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0  # between two tries while a server is away
TRIM_EVERY = 20  # batches; a trim takes two round trips
AWAY = (
    *(redis.ConnectionError, redis.TimeoutError, redis.exceptions.ReadOnlyError),
    *(redis.exceptions.OutOfMemoryError, redis.exceptions.TryAgainError),
    redis.exceptions.NoScriptError,  # Redis restarted between the loading of a script and its call
    *(exc.OperationalError, exc.InterfaceError, exc.InternalError),
)
# The group or its stream was deleted, or the stream moved to another master of a cluster.
GONE = ("NOGROUP", "UNBLOCKED")
# What SQLite calls operational and no waiting mends: tables of another shape, a read-only file.
FOR_GOOD = ("no such ", "table orders has no ", "attempt to write a readonly")


def _nothing(*_: object) -> None:
    """A hook that nobody uses."""


class Consumer:
    """One member of the group "orders".

    name: this member's; give each process its own, and the same one again after a restart.
    batch: entries a transaction. claim_idle_ms: how long others' deliveries may lie before they
    are taken over; longer than a batch takes. refusals: how often the database may refuse a row by
    itself before it goes to the dead letters. board(entry_id, user, sku, created_at) hears of
    every delivery, after its commit and before its acknowledgement, so of some entries again.
    crash(point) is for tests: before_insert, before_commit, after_commit, before_ack.
    """

    def __init__(
        self,
        client: redis.Redis,
        engine: Engine,
        sku: str,
        *,
        name: str = "consumer-1",
        batch: int = 100,
        claim_idle_ms: int = 5_000,
        refusals: int = 3,
        block_ms: int = 500,
        board: Board | None = None,
        crash: Callable[[str], object] | None = None,
    ) -> None:
        if not 1 <= batch <= 10_000 or claim_idle_ms < 1 or refusals < 1 or not name:
            raise ValueError(
                "batch goes from 1 to 10,000, claim_idle_ms and refusals from 1, and a consumer "
                f"needs a name: got {batch}, {claim_idle_ms}, {refusals} and {name!r}."
            )
        self.engine, self.sku, self.keys = engine, sku, Keys.of(sku)
        self.redis = without_retries(client)
        self.inbox = Inbox(self.redis, self.keys, sku, name, batch, claim_idle_ms, block_ms)
        self.refusals = refusals
        self.board, self.crash = board, crash or _nothing
        self.drained = 0  # deliveries acknowledged
        self.dead: list[Order] = []  # orders that went to the dead letters
        self._batches = 0
        self._ready = False

    @property
    def deleted(self) -> list[str]:
        """Ids that were delivered, but whose entries somebody had deleted: nothing to write."""
        return self.inbox.deleted

    def prepare(self) -> None:
        """Make the group and the item's row, unless they are there. Raises SaleError if no sale is."""
        stock = self.redis.get(self.keys.initial)
        if stock is not None:
            tables.open_item(self.engine, self.sku, whole(self.keys.initial, stock))
        elif not tables.has_item(self.engine, self.sku):
            raise SaleError(f"Sale {self.sku} is not open. Open it first: python -m shop.sale")
        self.inbox.make_group()
        self._ready = True

    def step(self, wait: bool = False, read_on: bool = False) -> int:
        """Take one batch to its end. Returns how many entries came; 0 when there are none now.

        With `read_on` the next batch is read while the database writes this one. Any exception
        leaves both pending; the next step begins with what is pending.
        """
        try:
            if not self._ready:
                self.prepare()
            batch = self.inbox.next(wait, read_on)
            if batch.orders or batch.broken:
                self._take(batch.orders, batch.is_new)
                for order, reason in batch.broken:
                    self._bury(order, reason)
            self._batches += 1
            if self._batches % TRIM_EVERY == 0:
                self.inbox.trim()
            return batch.count
        except BaseException:
            self.inbox.start_over()
            raise

    def run(
        self,
        stop: threading.Event | None = None,
        *,
        once: bool = False,
        on_trouble: Callable[[Exception, float], object] = _nothing,
        on_step: Callable[[int], object] = _nothing,
    ) -> int:
        """Work until `stop` is set; with `once`, until nothing is left. Returns deliveries done.

        While Redis or the database is away: nothing is acknowledged, and the pauses between tries
        grow up to LONGEST_PAUSE_S seconds. `on_trouble(error, pause_s)` hears of each. Raises what
        waiting does not mend, with nothing acknowledged.
        """
        stop, before, pause = stop or threading.Event(), self.drained, FIRST_PAUSE_S
        while not (stop.is_set() and self.inbox.is_empty):
            try:
                on = not stop.is_set()
                count = self.step(wait=on and not once, read_on=on)
                pause = FIRST_PAUSE_S
                on_step(count)
                if once and count == 0:
                    self.inbox.trim()
                    break
            except redis.ResponseError as error:
                gone = any(why in str(error) for why in GONE)
                if not (isinstance(error, AWAY) or gone or not_now(error)):
                    raise
                self._ready = False  # the group is made again if it is gone, and reads from 0
                on_trouble(error, pause)
                stop.wait(pause)
                pause = pause if gone else min(2 * pause, LONGEST_PAUSE_S)
            except AWAY as error:
                if str(getattr(error, "orig", "")).startswith(FOR_GOOD):
                    raise
                on_trouble(error, pause)
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
        return self.drained - before

    def drain(self) -> int:
        """Work until nothing is left. Returns deliveries done."""
        return self.run(once=True)

    def _take(self, orders: Sequence[Order], is_new: bool) -> None:
        """Write, tell the board, acknowledge; what the database refuses by itself is buried."""
        saved, refused = self._save(orders, is_new) if orders else ([], [])
        if saved:
            if self.board:
                for order in saved:
                    self.board(order.entry_id, order.user, order.sku, order.created_at)
            self.crash("before_ack")
            self.inbox.acknowledge(order.entry_id for order in saved)
            self.drained += len(saved)
        for order, reason in refused:
            self._bury(order, reason)

    def _save(
        self, orders: Sequence[Order], is_new: bool
    ) -> tuple[Sequence[Order], list[tuple[Order, str]]]:
        """Commit the orders: as a batch, and if that is refused row by row. Returns (saved, refused).

        New entries are mostly first ones of their users: they are inserted without a look. The
        look comes with everything else, and after an insert that found a row in its way.
        """
        for write in (rows.insert_new, rows.write) if is_new else (rows.write,):
            if self._commit(write, orders) is None:
                return orders, []
        saved, refused = [], []
        for order in orders:
            for _ in range(self.refusals):
                reason = self._commit(rows.write, [order])
                if reason is None:
                    saved.append(order)
                    break
            else:
                refused.append((order, reason))
        return saved, refused

    def _commit(
        self, write: Callable[[Connection, Sequence[Order]], None], orders: Sequence[Order]
    ) -> str | None:
        """One transaction. Returns None, or why the database refused; raises when it is away."""
        self.crash("before_insert")
        try:
            with self.engine.begin() as connection:
                write(connection, orders)
                self.crash("before_commit")
        except (rows.Refused, exc.DBAPIError) as error:
            if not rows.is_refusal(error):
                raise
            return str(getattr(error, "orig", error)).strip().split("\n")[0]
        self.crash("after_commit")
        return None

    def _bury(self, order: Order, reason: str) -> None:
        if bury(self.redis, self.engine, self.keys, self.sku, order, reason):
            self.dead.append(order)
