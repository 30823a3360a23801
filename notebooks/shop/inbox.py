"""What a consumer is to do next: its own pending, then what others left, then what is new."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import redis

from .ahead import Ahead
from .keys import GROUP, Keys
from .rows import Order


class Batch(NamedTuple):
    """Entries to be written, and those that can't be: without a user, or of another sku."""

    orders: list[Order]
    broken: list[tuple[Order, str]]  # (what there is of it, why)
    count: int  # entries that came, deleted ones included
    is_new: bool  # delivered for the first time


class Inbox:
    """One consumer's view of the stream."""

    def __init__(
        self,
        client: redis.Redis,
        keys: Keys,
        sku: str,
        name: str,
        batch: int,
        claim_idle_ms: int,
        block_ms: int,
    ) -> None:
        self.redis, self.keys, self.sku, self.name = client, keys, sku, name
        self.batch, self.claim_idle_ms, self.block_ms = batch, claim_idle_ms, block_ms
        self.deleted: list[str] = []
        self._ahead = Ahead.of(client)  # the next new entries, and acknowledgements, are asked here
        self.start_over()

    def start_over(self) -> None:
        """Begin with the own pending again: after a start, and after any trouble."""
        self._own: str | None = "0-0"  # own pending entries are read from behind this id
        self._claim_from = "0-0"
        self._claim_at = 0.0  # when to look for what others left, time.monotonic() seconds
        if self._ahead is not None:
            self._ahead.give_up()  # what it was sent is pending, and comes again from there

    def make_group(self) -> None:
        """Make the group at 0, so that it sees what was queued before it; once or many times."""
        try:
            self.redis.xgroup_create(self.keys.orders, GROUP, id="0", mkstream=True)
        except redis.ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    def next(self, wait: bool = False, read_on: bool = False) -> Batch:
        """The next batch; an empty one when there is none, after `block_ms` if `wait`.

        With `read_on` Redis is asked for the one after it at once, unless something older is due
        first, and heard at the next call.
        """
        if self._ahead and (entries := raw_entries(self._ahead.hear()[0])):
            return self._new(entries, read_on)
        while self._own is not None:
            entries = self._read(self._own)
            self._own = entries[-1][0] if entries else None
            if entries:
                return self._sorted(entries, is_new=False)
        while time.monotonic() >= self._claim_at:
            entries = self._claim()
            if self._own is not None:  # Redis 6.2 claimed deleted entries and does not name them
                return self._sorted(entries, is_new=False)._replace(count=len(entries) + 1)
            if entries:
                return self._sorted(entries, is_new=False)
        return self._new(self._read(">", wait), read_on)

    def _new(self, entries: list[tuple[str, dict]], read_on: bool) -> Batch:
        """A batch of new entries; if there may be more, they are asked for."""
        more = len(entries) == self.batch and time.monotonic() < self._claim_at
        if read_on and more and self._ahead is not None:
            group = ("GROUP", GROUP, self.name, "COUNT", self.batch)
            self._ahead.ask("XREADGROUP", *group, "STREAMS", self.keys.orders, ">")
        return self._sorted(entries, is_new=True)

    def _read(self, from_id: str, wait: bool = False) -> list[tuple[str, dict]]:
        block = self.block_ms if wait else None
        reply = self.redis.xreadgroup(
            GROUP, self.name, {self.keys.orders: from_id}, count=self.batch, block=block
        )
        return entries_of(reply)

    def _claim(self) -> list[tuple[str, dict]]:
        """One page of what others have left lying; the cursor is carried to the next call."""
        cursor, entries, *deleted = self.redis.xautoclaim(
            *(self.keys.orders, GROUP, self.name, self.claim_idle_ms),
            start_id=self._claim_from,
            count=self.batch,
        )
        self._claim_from = cursor
        if cursor == "0-0":  # a whole round is done
            self._claim_at = time.monotonic() + self.claim_idle_ms / 1000
        self.deleted += deleted[0] if deleted else []  # Redis 7: named, and not pending any more
        found = [(entry_id, fields) for entry_id, fields in entries if entry_id is not None]
        if len(found) < len(entries):
            self._own = "0-0"  # ours now: reading the own pending shows their ids
        return found

    def _sorted(self, entries: Sequence[tuple[str, dict]], is_new: bool) -> Batch:
        """Tell whole orders from broken ones; acknowledge and note what was deleted."""
        orders, broken, gone = [], [], []
        for entry_id, fields in entries:
            if not fields:
                gone.append(entry_id)
                continue
            order = Order(entry_id, fields.get("user", ""), fields.get("sku", ""))
            if order.user and order.sku == self.sku:
                orders.append(order)
            else:
                broken.append((order, f"not an order of {self.sku}: {fields}"))
        if gone:
            self.acknowledge(gone)
            self.deleted += gone
        return Batch(orders, broken, len(entries), is_new)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been read that is not handed out yet."""
        return not self._ahead

    def acknowledge(self, entry_ids: Iterable[str]) -> None:
        """Tell the group that these are done. Done twice is done once.

        Where the next batch is under way already, the answer is heard with it.
        """
        if self._ahead:
            self._ahead.ask("XACK", self.keys.orders, GROUP, *entry_ids)
        else:
            self.redis.xack(self.keys.orders, GROUP, *entry_ids)

    def trim(self) -> None:
        """Let go of entries that are done: all before the oldest pending one, or the last delivered.

        Safe in three steps, in this order: whatever comes in between has larger ids. With a second
        group on the stream nothing is trimmed: it may not have read as far.
        """
        groups = self.redis.xinfo_groups(self.keys.orders)
        pending = self.redis.xpending(self.keys.orders, GROUP)
        if len(groups) == 1:
            oldest = pending["min"] if pending["pending"] else groups[0]["last-delivered-id"]
            self.redis.xtrim(self.keys.orders, minid=oldest, approximate=True)

    def lag(self) -> int:
        """Entries not yet delivered. Counted where the server can't tell (6.2, or after an XDEL)."""
        group = next(g for g in self.redis.xinfo_groups(self.keys.orders) if g["name"] == GROUP)
        if group.get("lag") is not None:
            return group["lag"]
        count, after = 0, group["last-delivered-id"]
        while page := self.redis.xrange(self.keys.orders, f"({after}", "+", count=1_000):
            count, after = count + len(page), page[-1][0]
        return count


def entries_of(reply: list | dict | None) -> list[tuple[str, dict]]:
    """The entries of XREADGROUP on one stream, whatever the protocol made of them."""
    if not reply:
        return []
    if isinstance(reply, dict):  # RESP3: {stream: [[entry, ...]]}
        (nested,) = reply.values()
        return [tuple(entry) for page in nested for entry in page]
    return reply[0][1]


def raw_entries(reply: list | dict | None) -> list[tuple[str, dict]]:
    """The same, of a reply as it came over the wire: fields and values in one row."""
    pages = reply.values() if isinstance(reply, dict) else [page for _, page in reply or ()]
    return [
        (entry_id, dict(zip(words[::2], words[1::2], strict=True)) if words else None)
        for page in pages
        for entry_id, words in page
    ]
