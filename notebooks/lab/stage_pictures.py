"""What a stage shows where nothing moves: one run of the day's script on the server that is there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from . import charts
from .charts import Svg
from .clock import pass_time
from .connect import client
from .runs import Run, play
from .scripts import script

SLOW = 100  # the windows of a clock that runs on are so much longer, see stage_player
NOON_MS = 1_785_412_800_000
BURST = [(0, 1), (900, 99), (1100, 100)]
STOCK, BUYERS, ORDERS = "stage:stock:{2001}", "stage:buyers:{2001}", "stage:orders:{2001}"
BOARDS = ["stage:board:{2001}:day", "stage:board:{2001}:week", "stage:board:{2001}:counted"]


def picture(day: int) -> Svg:
    """The picture of one day, 0 to 9; it asks the lesson's server and leaves no key behind."""
    from .stage_pictures_more import DAYS

    return (_DAYS | DAYS)[day]()


def _fixed(limit: int, schedule: list) -> Run:
    fixed_window, key, now = script("fixed_window"), "stage:limit:{2001}", {"ms": 0}

    def decide(t_ms: float):
        if t_ms > now["ms"]:
            pass_time(key, int(t_ms - now["ms"]) * SLOW)
            now["ms"] = t_ms
        return fixed_window(key, limit=limit, window_ms=1000 * SLOW)

    return clean(lambda: play(decide, schedule), key)


def _log(limit: int, schedule: list) -> Run:
    log, key, names = script("sliding_window_log"), "stage:limit:{2001}", iter(range(10_000))

    def decide(t_ms: float):
        name, now_ms = f"press-{next(names)}", NOON_MS + int(t_ms)
        return log(key, limit=limit, window_ms=1000, press_id=name, now_ms=now_ms)

    return clean(lambda: play(decide, schedule), key)


def _bucket(capacity: int, rate: int, schedule: list) -> Run:
    bucket, key = script("token_bucket"), "stage:bucket:{2001}"
    size = {"capacity": capacity, "refill_count": rate, "refill_period_ms": 1000}

    def decide(t_ms: float):
        return bucket(key, **size, now_ms=NOON_MS + int(t_ms))

    return clean(lambda: play(decide, schedule), key)


def clean(work: Callable, *keys: str):
    """What the work returns; the keys are gone before it and after it."""
    r = client()
    r.delete(*keys)
    try:
        return work()
    finally:
        r.delete(*keys)
        r.close()


def _timeline(*lanes, limit: int, title: str) -> Svg:
    return charts.timeline(lanes, limit=limit, span=(0, 3), title=title, name="stage")


def _one() -> Svg:
    run = _fixed(5, [150 * k for k in range(20)])
    return _timeline(run.lane("fixed window", 1000), limit=5, title="Five in each window")


def _two() -> Svg:
    run = _fixed(100, BURST)
    title = f"{run.worst(1000).count} let in within one second"
    return _timeline(run.lane("fixed window", 1000), limit=100, title=title)


def _three() -> Svg:
    lanes = [
        _log(100, BURST).lane("sliding window log", 1000),
        _fixed(100, BURST).lane("fixed window", 1000),
    ]
    return _timeline(*lanes, limit=100, title="The same crowd, counted over any second")


def _four() -> Svg:
    run = _bucket(300, 100, [(100, 400), *(110 + 10 * k for k in range(100))])
    return _timeline(
        run.lane("token bucket", 1000), limit=400, title="A burst of 300, then 100 a second"
    )


def _five() -> Svg:
    """Two buyers send GET, then SET; each order of the four commands is played."""
    r = client()

    def sold(order: str) -> int:
        r.set(STOCK, 1)
        seen: dict[str, int] = {}
        bought = 0
        for who in order:
            if who not in seen:
                seen[who] = int(r.get(STOCK))
            elif seen[who] > 0:
                r.set(STOCK, seen[who] - 1)
                bought += 1
        return bought

    orders = sorted({"".join(order) for order in permutations("AABB")})
    verdicts = clean(lambda: [(order, sold(order) == 1) for order in orders], STOCK)
    wrong = sum(not right for _, right in verdicts)
    return charts.interleavings(
        verdicts, f"{wrong} of {len(verdicts)} orders sell the item twice", name="stage"
    )


def _six() -> Svg:
    """Three orders; the consumer dies once at each point and reads on from what is pending."""
    r, enqueue = client(protocol=2), script("seckill_enqueue")
    steps = ["insert", "commit", "ack"]

    def outcome(dies: str) -> tuple[str, bool]:
        r.delete(STOCK, BUYERS, ORDERS)
        r.set(STOCK, 3)
        r.xgroup_create(ORDERS, "orders", id="0", mkstream=True)
        for user in ("ann", "ben", "chen"):
            enqueue(STOCK, BUYERS, ORDERS, user=user, sku="2001")
        rows: dict[str, int] = {}
        for start, end in ((">", dies), ("0", "")):
            entries = [
                each for _, found in r.xreadgroup("orders", "c", {ORDERS: start}) for each in found
            ]
            done = steps[: steps.index(end)] if end else steps
            if "commit" in done:
                rows |= {entry: 1 for entry, _ in entries}  # the unique key
            if "ack" in done and entries:
                r.xack(ORDERS, "orders", *(entry for entry, _ in entries))
        pending = r.xpending(ORDERS, "orders")["pending"]
        return f"then {len(rows)} rows, {pending} pending", (len(rows), pending) == (3, 0)

    points = clean(lambda: [(f"before {s}", *outcome(s)) for s in steps], STOCK, BUYERS, ORDERS)
    return charts.crash_points(points, "Killed at each point, started again", name="stage")


def _seven() -> Svg:
    add = script("leaderboard_add")

    def sales() -> list[tuple[str, float]]:
        for k, member in enumerate(["Ann", "Ben", "Ann", "Chen", "Ann", "Ben"] * 2):
            event = f"sale-{k % 6}"  # the second six are the first six again
            add(*BOARDS, member=member, points=1, event_id=event, day_ttl_s=60, week_ttl_s=60)
        r = client(protocol=2)
        return [(member, int(score)) for member, score in r.zrevrange(BOARDS[0], 0, -1, True)]

    return charts.board(
        clean(sales, *BOARDS), title="Every sale came twice and counts once", name="stage"
    )


_DAYS = {1: _one, 2: _two, 3: _three, 4: _four, 5: _five, 6: _six, 7: _seven}
