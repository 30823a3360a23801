"""The six limiters beside each other: who must agree with whom, and where they part."""

import pytest
from hypothesis import given
from timelines import (
    KEY,
    NOON_MS,
    allowed,
    arguments,
    at,
    bucket_timelines,
    many,
    play,
    window_timelines,
)


def replies(r, name, rule, timeline):
    return [seen.reply for seen in play(r, name, rule, timeline)]


@many
@given(window_timelines())
def test_log_and_ring_agree_also_when_clocks_step_back(r, story):
    assert replies(r, "sliding_window_log", *story) == replies(r, "sliding_window_ring", *story)


@many
@given(bucket_timelines(steps_back=False))
def test_bucket_and_gcra_agree_while_clocks_do_not_step_back(r, story):
    bucket, gcra = (play(r, name, *story) for name in ("token_bucket", "gcra"))
    assert [seen.reply for seen in bucket] == [seen.reply for seen in gcra]


@many
@given(bucket_timelines())
def test_no_step_back_buys_more_than_capacity_and_rate_on_the_clock_that_was_seen(r, story):
    """Seen: the latest time of a press that was let in. A refused one leaves no trace."""
    (capacity, count, period_ms), timeline = story
    for name in ("token_bucket", "gcra"):
        let_in, seen_ms = [], 0
        for press, verdict in zip(timeline, allowed(r, name, *story), strict=True):
            if verdict:
                seen_ms = max(seen_ms, press.now_ms)
                let_in.append((seen_ms, press.cost))
        stays_within(let_in, capacity, count, period_ms)


def stays_within(let_in, capacity, count, period_ms):
    """Between any two presses: at most capacity + the refill of the time between them."""
    for i, (start_ms, _) in enumerate(let_in):
        inside = 0
        for end_ms, cost in let_in[i:]:
            inside += cost
            assert inside * period_ms <= capacity * period_ms + (end_ms - start_ms) * count


# Three traces of day 4, limit 100 a second

TRACES = {
    "steady": at(*range(0, 3_000, 10)),
    "bursty": [press for second in range(5) for press in at(second * 1_000 + 500) * 150],
    "attack": at(0) + at(900) * 99 + at(1_100) * 100,
}
EXPECTED = {  # let in, and at most in any half-open second
    "steady": {"fixed": (300, 100), "log": (300, 100), "counter": (298, 100), "bucket": (300, 100)},
    "bursty": {"fixed": (500, 100), "log": (500, 100), "counter": (356, 100), "bucket": (500, 100)},
    "attack": {"fixed": (200, 199), "log": (101, 100), "counter": (110, 109), "bucket": (121, 120)},
}
RULES = {
    "fixed_window": ("fixed", (100, 1_000)),
    "sliding_window_log": ("log", (100, 1_000)),
    "sliding_window_ring": ("log", (100, 1_000)),
    "sliding_window_counter": ("counter", (100, 1_000)),
    "token_bucket": ("bucket", (100, 100, 1_000)),
    "gcra": ("bucket", (100, 100, 1_000)),
}


def fixed_window_verdicts(lua, timeline):
    """The window's number in the key: the trace's own clock, not the server's."""
    script = lua("fixed_window")
    return [
        script([f"{KEY}:{press.now_ms // 1_000}"], arguments("fixed_window", (100, 60_000), press))[
            0
        ]
        for press in timeline
    ]


def worst_second(times_ms):
    """The most in any half-open second."""
    return max(sum(time - 1_000 < t <= time for t in times_ms) for time in times_ms)


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("name", RULES)
def test_each_lets_in_what_the_table_of_day_4_says(r, lua, name, trace):
    kind, rule = RULES[name]
    timeline = TRACES[trace]
    if name == "fixed_window":
        verdicts = fixed_window_verdicts(lua, timeline)
    else:
        verdicts = allowed(r, name, rule, timeline)
    let_in = [press.now_ms for press, ok in zip(timeline, verdicts, strict=True) if ok]
    assert (len(let_in), worst_second(let_in)) == EXPECTED[trace][kind]


@pytest.mark.parametrize("name", RULES)
def test_one_key_and_no_other_is_touched(r, name):
    """Cluster-safe: everything lives under the one key that was given."""
    _, rule = RULES[name]
    assert allowed(r, name, rule, at(0) * 3) == [1, 1, 1]
    assert r.keys() == [KEY]


@pytest.mark.parametrize("name", RULES)
def test_a_reply_is_three_integers(r, name):
    _, rule = RULES[name]
    for reply in replies(r, name, rule, [*at(0), *at(0, cost=100), *at(0, cost=101)]):
        assert [type(slot) for slot in reply] == [int, int, int]


@pytest.mark.parametrize("name", [name for name in RULES if name != "fixed_window"])
def test_a_step_back_locks_nobody_out_for_longer_than_the_step(r, name):
    """Full at noon, the clock then an hour back: never more than that hour on top of the wait."""
    _, rule = RULES[name]
    hour_ms = 3_600_000
    full = at(0) * 101
    wait_ms = replies(r, name, rule, full)[-1][2]
    back = [full[0]._replace(now_ms=NOON_MS - hour_ms)]
    assert replies(r, name, rule, full[:100] + back)[-1] == [0, 0, wait_ms + hour_ms]
