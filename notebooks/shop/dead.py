"""The dead letters: orders that the database refuses by itself, kept with the reason."""

from __future__ import annotations

import redis
from sqlalchemy import Engine

from . import rows
from .keys import GROUP, Keys, position
from .lua import load
from .rows import Order

LONGEST_REASON = 200  # characters


def bury(
    client: redis.Redis, engine: Engine, keys: Keys, sku: str, order: Order, reason: str
) -> bool:
    """Move an entry to the dead letters, give its stock back and acknowledge it, in one step.

    The item's row is the turn: one at a time gives stock back, so two consumers with the same
    entry can't both. False when it is done already, or a row has been written after all.
    """
    with engine.begin() as connection:
        rows.take_turn(connection, sku)
        row = rows.read(connection, sku, order.user)
        if row and position(row.entry_id) >= position(order.entry_id):
            client.xack(keys.orders, GROUP, order.entry_id)
            return False
        if not client.xpending_range(keys.orders, GROUP, order.entry_id, order.entry_id, 1):
            return False
        with client.pipeline(transaction=True) as pipe:
            pipe.xadd(keys.dead, order._asdict() | {"reason": reason[:LONGEST_REASON]})
            if order.user:  # the whole script: a NOSCRIPT inside MULTI would not stop the rest
                script = load("seckill_cancel")
                pipe.execute_command("EVAL", script, 2, keys.stock, keys.users, order.user)
            pipe.xack(keys.orders, GROUP, order.entry_id)
            pipe.execute()
        return True
