"""Closed days in SQL: what a board leaves behind when Redis lets it go, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import sqlalchemy as sql

from shop import days, tables
from shop.board import Boards, Event
from shop.ranks import Row, ranked

metadata = sql.MetaData()
archive = sql.Table(
    "board_archive",
    metadata,
    sql.Column("family", sql.String(64), primary_key=True),
    sql.Column("day", sql.Date, primary_key=True),
    sql.Column("member", sql.String(255), primary_key=True),
    sql.Column("score", sql.BigInteger, nullable=False),
    mysql_collate="utf8mb4_bin",  # otherwise MySQL takes "A" and "a" for one member
)


class Archive:
    """Closed days in SQL: written before Redis lets them go, and the way back."""

    def __init__(self, boards: Boards, engine: sql.Engine) -> None:
        self.boards, self.engine = boards, engine
        metadata.create_all(engine)

    def close(self, day: date) -> int:
        """Write a day that is over, in one transaction, and again after a late cancellation.

        Gives the rows written. ValueError while the day goes on, or when Redis has lost members
        that the archive holds (trimmed, or its life is over): `rebuild` first.
        """
        if self.boards.clock_ms() < days.ended_ms(day, self.boards.zone):
            raise ValueError(f"{day} is not over in {self.boards.zone.key}: archive it tomorrow")
        rows = self._live(day)
        with self.engine.begin() as connection:
            lost = {row.member for row in self._archived(connection, day)}
            lost -= {row.member for row in rows}
            if lost:
                raise ValueError(f"Redis lost {len(lost)} members of {day}: rebuild it first")
            connection.execute(archive.delete().where(*self._of(day)))
            if rows:
                connection.execute(archive.insert(), [self._row(day, row) for row in rows])
        return len(rows)

    def rows(self, day: date) -> list[Row]:
        """The archived board, as the live one reads."""
        with self.engine.connect() as connection:
            return self._archived(connection, day)

    def trim(self, day: date, keep: int) -> int:
        """Leave only the best `keep` of a day in Redis; gives how many members went.

        ValueError while a union of its week still needs the day, or before it is archived as it
        stands. A sale cancelled later needs `rebuild`, for its member may be among those gone.
        """
        sunday = days.days_of_week(day)[-1]
        if self.boards.clock_ms() < days.ended_ms(sunday, self.boards.zone):
            raise ValueError(f"the week of {day} is not over: its sum still needs every member")
        if keep < 1 or self._live(day) != self.rows(day):
            raise ValueError(f"archive {day} as it stands (close), and keep at least 1 member")
        # Rank 0 is the lowest score: what goes is everything up to the keep-th from the top.
        return self.boards.client.zremrangebyrank(self.boards.day_key(day), 0, -keep - 1)

    def sales(self, from_ms: int, until_ms: int) -> list[Event]:
        """The events of the orders' table in that time: each row, and once more if cancelled.

        An order that was cancelled and bought again is in its row the later one only: of the
        earlier one, sold and returned, nothing is left to count.
        """
        o = tables.orders.c
        made = sql.between(o.created_at, *map(days.in_utc, (from_ms, until_ms)))
        query = sql.select(o.entry_id, o.sku, o.created_at, o.state).where(made)
        events = []
        with self.engine.connect() as connection:
            for entry_id, sku, created_at, state in connection.execute(query):
                events.append(self.boards.sold(entry_id, sku, created_at))
                if state == tables.CANCELLED:
                    events.append(self.boards.returned(entry_id, sku, created_at))
        return events

    def rebuild(self, day: date, sales: Callable[[int, int], Iterable[Event]] | None = None) -> int:
        """Make the week of `day` anew: its seven days and their sum; gives the events counted.

        `sales(from_ms, until_ms)` reads the events of that time (more do no harm); left out, they
        come from the orders' table. What the week remembers stays, and these events join it. An
        order that is counted meanwhile makes it start again, so none is lost or doubled.
        """
        boards, week, sales = self.boards, days.days_of_week(day), sales or self.sales
        span = days.starts_ms(week[0], boards.zone), days.ended_ms(week[-1], boards.zone)
        keys = sorted({key for each in week for key in boards.keys(each)})
        counted: dict[str, Event] = {}

        def write(pipe: Any) -> None:
            counted.clear()
            counted.update((e.event_id, e) for e in sales(*span) if boards.day_of(e.when) in week)
            pipe.multi()
            pipe.delete(*map(boards.day_key, week), boards.week_key(day))
            boards.fill(pipe, counted.values())

        boards.client.transaction(write, *keys)
        return len(counted)

    def _live(self, day: date) -> list[Row]:
        pairs = self.boards.client.zrevrange(self.boards.day_key(day), 0, -1, withscores=True)
        return ranked(pairs)

    def _of(self, day: date) -> tuple[Any, ...]:
        return archive.c.family == self.boards.family, archive.c.day == day

    def _row(self, day: date, row: Row) -> dict[str, Any]:
        return {
            "family": self.boards.family,
            "day": day,
            "member": row.member,
            "score": row.score,
        }

    def _archived(self, connection: sql.Connection, day: date) -> list[Row]:
        query = sql.select(archive.c.member, archive.c.score).where(*self._of(day))
        best_first = sorted(
            connection.execute(query), key=lambda r: (r.score, r.member.encode()), reverse=True
        )
        return ranked((r.member, r.score) for r in best_first)
