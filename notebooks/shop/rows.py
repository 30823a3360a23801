"""What happens to a row: written, revived, cancelled, paid. Each function runs in one transaction.

A row is locked before it is judged, so whoever comes second judges what the first has left.
Order of locks: rows of orders first, the item's row last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, Row, bindparam, exc, insert, select, update

from .keys import position
from .tables import CANCELLED, LIVE, ORDERED, PAID, items, orders

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Built once: building a statement costs more than SQLite takes to run it. For one order this is
# `... AND remaining > 0`.
TAKE = (
    update(items)
    .where(items.c.sku == bindparam("of"), items.c.remaining > bindparam("count") - 1)
    .values(remaining=items.c.remaining - bindparam("count"))
)


class Order(NamedTuple):
    """One entry of the stream."""

    entry_id: str
    user: str
    sku: str

    @property
    def created_at(self) -> datetime:
        """When the press was let in: the stream id's own milliseconds, UTC."""
        return EPOCH + timedelta(milliseconds=position(self.entry_id)[0])

    def row(self, state: str = ORDERED) -> dict:
        return {
            "sku": self.sku,
            "user": self.user,
            "entry_id": self.entry_id,
            "state": state,
            "created_at": self.created_at,
        }


class Refused(Exception):
    """The database is well, and does not take this."""


# Codes of MySQL and MariaDB that PyMySQL files under OperationalError, though the row is at fault:
# a CHECK (3819 and 4025) and a trigger's SIGNAL (1644).
ROW_CODES = {1644, 3819, 4025}


def is_refusal(error: Exception) -> bool:
    """Whether the database refused the row itself; False for a lost connection, a lock, no space."""
    if isinstance(error, Refused):
        return True
    if isinstance(error, exc.IntegrityError | exc.DataError):
        return True
    if not isinstance(error, exc.DBAPIError):
        return False
    if (getattr(error.orig, "sqlstate", None) or "").startswith("P0"):  # a trigger's RAISE
        return True
    return bool(error.orig.args) and error.orig.args[0] in ROW_CODES


def insert_new(connection: Connection, batch: Sequence[Order]) -> None:
    """Insert a batch of users of one sku that have no row yet. Raises IntegrityError if one has."""
    connection.execute(insert(orders), [order.row() for order in batch])
    take(connection, batch[0].sku, len(batch))


def take(connection: Connection, sku: str, count: int) -> None:
    """Lower what is left to sell: the last line of defence. Raises Refused rather than go below 0."""
    if connection.execute(TAKE, {"of": sku, "count": count}).rowcount == 0:
        raise Refused(f"the database has no {count} of {sku} left to sell")


def give(connection: Connection, sku: str, count: int = 1) -> None:
    """Raise what is left to sell."""
    more = update(items).where(items.c.sku == sku).values(remaining=items.c.remaining + count)
    connection.execute(more)


def of_users(sku: str, users: Iterable[str]):
    """SELECT of these users' rows, locked until the transaction ends."""
    wanted = (orders.c.sku == sku) & orders.c.user.in_(sorted(set(users)))
    return select(orders).where(wanted).order_by(orders.c.user).with_for_update()


def read(connection: Connection, sku: str, user: str) -> Row | None:
    """A user's row, not locked. None too for a name that the database can't even look for."""
    wanted = select(orders).where(orders.c.sku == sku, orders.c.user == user)
    try:
        return connection.execute(wanted).one_or_none()
    except exc.DataError:
        return None


def write(connection: Connection, batch: Sequence[Order]) -> None:
    """Bring the rows of one sku up to what a batch says, however often it has been delivered.

    An entry not newer than its row is a redelivery, or was cancelled under way: nothing changes.
    A newer one revives a cancelled row. A user whose row is live keeps the one item.
    """
    sku, found = batch[0].sku, {}
    for row in connection.execute(of_users(sku, (order.user for order in batch))):
        found[row.user] = (row.entry_id, row.state)
    new: dict[str, Order] = {}
    taken = 0
    for order in sorted(batch, key=lambda order: position(order.entry_id)):
        entry_id, state = found.get(order.user, ("0-0", None))
        if position(order.entry_id) <= position(entry_id):
            continue
        taken += state not in LIVE
        if state is None or order.user in new:
            new[order.user] = order
        else:
            row = order.row(state if state in LIVE else ORDERED)
            change(connection, sku, order.user, row)
        found[order.user] = (order.entry_id, state if state in LIVE else ORDERED)
    if new:
        connection.execute(insert(orders), [order.row() for order in new.values()])
    if taken:
        take(connection, sku, taken)


def change(connection: Connection, sku: str, user: str, values: dict) -> None:
    """Set columns of a user's row."""
    mine = (orders.c.sku == sku) & (orders.c.user == user)
    connection.execute(update(orders).where(mine).values(**values))


def cancel(
    connection: Connection, sku: str, user: str, newest: Callable[[str], Order | None]
) -> Order | None:
    """Write that a user's order is cancelled, inserting the row when it is not drained yet.

    `newest(after)` finds the user's newest entry in the stream behind the id `after`. Returns the
    order that is cancelled now; None when there is none, or when it is paid. Raises IntegrityError
    when a consumer inserts the row in this moment: then call again.
    """
    row = connection.execute(of_users(sku, [user])).one_or_none()
    order = newest(row.entry_id if row else "0-0")
    if row and row.state == PAID or not (row or order):
        return None
    if row is None:
        connection.execute(insert(orders), [order.row(CANCELLED)])
        return order
    order = order or Order(row.entry_id, user, sku)
    change(connection, sku, user, order.row(CANCELLED))
    if row.state == ORDERED:
        give(connection, sku)
    return order


def pay(connection: Connection, sku: str, user: str) -> bool:
    """Mark an order as paid. False when there is none to pay for: not drained, or cancelled."""
    mine = (orders.c.sku == sku) & (orders.c.user == user)
    paid = update(orders).where(mine, orders.c.state.in_(LIVE)).values(state=PAID)
    return connection.execute(paid).rowcount == 1


def take_turn(connection: Connection, sku: str) -> None:
    """Wait until nobody else gives back stock of this sku; the turn lasts as long as the transaction."""
    connection.execute(select(items.c.sku).where(items.c.sku == sku).with_for_update())
