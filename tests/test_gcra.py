"""lua/gcra.lua: what its one arrival time does that the bucket does not. The rest is in test_buckets.py."""

import limiter_claims as claims
import pytest
from timelines import KEY, NOON_MS

NAME = "gcra"


@pytest.fixture
def press(r, lua):
    """press(capacity, refill_count, refill_period_ms, cost, now_ms)."""
    return claims.teller(r, lua(NAME))


def test_a_clock_that_steps_back_waits_no_longer_than_the_step_on_top(press):
    """There is no last time to hold on to: what was owed then is owed from now on."""
    assert press(2, 1, 1_000, 1, NOON_MS + 60_000) == [1, 1, 0]
    assert press(2, 1, 1_000, 1, NOON_MS) == [0, 0, 60_000]
    assert press(2, 1, 1_000, 1, NOON_MS + 59_999)[0] == 0
    assert press(2, 1, 1_000, 1, NOON_MS + 60_000) == [1, 0, 0]


def test_a_lower_rate_does_not_stretch_the_part_of_a_millisecond_that_is_owed(r, press):
    press(10, 1_000_000, 999_999, 1, NOON_MS)
    assert r.get(KEY) == f"{NOON_MS} 999999"
    assert press(10, 1, 1_000, 1, NOON_MS) == [1, 9, 0]


def test_the_servers_clock_is_read_when_none_is_given(r, press):
    for args in ([], [1], [1, 0]):
        assert press(9, 1, 86_400_000, *args)[0] == 1
        days = (int(r.get(KEY).split()[0]) / 1_000 - r.time()[0]) / 86_400
        assert 0 <= days - len(args) - 1 + 0.001 < 0.002


def test_a_torn_arrival_is_named_and_left_alone(r, lua):
    torn = ["x", "", "1", "1 2 3", "1 -2", "1.5 2", " 1 2"]
    claims.refuses_torn_state(r, lua(NAME), [5, 1, 60_000], "arrival", torn)
