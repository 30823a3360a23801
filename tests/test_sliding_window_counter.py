"""lua/sliding_window_counter.lua: two numbers for any limit, and the price of that."""

import limiter_claims as claims
import pytest
from hypothesis import given
from models import SlidingCounter
from timelines import KEY, NOON_MS, Press, allowed, at, many, play, window_timelines

NAME = "sliding_window_counter"


@pytest.fixture
def press(r, lua):
    """press(limit, window_ms, cost, now_ms)."""
    return claims.teller(r, lua(NAME))


# The lesson's timeline


@pytest.mark.parametrize(
    "first, then, let_in",
    [
        ((990, 100), (1_500, 200), (100, 50)),  # 150 within 0.51 s
        ((10, 100), (1_020, 200), (100, 2)),  # although the true window is empty
        ((999, 100), (1_998, 200), (100, 99)),  # the worst: 199 within a second
    ],
)
def test_its_error_goes_both_ways(r, first, then, let_in):
    verdicts = allowed(r, NAME, (100, 1_000), at(first[0]) * first[1] + at(then[0]) * then[1])
    assert (sum(verdicts[: first[1]]), sum(verdicts[first[1] :])) == let_in


def test_f1_yesterdays_burst_gets_10_in_at_once_after_the_edge(r):
    """F1."""
    verdicts = allowed(r, NAME, (100, 1_000), at(0) + at(900) * 99 + at(1_100) * 100)
    assert (sum(verdicts[:100]), sum(verdicts[100:])) == (100, 10)


# Edges


def test_s8_limit_1_lets_one_in_and_holds_it_until_its_window_has_left(r):
    """S8."""
    assert allowed(r, NAME, (1, 1_000), at(999, 1_000, 1_500, 1_999, 2_000)) == [1, 0, 0, 0, 1]
    verdicts = allowed(r, NAME, (1, 10_000), at(0, 1_000, 9_999, 10_000, 20_000))
    assert verdicts == [1, 0, 0, 0, 1]


def test_s9_it_can_nearly_double_the_limit(r):
    """S9."""
    verdicts = allowed(r, NAME, (100, 1_000), at(999) * 150 + at(1_998) * 150)
    assert (sum(verdicts[:150]), sum(verdicts[150:])) == (100, 99)


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_s11_exactly_the_limit_is_let_in(r, limit):
    """S11."""
    assert sum(allowed(r, NAME, (limit, 1_000), at(0) * 6)) == limit


def test_limit_0_and_too_heavy_a_press_never_get_in(r, press):
    assert press(0, 1_000, 1, NOON_MS) == [0, 0, -1]
    assert press(3, 1_000, 4, NOON_MS) == [0, 3, -1]
    assert r.keys() == []


def test_two_windows_later_nothing_is_left_of_the_count(r, press):
    press(10, 1_000, 10, NOON_MS + 999)
    assert press(10, 1_000, 1, NOON_MS + 1_000) == [0, 0, 100]
    assert press(10, 1_000, 1, NOON_MS + 2_000) == [1, 9, 0]
    assert r.get(KEY) == f"{NOON_MS + 2_000} 0 1"


def test_a_clock_that_steps_back_stands_still_at_the_start_of_the_window(r, press):
    press(2, 1_000, 1, NOON_MS + 5_500)
    assert press(2, 1_000, 1, NOON_MS + 4_999) == [1, 0, 0]
    assert r.get(KEY) == f"{NOON_MS + 5_000} 0 2"
    # At 6,500 half of the two has left.
    assert press(2, 1_000, 1, NOON_MS) == [0, 0, 6_500]


def test_another_window_length_does_not_forget_what_was_let_in(r, press):
    press(5, 1_000, 5, NOON_MS + 3_700)
    assert press(5, 60_000, 1, NOON_MS + 3_800)[:2] == [0, 0]
    assert press(5, 1_000, 1, NOON_MS + 3_900)[:2] == [0, 0]
    assert press(5, 10, 1, NOON_MS + 4_000) == [1, 4, 0]


def test_the_servers_clock_is_read_when_none_is_given(r, press):
    for args in ([], [1], [1, 0]):
        assert press(9, 86_400_000, *args)[0] == 1
        start_ms = int(r.get(KEY).split()[0])
        assert 0 <= r.time()[0] * 1_000 - start_ms < 86_400_000


def test_the_wait_is_true_and_the_remaining_exact(r):
    full = at(100, 200, 300, 400)
    assert claims.waits_truly(r, NAME, (3, 1_000), full) == 934  # 1,334: 3 × 666 <= 2 × 1,000
    assert claims.waits_truly(r, NAME, (3, 1_000), full, cost=3) == 1_600
    assert claims.waits_truly(r, NAME, (3, 1_000), [*full, *at(1_334, 1_350)]) == 317
    assert claims.waits_truly(r, NAME, (3, 1_000), [*full, *at(1_334, 1_350)], cost=2) == 650
    assert claims.remaining_is_exact(r, NAME, (5, 1_000), [*full, *at(1_750)]) == 3


# Oracle


@many
@given(window_timelines())
def test_it_answers_as_the_model_does(r, story):
    rule, timeline = story
    claims.follows(r, NAME, rule, SlidingCounter(*rule), timeline)


# Crowd


def test_s6_fifty_connections_are_let_in_exactly_100_times(r, server):
    """S6."""
    claims.crowd_gets_exactly(server.url, NAME, (100, 60_000), 100)


# Expiry


@pytest.mark.parametrize("window_ms", [1, 1_000, 86_400_000, claims.EXACT])
@pytest.mark.parametrize("late_ms", [0, 999])
def test_s12_the_count_lives_until_the_next_window_has_ended_and_a_second(r, window_ms, late_ms):
    """S12. 900 ms of slack for a slow answer, none above."""
    now_ms = NOON_MS + late_ms
    (seen,) = play(r, NAME, (1, window_ms), [Press(now_ms)])
    matters_ms = now_ms // window_ms * window_ms + 2 * window_ms - now_ms
    assert matters_ms + 100 < seen.pttl_ms <= matters_ms + 1_000
    assert matters_ms <= 2 * window_ms


# Bad input


def test_bad_input_is_named_and_changes_nothing(r, lua):
    names = ["limit", "window_ms", "cost", "now_ms"]
    least = {"limit": 0, "window_ms": 1, "cost": 1, "now_ms": 0}
    claims.refuses_bad_input(r, lua(NAME), names, [5, 60_000, 1, NOON_MS], least)


def test_a_missing_argument_is_named(r, lua):
    claims.needs(r, lua(NAME), ["limit", "window_ms"], [5, 60_000])


def test_a_product_that_would_not_be_exact_is_refused(r, press):
    press(2**32, 2**20, 1, NOON_MS)
    before = r.get(KEY)
    with pytest.raises(claims.ResponseError, match="limit x window_ms must be at most 2"):
        press(2**32 + 1, 2**20, 1, NOON_MS)
    assert r.get(KEY) == before


def test_a_key_of_another_type_is_named_and_left_alone(r, lua):
    claims.refuses_wrong_type(r, lua(NAME), [5, 60_000], "counts", "string")


def test_torn_counts_are_named_and_left_alone(r, lua):
    torn = ["x", "", "1 2", "1 2 3 4", "1 -2 3", "1 2 3.5", " 1 2 3"]
    claims.refuses_torn_state(r, lua(NAME), [5, 60_000], "counts", torn)


def test_the_largest_numbers_stay_exact(r):
    """limit × window is 2^52: one press too many by one part in 2^52 is still seen."""
    limit, window_ms = 2**32, 2**20
    start_ms = NOON_MS - NOON_MS % window_ms
    model, heavy = SlidingCounter(limit, window_ms), limit - 1
    timeline = [Press(start_ms, heavy), Press(start_ms + window_ms, 1), Press(start_ms + window_ms)]
    timeline += [Press(start_ms + window_ms + 2**19 + late, 2**31) for late in (0, 1)]
    claims.follows(r, NAME, (limit, window_ms), model, timeline)
