"""Who is ahead, today and this week.

Scores are whole numbers (pieces, or cents), so their sums are exact below 2^53. Clients decode
their replies. A board's key may be written out, or taken from `day_key` and `week_key`.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Any, NamedTuple

from shop import days
from shop.days import Moment
from shop.lua import register
from shop.ranks import Row, ranked

DAY_S = 86_400
# A day's board is still read when its week is over: seven days and an hour after its first sale,
# where clocks go back. One more day to archive it in is the least that is allowed.
LEAST_TTL_S = 8 * DAY_S + 3_600
DAY_TTL_S, WEEK_TTL_S = 16 * DAY_S, 35 * DAY_S


class Event(NamedTuple):
    """Something that is counted once: points (negative: taken off) for a member at a moment."""

    event_id: str
    member: str
    points: int
    when: Moment


class Boards:
    """A day's and a week's board of one family (`rank:{sales}:...`), in a zone said out loud.

    Lives are seconds; `worth(sku)` is what one order counts: 1 a piece, or its price in cents.
    ValueError when a life is too short for what still reads the key.
    """

    def __init__(
        self,
        client: Any,
        zone: str,
        family: str = "sales",
        day_ttl_s: int = DAY_TTL_S,
        week_ttl_s: int = WEEK_TTL_S,
        worth: Callable[[str], int] = lambda sku: 1,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        for name, ttl_s in (("day_ttl_s", day_ttl_s), ("week_ttl_s", week_ttl_s)):
            if ttl_s < LEAST_TTL_S:
                raise ValueError(
                    f"{name} of {ttl_s} ends before the week and its archive: at least {LEAST_TTL_S}"
                )
        self.client, self.family, self.worth, self.clock_ms = client, family, worth, clock_ms
        self.zone = days.zone_named(zone)
        self.day_ttl_s, self.week_ttl_s = day_ttl_s, week_ttl_s
        self._longest_s = max(day_ttl_s, week_ttl_s)
        self._add = register(client, "leaderboard_add")

    def day_of(self, when: Moment | date) -> date:
        """The day of that moment in the boards' zone."""
        return days.day_of(when, self.zone)

    def day_key(self, when: Moment | date) -> str:
        return f"rank:{{{self.family}}}:{self.day_of(when):%Y%m%d}"

    def week_key(self, when: Moment | date) -> str:
        return f"rank:{{{self.family}}}:{days.week_of(self.day_of(when))}"

    def counted_key(self, when: Moment | date) -> str:
        return f"rank:{{{self.family}}}:counted:{self.day_of(when):%Y%m%d}"

    def keys(self, when: Moment | date) -> list[str]:
        """Day, week and memory, as the script takes them."""
        return [self.day_key(when), self.week_key(when), self.counted_key(when)]

    def add(self, event: Event) -> Row | None:
        """Count the event on its own day and week, once. Gives the member's row of that day.

        None for an event so late that its day's board has had its life: that day is history,
        which only `Archive.rebuild` writes.
        """
        if self.clock_ms() >= self._first_end_ms(event.when):
            return None
        args = [event.member, event.points, event.event_id, self.day_ttl_s, self.week_ttl_s]
        score, rank = self._add(keys=self.keys(event.when), args=args)
        return Row(rank, event.member, score)

    def fill(self, pipe: Any, events: Iterable[Event]) -> None:
        """Queue empty boards' scores as the sums of different events, with their memory and lives."""
        scores: defaultdict[str, Counter[str]] = defaultdict(Counter)
        memory: defaultdict[str, list[str]] = defaultdict(list)
        lives: dict[str, int] = {}
        for event in events:
            day, week, counted = self.keys(event.when)
            scores[day][event.member] += event.points
            scores[week][event.member] += event.points
            memory[counted].append(event.event_id)
            lives |= {day: self.day_ttl_s, week: self.week_ttl_s, counted: self._longest_s}
        for key, board in scores.items():
            pipe.zadd(key, {row.member: row.score for row in ranked(board.items())})
        for key, event_ids in memory.items():
            pipe.sadd(key, *event_ids)
        for key, ttl_s in lives.items():
            pipe.expire(key, ttl_s)

    def sold(self, entry_id: str, sku: str, created_at: datetime) -> Event:
        """An order as an event."""
        return Event(entry_id, f"sku:{sku}", self.worth(sku), created_at)

    def returned(self, entry_id: str, sku: str, created_at: datetime) -> Event:
        """A cancelled order as an event: it comes off again on the day of the sale itself."""
        return Event(f"{entry_id}:cancelled", f"sku:{sku}", -self.worth(sku), created_at)

    def on_order(self, entry_id: str, user: str, sku: str, created_at: datetime) -> None:
        """The consumer's hook: called for every delivery before its ack, it counts the first."""
        self.add(self.sold(entry_id, sku, created_at))

    def on_cancel(self, entry_id: str, user: str, sku: str, created_at: datetime) -> None:
        """The hook of Sale.cancel, which may come before the order has been delivered.

        So the order is counted first, where it was not: its delivery then adds nothing.
        """
        self.add(self.sold(entry_id, sku, created_at))
        self.add(self.returned(entry_id, sku, created_at))

    def _first_end_ms(self, when: Moment | date) -> int:
        """No board of that day ends earlier, for none is born before the day is."""
        return days.starts_ms(self.day_of(when), self.zone) + self.day_ttl_s * 1000

    def top(self, key: str, count: int = 10) -> list[Row]:
        """The best `count` rows. Equal scores stand by their bytes, the higher first."""
        if count < 1:  # to Redis -1 means the last one: everybody
            raise ValueError(f"the top {count} is nobody: ask for at least 1")
        return ranked(self.client.zrevrange(key, 0, count - 1, withscores=True))

    def rank(self, key: str, member: str) -> int | None:
        """Competition rank, from 1; None for a member who is not on the board."""
        score = self.client.zscore(key, member)
        return None if score is None else self._rank_of(key, score)

    def around(self, key: str, member: str, reach: int = 2) -> list[Row] | None:
        """The member between `reach` rows above and below, fewer at the ends; None if absent.

        Three reads: on a board in motion a neighbour may be a sale newer than the ranks.
        """
        if reach < 0:
            raise ValueError(f"reach counts the rows on either side: at least 0, not {reach}")
        place = self.client.zrevrank(key, member)
        if place is None:
            return None
        above = max(0, place - reach)  # below 0 Redis would count from the other end
        pairs = self.client.zrevrange(key, above, place + reach, withscores=True)
        return ranked(pairs, self._rank_of(key, pairs[0][1]), above + 1) if pairs else None

    def _rank_of(self, key: str, score: float) -> int:
        return 1 + self.client.zcount(key, f"({score!r}", "+inf")

    def union(self, into: str, of: Iterable[date], ttl_s: int = DAY_S) -> int:
        """Sum the boards of several days into a key of its own, alive for `ttl_s`; its members.

        The store drops the life that the key had, hence one MULTI. ValueError when `into` is one
        of the days: it would be counted into itself.
        """
        sources = [self.day_key(day) for day in of]
        if not sources or into in sources:
            raise ValueError(f"a union needs days, and a key that is none of them: {into}")
        with self.client.pipeline(transaction=True) as pipe:
            pipe.zunionstore(into, sources).expire(into, ttl_s)
            return pipe.execute()[0]
