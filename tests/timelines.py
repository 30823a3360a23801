"""Random but repeatable timelines of presses, and the way to play one against a script."""

import os
from functools import cache
from itertools import product
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from lab.scripts import lua as script_text

KEY = "limit:{2001}"
NOON_MS = 1_722_312_000_000  # a multiple of every window that the tests use
WINDOWS_MS = (1, 2, 3, 10, 1_000, 60_000)
LIMITS = (0, 1, 2, 3, 5, 10, 100, 1_000_000)

# The same examples on every run; ten thousand of them in the long form.
many = settings(
    max_examples=10_000 if os.environ.get("RUSH_DEEP") == "1" else 100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Press(NamedTuple):
    """One press: the caller's clock, milliseconds, and what it weighs."""

    now_ms: int
    cost: int = 1


class Seen(NamedTuple):
    """What a press left behind: the raw reply, the key's life and its whole contents."""

    reply: list[int]
    pttl_ms: int
    dump: bytes | None


def at(*offsets_ms: int, cost: int = 1) -> list[Press]:
    """One press at each of these times after noon."""
    return [Press(NOON_MS + offset, cost) for offset in offsets_ms]


@cache
def bursts(limit: int, window_ms: int, steps_back: bool) -> st.SearchStrategy:
    """Lists of (milliseconds since the burst before, how many presses, cost of each).

    Ties, exact edges, long silences, costs 1 … limit + 1, clocks that step back. Heavy costs
    stop at 60, since log and ring remember each unit, but for the one that can never be let in.
    """
    w = window_ms
    steps = [0, 0, 0, 1, 2, 7, w // 3, w // 2, w - 1, w, w + 1, w + w // 7]
    steps += [2 * w - 1, 2 * w, 2 * w + 1, 50 * w + 7]
    steps += [-1, -(w // 2), -w, -w - 1, -3 * w] if steps_back else []
    costs = {min(c, 60) for c in (1, 2, limit // 2, limit - 1, limit) if c > 0} | {limit + 1}
    burst = st.sampled_from([*product(steps, (1, 2, 3, 6), [1, *sorted(costs)])])
    return st.lists(burst, min_size=1, max_size=15)


@st.composite
def presses(draw, limit: int, window_ms: int, steps_back: bool = True) -> list[Press]:
    """The presses of some bursts; `window_ms` is the time that makes edges for the limiter."""
    now_ms = NOON_MS + draw(st.sampled_from((0, window_ms // 2, window_ms - 1)))
    timeline = []
    for step_ms, how_many, cost in draw(bursts(limit, window_ms, steps_back)):
        now_ms += step_ms
        timeline += [Press(now_ms, cost)] * how_many
    return timeline


windows = st.sampled_from(WINDOWS_MS)
limits = st.sampled_from(LIMITS)


@st.composite
def window_timelines(draw, steps_back: bool = True):
    """((limit, window_ms), presses) for the fixed and the sliding windows."""
    limit, window_ms = draw(limits), draw(windows)
    return (limit, window_ms), draw(presses(limit, window_ms, steps_back))


@st.composite
def bucket_timelines(draw, steps_back: bool = True):
    """((capacity, refill_count, refill_period_ms), presses) for the bucket and GCRA."""
    capacity, period_ms = draw(limits), draw(windows)
    count = draw(st.sampled_from((1, 2, 3, 7, 100, 5_015, 1_000_003)))
    edge_ms = draw(st.sampled_from((-(-period_ms // count), period_ms)))
    return (capacity, count, period_ms), draw(presses(capacity, edge_ms, steps_back))


def arguments(name: str, rule: tuple, press: Press, press_id: str = "p") -> list:
    """The ARGV of a limiter script: its rule, then (the log's press_id), cost and clock."""
    if name == "fixed_window":
        return [*rule, press.cost]
    if name == "sliding_window_log":
        return [*rule, press_id, press.cost, press.now_ms]
    return [*rule, press.cost, press.now_ms]


def play(r, name: str, rule: tuple, timeline: list[Press], key: str = KEY) -> list[Seen]:
    """Play a timeline from an empty key on, in one round trip; press ids are p0, p1 …

    In one go, so that a key's real life cannot run out between two presses of the story;
    afterwards the key stays, to be looked at.
    """
    sha = r.script_load(script_text(name))
    pipe = r.pipeline(transaction=False)
    pipe.delete(key)
    for number, press in enumerate(timeline):
        pipe.evalsha(sha, 1, key, *arguments(name, rule, press, f"p{number}"))
        pipe.pttl(key)
        pipe.dump(key)
    pipe.persist(key)
    _, *answers, _ = pipe.execute()
    return [Seen(*answers[i : i + 3]) for i in range(0, len(answers), 3)]


def allowed(r, name: str, rule: tuple, timeline: list[Press]) -> list[int]:
    """Only the verdicts, 1 or 0, of a timeline."""
    return [seen.reply[0] for seen in play(r, name, rule, timeline)]
