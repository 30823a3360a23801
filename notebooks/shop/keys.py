"""The keys of one sale. They share the tag {sku}, so on a cluster they live on one node."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 64  # characters in a sku or a user; the SQL columns are as wide
# What a tag can hold. Half a character (from a command line that is not UTF-8) has no bytes.
TAG = re.compile(rf"[^{{}}\ud800-\udfff]{{1,{LONGEST}}}")
GROUP = "orders"  # the consumer group on the stream of orders


class Keys(NamedTuple):
    """Every key that a sale has in Redis."""

    stock: str  # string: items left
    users: str  # set: who has bought
    orders: str  # stream: one entry a purchase
    initial: str  # string: the stock that the sale was opened with
    dead: str  # stream: orders that the database refuses

    @classmethod
    def of(cls, sku: str) -> Keys:
        """The keys of `sku`. Raises ValueError when it cannot be a tag: empty, braces, too long."""
        if not TAG.fullmatch(sku):
            raise ValueError(
                f"sku is {sku!r}: it needs 1 to {LONGEST} characters in UTF-8, and no curly braces."
            )
        return cls(*(f"seckill:{name}:{{{sku}}}" for name in cls._fields))


def position(entry_id: str) -> tuple[int, int]:
    """A stream id as (milliseconds, sequence): ids compare as numbers, never as text."""
    ms, _, seq = entry_id.partition("-")
    return int(ms), int(seq or 0)
