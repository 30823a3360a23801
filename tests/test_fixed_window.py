"""lua/fixed_window.lua: one counter, one window."""

import limiter_claims as claims
import pytest
from hypothesis import given
from lab.clock import pass_time
from lab.scripts import lua as script_text
from timelines import KEY, NOON_MS, many, play, window_timelines

NAME = "fixed_window"


@pytest.fixture
def press(lua):
    """press(limit, window_ms, cost=1, key=KEY)."""
    script = lua(NAME)
    return lambda *args, key=KEY: script([key], args)


# The lesson's timeline


def test_f1_a_window_opened_by_its_first_press_lets_199_in_within_a_fifth_of_a_second(r, press):
    """F1. The key's expiry is the only clock, so the test ends the window by its expiry."""
    assert press(100, 60_000)[0] == 1
    assert [press(100, 60_000)[0] for _ in range(99)] == [1] * 99
    pass_time(KEY, 60_001, client=r)
    assert not r.exists(KEY)
    assert [press(100, 60_000)[0] for _ in range(101)] == [1] * 100 + [0]


def test_f1_windows_on_the_clock_let_twice_the_limit_in_around_the_edge(press):
    """F1. The window's number stands in the key."""
    let_in = []
    for time_ms in [NOON_MS + 59_000] * 100 + [NOON_MS + 60_000] * 100:
        let_in.append(press(60, 60_000, key=f"{KEY}:{time_ms // 60_000}")[0])
    assert (sum(let_in[:100]), sum(let_in[100:])) == (60, 60)


def test_costs_8_5_1_under_a_limit_of_10_give_1_0_1(r, press):
    replies = [press(10, 60_000, cost)[:2] for cost in (8, 5, 1)]
    assert replies == [[1, 2], [0, 2], [1, 1]]
    assert r.get(KEY) == "9"


# Edges


def test_s11_exactly_the_limit_is_let_in(press):
    """S11. Limit 5, six presses; limit 1; limit 0."""
    assert [press(5, 60_000) for _ in range(5)] == [[1, left, 0] for left in (4, 3, 2, 1, 0)]
    assert press(5, 60_000)[:2] == [0, 0]
    assert [press(1, 60_000, key="one")[0] for _ in range(2)] == [1, 0]


def test_limit_0_lets_nobody_in_and_leaves_nothing_behind(r, press):
    assert press(0, 1_000) == [0, 0, -1]
    assert press(3, 1_000, 4) == [0, 3, -1]
    assert r.keys() == []


def test_a_limit_that_was_lowered_leaves_0_remaining_not_less(press):
    press(10, 60_000, 8)
    assert press(5, 60_000)[:2] == [0, 0]
    assert press(5, 60_000, 6) == [0, 0, -1]


def test_f3_a_counter_without_an_end_gets_one(r, press):
    """F3. Refused or let in, a counter without time to live is healed."""
    r.set(KEY, 150)
    assert press(100, 60_000) == [0, 0, 60_001]
    assert r.get(KEY) == "150" and 0 < r.pttl(KEY) <= 60_000
    r.set(KEY, 7)
    assert press(100, 60_000) == [1, 92, 0]
    assert 0 < r.pttl(KEY) <= 60_000
    r.set(KEY, 7)
    assert press(0, 60_000) == [0, 0, -1]
    assert 0 < r.pttl(KEY) <= 60_000


def test_f5_a_window_in_its_last_millisecond_is_not_renewed_and_the_wait_is_1(r):
    """F5. At PTTL 0 the key still stands: the wait is PTTL + 1.

    The guard lets the script through in that millisecond only; two thousand presses in one
    batch are many in each millisecond, but a busy machine may miss the one.
    """
    guard = "if redis.call('PTTL', KEYS[1]) ~= 0 then return 'other' end\n"
    sha = r.script_load(guard + script_text(NAME))
    met = []
    for _ in range(100):
        pipe = r.pipeline(transaction=False).set(KEY, 150, px=2)
        for _ in range(2_000):
            pipe.evalsha(sha, 1, KEY, 100, 60_000)
        met += [reply for reply in pipe.execute()[1:] if reply != "other"]
        assert r.pttl(KEY) <= 2
        if met:
            break
    assert met and met == [[0, 0, 1]] * len(met)


# Oracle


@many
@given(window_timelines())
def test_it_counts_as_a_dictionary_of_windows_does(r, story):
    (limit, window_ms), timeline = story
    used = 0
    for pressed, seen in zip(timeline, play(r, NAME, (limit, 60_000), timeline), strict=True):
        fits = used + pressed.cost <= limit
        used += pressed.cost * fits
        assert seen.reply[:2] == [fits, limit - used]
        if fits:
            assert seen.reply[2] == 0
        else:
            # 1 … 60,001 on a counter that has an end; -1 for what never fits.
            assert seen.reply[2] == -1 if pressed.cost > limit else 1 <= seen.reply[2] <= 60_001
        assert 0 < seen.pttl_ms <= 60_000 if used else seen.pttl_ms == -2


# Crowd


def test_fifty_connections_are_let_in_exactly_100_times(r, server):
    claims.crowd_gets_exactly(server.url, NAME, (100, 60_000), 100)


# Expiry


@pytest.mark.parametrize("window_ms", [60_000, 86_400_000, claims.EXACT])
def test_s12_the_first_press_gives_the_counter_exactly_its_window(r, press, window_ms):
    """S12. Milliseconds, not seconds; ten seconds of slack for a slow answer, none above."""
    press(5, window_ms)
    assert window_ms - 10_000 < r.pttl(KEY) <= window_ms
    pass_time(KEY, 500, client=r)
    press(5, window_ms)
    assert r.pttl(KEY) <= window_ms - 500


# Bad input


def test_bad_input_is_named_and_changes_nothing(r, press, lua):
    names = ["limit", "window_ms", "cost"]
    least = {"limit": 0, "window_ms": 1, "cost": 1}
    claims.refuses_bad_input(r, lua(NAME), names, [5, 60_000, 1], least)


def test_a_missing_argument_is_named(r, lua):
    claims.needs(r, lua(NAME), ["limit", "window_ms"], [5, 60_000])


def test_a_key_of_another_type_is_named_and_left_alone(r, lua):
    claims.refuses_wrong_type(r, lua(NAME), [5, 60_000], "counter", "string")


def test_a_counter_that_is_no_count_is_named_and_left_alone(r, lua):
    torn = ["x", "", "-5", "1.5", "1e3", str(claims.EXACT + 1)]
    claims.refuses_torn_state(r, lua(NAME), [5, 60_000], "counter", torn)


def test_the_largest_numbers_stay_exact(press):
    assert press(claims.EXACT, 60_000, claims.EXACT) == [1, 0, 0]
    assert press(claims.EXACT, 60_000)[:2] == [0, 0]
