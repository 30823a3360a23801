"""Whose day is it? The day and the week of a sale, in a zone that is always said out loud.

A moment is an aware datetime, or whole milliseconds since 1970 in UTC, as a stream's entry id
begins with. The machine's own zone (TZ) is never asked.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

Moment = int | datetime
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def zone_named(name: str) -> ZoneInfo:
    """The zone of that name, such as "Asia/Taipei" or "UTC". Raises ValueError for any other."""
    try:
        if name and name != "localtime":  # that one is whatever this machine happens to use
            return ZoneInfo(name)
    except (OSError, ValueError, TypeError, KeyError):  # a missing zone is a KeyError
        pass
    raise ValueError(f"no time zone is called {name!r}: say one such as 'Asia/Taipei' or 'UTC'")


def in_utc(when: Moment) -> datetime:
    """The moment in UTC. Raises ValueError for a datetime without zone, TypeError for the rest."""
    if isinstance(when, datetime):
        if when.utcoffset() is None:
            raise ValueError(f"{when} is on no certain day: give it its zone (tzinfo=...)")
        return when.astimezone(UTC)
    if isinstance(when, int) and not isinstance(when, bool):
        return EPOCH + timedelta(milliseconds=when)
    raise TypeError(f"a moment is whole milliseconds or an aware datetime, not {when!r}")


def in_ms(when: datetime) -> int:
    """Whole milliseconds since 1970 in UTC, rounded down."""
    return (when - EPOCH) // timedelta(milliseconds=1)


def day_of(when: Moment | date, zone: ZoneInfo) -> date:
    """The date that a wall clock in `zone` shows at that moment; a date stays as it is."""
    if isinstance(when, date) and not isinstance(when, datetime):
        return when
    return in_utc(when).astimezone(zone).date()


def week_of(day: date) -> str:
    """The ISO week with its own year: 2027-01-01 is in "2026-W53"."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def days_of_week(day: date) -> list[date]:
    """Monday to Sunday of the ISO week that holds `day`."""
    monday = day - timedelta(days=day.weekday())
    return [monday + timedelta(days=d) for d in range(7)]


def starts_ms(day: date, zone: ZoneInfo, latest: bool = False) -> int:
    """When `day` begins in `zone`, in milliseconds; where midnight comes twice, the first time.

    With `latest` the last time, from which on the day before can never come back. Where clocks
    spring over midnight, the earlier answer may lie up to the jump before the day's first moment.
    """
    midnights = [datetime.combine(day, time(fold=fold), zone).astimezone(UTC) for fold in (0, 1)]
    return in_ms(max(midnights) if latest else min(midnights))


def ended_ms(day: date, zone: ZoneInfo) -> int:
    """From this millisecond on no moment falls on `day` any more."""
    return starts_ms(day + timedelta(days=1), zone, latest=True)
