"""Who stands where: one rank for equal scores, or first come, first placed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of a board. Ranks count from 1, and equal scores share one: 1, 1, 3."""

    rank: int
    member: str
    score: int


def ranked(pairs: Iterable[tuple[str, float]], first: int = 1, place: int = 1) -> list[Row]:
    """Rows for (member, score), best first. They begin at `place`; the first has rank `first`."""
    rows: list[Row] = []
    for at, (member, score) in enumerate(pairs, place):
        if score % 1 or abs(score) >= 2**53:
            raise ValueError(f"{member}: {score} is no exact whole number; count in cents, say")
        rank = at if rows else first
        if rows and rows[-1].score == score:
            rank = rows[-1].rank
        rows.append(Row(rank, member, int(score)))
    return rows


class FirstCome(NamedTuple):
    """Points and time in one score: more points first, and among equals the earlier.

    `span` is how many ticks fit beside the points: 10**10 for seconds since 1970, 10**13 for
    milliseconds. A packed score is exact because it stays a whole number below 2^53: with
    seconds up to 900,719 points, with milliseconds up to 899.
    """

    span: int = 10**10

    def pack(self, points: int, ticks: int) -> int:
        """One score for ZADD. ValueError outside the range in which it is exact."""
        if not (0 <= ticks < self.span and points >= 0):
            raise ValueError(f"points from 0 and a time below {self.span}, not {points} at {ticks}")
        score = points * self.span + self.span - 1 - ticks
        if score >= 2**53:
            most = (2**53 - self.span + ticks) // self.span
            raise ValueError(f"{points} points leave no exact room for the time: at most {most}")
        return score

    def points(self, score: float) -> int:
        """The points that were packed."""
        return int(score) // self.span
