"""lua/token_bucket.lua: what its tokens and drops do that one arrival time does not. The rest is in test_buckets.py."""

import limiter_claims as claims
import pytest
from timelines import KEY, NOON_MS

NAME = "token_bucket"


@pytest.fixture
def press(r, lua):
    """press(capacity, refill_count, refill_period_ms, cost, now_ms)."""
    return claims.teller(r, lua(NAME))


def test_a_clock_that_steps_back_adds_nothing_and_takes_nothing(press):
    assert press(2, 1, 1_000, 1, NOON_MS + 60_000) == [1, 1, 0]
    assert press(2, 1, 1_000, 1, NOON_MS) == [1, 0, 0]
    assert press(2, 1, 1_000, 1, NOON_MS) == [0, 0, 61_000]
    assert press(2, 1, 1_000, 1, NOON_MS + 60_999)[0] == 0
    assert press(2, 1, 1_000, 1, NOON_MS + 61_000) == [1, 0, 0]


def test_whole_tokens_survive_a_change_of_the_period(r, press):
    press(10, 1, 60_000, 3, NOON_MS)
    press(10, 1, 60_000, 1, NOON_MS + 59_999)
    assert r.get(KEY) == f"6 59999 {NOON_MS + 59_999}"
    assert press(10, 1, 100, 1, NOON_MS + 59_999) == [1, 5, 0]


def test_the_servers_clock_is_read_when_none_is_given(r, press):
    for args in ([], [1], [1, 0]):
        assert press(9, 1, 86_400_000, *args)[0] == 1
        at_s = int(r.get(KEY).split()[2]) / 1_000
        assert -1 < r.time()[0] - at_s < 10


def test_a_torn_bucket_is_named_and_left_alone(r, lua):
    torn = ["x", "", "1 2", "1 2 3 4", "1 -2 3", "1.5 2 3", " 1 2 3"]
    claims.refuses_torn_state(r, lua(NAME), [5, 1, 60_000], "bucket", torn)
