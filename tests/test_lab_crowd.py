"""The timeline, the crowd and the herd count exactly what happened."""

import asyncio
import random
from collections import Counter

import pytest
from lab.crowd import crowd
from lab.herd import every, herd, retry_after
from lab.progress import Progress
from lab.runs import At, Press, Run, Worst, play, rounds

BURST = [(0, 1), (900, 99), (1100, 100)]


def anchored(limit: int, window_ms: int):
    """A fixed window in plain Python: it opens at the first press."""
    state = {"start": None, "count": 0}

    def decide(now_ms):
        if state["start"] is None or now_ms >= state["start"] + window_ms:
            state.update(start=now_ms, count=0)
        state["count"] += 1
        return state["count"] <= limit

    return decide


def random_run(seed: int) -> Run:
    """Up to 60 presses in two seconds, many at the same millisecond, let in by the toss."""
    dice = random.Random(seed)
    times = [dice.randrange(0, 2000, dice.choice([1, 50, 250])) for _ in range(dice.randrange(60))]
    return Run([Press(t, dice.random() < 0.7, None) for t in times])


# The lesson's timeline


def test_the_burst_lets_199_in_within_one_second():
    run = play(anchored(100, 1000), BURST)
    assert repr(run) == "200 presses: 200 let in, 0 refused"
    assert run.worst(1000) == Worst(199, 100, 1100)
    assert run.at(900) == At(99, 99)
    assert run.at(901) == At(0, 0)
    assert max(run.curve(1000), key=lambda step: step[1]) == (1.1, 199)


def test_the_table_has_a_row_for_each_moment():
    assert play(anchored(100, 1000), [(0, 101), 1000.0]).table().splitlines()[2:] == [
        "| 0 | 101 | 100 | 1 |",
        "| 1,000.0 | 1 | 1 | 0 |",
    ]


def test_a_lane_counts_in_seconds_from_its_origin():
    lane = play(lambda now: 1, [1_722_310_000_500]).lane("Log", 250, origin_ms=1_722_310_000_000)
    assert lane.presses == [(0.5, True)]
    assert [(round(t, 6), inside) for t, inside in lane.curve] == [(0.5, 1), (0.75, 0)]
    assert lane.verdict == "1 of 1 let in"


# Edges


def test_a_press_one_window_old_is_out_unless_the_window_is_closed():
    run = play(lambda now: True, [0, 1000])
    assert run.worst(1000) == Worst(1, -1000, 0)
    assert run.worst(1000, closed=True) == Worst(2, 0, 1000)
    assert run.curve(1000) == [(0.0, 1), (1.0, 1), (2.0, 0)]


def test_the_oldest_of_equally_busy_windows_is_named():
    assert play(lambda now: True, [5, 5, 9000, 9000]).worst(10).end_ms == 5


def test_nobody_pressed():
    run = play(lambda now: True, [])
    assert (repr(run), run.worst(1000).count, run.curve(1000)) == (
        "0 presses: 0 let in, 0 refused",
        0,
        [],
    )


@pytest.mark.parametrize(
    ("reply", "allowed"),
    [(True, 1), (0, 0), (1, 1), (-1, 0), ([1, 99, 0], 1), ((0, 0, 5), 0), (Press(0, 0, ""), 0)],
)
def test_every_kind_of_reply_is_understood(reply, allowed):
    assert play(lambda now: reply, [0]).allowed == allowed


# Oracle


@pytest.mark.parametrize("seed", range(200))
def test_worst_and_curve_agree_with_counting_by_hand(seed):
    run, window = random_run(seed), random.Random(seed).choice([1, 50, 300, 1000])
    let_in = [p.t_ms for p in run.presses if p.allowed]
    for closed in (False, True):
        by_hand = [
            sum(t - window < s <= t or (closed and s == t - window) for s in let_in) for t in let_in
        ]
        assert run.worst(window, closed).count == max(by_hand, default=0)
    steps = {round(t * 1000): inside for t, inside in run.curve(window)}
    inside = 0
    for t in sorted({*let_in, *(s + window + d for s in let_in for d in (-1, 0, 1))}):
        inside = steps.get(t, inside)
        assert inside == sum(t - window < s <= t for s in let_in), t
    assert run.allowed + run.refused == len(run.presses)


def test_rounds_press_together():
    assert rounds(200, 3, 1000) == [(0, 200), (1000, 200), (2000, 200)]


# The crowd


def test_a_crowd_counts_every_reply_and_every_error():
    stock, most = iter(range(100)), Counter()

    async def press(i):
        most["now"] += 1
        most["most"] = max(most["most"], most["now"])
        await asyncio.sleep(0)
        most["now"] -= 1
        if i % 1000 == 999:
            raise ConnectionError(f"press {i}")
        return 1 if next(stock, None) is not None else 0

    result = asyncio.run(crowd(press, presses=5000, at_once=50))
    assert result.replies == {1: 100, 0: 4895}
    assert result.errors == {"ConnectionError": 5}
    assert str(result.first_error) == "press 999"
    assert most["most"] == 50
    assert len(result.latencies_s) == 5000
    lines = repr(result).splitlines()
    assert lines[:4] == [
        "5,000 presses, 50 at once",
        "  4,895 × 0",
        "  100 × 1",
        "  5 raised ConnectionError",
    ]
    assert all("⏱" in line for line in lines[4:])


def test_each_press_gets_its_own_number():
    async def press(i):
        return i

    result = asyncio.run(crowd(press, presses=100, at_once=7))
    assert result.replies == Counter(range(100))
    assert "  and 88 other replies" in repr(result)


def test_percentiles_are_latencies_that_were_measured():
    async def press(i):
        return [1, 2]

    result = asyncio.run(crowd(press, presses=1))
    assert result.replies == {(1, 2): 1}
    result.latencies_s = [i / 1000 for i in range(1, 201)]
    assert (result.p50, result.p99, result.percentile(100)) == (0.1, 0.198, 0.2)


def test_a_short_crowd_shows_no_bar_and_a_long_one_says_how_much_is_left():
    clock = iter([0.0, 1.9, 2.5, 2.5])
    progress = Progress(1000, clock=lambda: next(clock))
    drawn = []
    progress._draw = lambda: drawn.append("bar")
    progress(10)
    assert drawn == []
    progress(20)
    assert drawn == ["bar"]
    assert progress.line(250, 3.0) == "250 of 1,000 · about 9 s left"


# The herd


@pytest.mark.parametrize("seed", range(5))
def test_an_impatient_herd_sends_91000_requests(seed):
    assert herd(1000, 100, 1000, every(50), seed).requests == 91_000


@pytest.mark.parametrize("seed", range(5))
def test_retry_after_alone_sends_5500_and_all_of_them_at_the_edges(seed):
    result = herd(1000, 100, 1000, retry_after(), seed)
    assert (result.requests, result.allowed) == (5500, 1000)
    assert result.peak(100, since_ms=1000) == 900
    assert all(t % 1000 == 0 for t in result.arrivals_ms if t >= 1000)


def test_jitter_of_a_second_spreads_them_and_saves_nothing():
    """900 people over ten buckets are 90 each. The fullest of 90 buckets stays under 90 + 5 sigma,
    where sigma = sqrt(900 * 0.1 * 0.9) = 9."""
    result = herd(1000, 100, 1000, retry_after(1000))
    assert result.requests == 5500
    assert 90 <= result.peak(100, since_ms=1000) < 135


def test_jitter_as_long_as_the_queue_needs_about_1900():
    """1,000 first presses and 900 second ones are the floor; more than 1,000 second ones would
    mean that a tenth of the places were fought for."""
    result = herd(1000, 100, 1000, retry_after(10_000))
    assert 1900 <= result.requests < 2000
    assert sum(result.per(100)) == result.requests
    assert herd(1000, 100, 1000, retry_after(10_000)) == result


# Bad input


def test_bad_input_says_what_to_do():
    async def press(i):
        return i

    with pytest.raises(ValueError, match="choose from 0 to 1,000,000"):
        asyncio.run(crowd(press, presses=1_000_001))
    with pytest.raises(ValueError, match="at least one person"):
        asyncio.run(crowd(press, at_once=0))
    with pytest.raises(TypeError, match="True or False"):
        play(lambda now: "OK", [0])
    with pytest.raises(TypeError, match="plain function"):
        coroutine = press(1)
        try:
            play(lambda now: coroutine, [0])
        finally:
            coroutine.close()
    with pytest.raises(ValueError, match="press for ever"):
        herd(limit=0)
