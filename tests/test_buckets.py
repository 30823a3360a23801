"""What token_bucket and gcra promise alike: a bucket that drips, and no part of a token is lost."""

import limiter_claims as claims
import pytest
from hypothesis import given
from models import Gcra, TokenBucket
from timelines import KEY, NOON_MS, Press, allowed, at, bucket_timelines, many, play

MINUTE_MS = 60_000
MODELS = {"token_bucket": TokenBucket, "gcra": Gcra}
KEYS = {"token_bucket": "bucket", "gcra": "arrival"}  # what each calls its key


@pytest.fixture(params=MODELS)
def name(request):
    """The script's name: every test here is run on both."""
    return request.param


@pytest.fixture
def press(r, lua, name):
    """press(capacity, refill_count, refill_period_ms, cost, now_ms)."""
    return claims.teller(r, lua(name))


# The lesson's timeline


def test_300_at_once_then_100_a_second(r, name):
    """Capacity + rate × one closed second: 400; at 1000 ms itself comes the last."""
    verdicts = allowed(r, name, (300, 100, 1_000), at(0) * 400 + at(*range(1, 1_001)))
    assert sum(verdicts[:400]) == 300
    assert sum(verdicts) == 400
    assert sum(verdicts[:-1]) == 399


def test_fractions_carry(r, name):
    """10 a second, drained, asked every 50 ms for ten seconds: 100, not 0 and not 200."""
    verdicts = allowed(r, name, (10, 10, 1_000), at(0) * 10 + at(*range(50, 10_001, 50)))
    assert (sum(verdicts[:10]), sum(verdicts[10:])) == (10, 100)


# Edges


def test_b2_tokens_come_back_evenly_not_at_the_minute(r, name):
    """B2."""
    verdicts = allowed(r, name, (2, 2, MINUTE_MS), at(0, 0, 0, 29_999, 30_000, 60_000, 60_000))
    assert verdicts == [1, 1, 0, 0, 1, 1, 0]
    assert allowed(r, name, (2, 120, MINUTE_MS), at(0) * 3) == [1, 1, 0]


def test_b5_the_wait_counts_down_from_what_is_missing(r, name):
    """B5."""
    assert play(r, name, (2, 2, MINUTE_MS), at(0, 0, 0))[-1].reply == [0, 0, 30_000]
    drained = at(0) * 5 + at(59_000)
    assert play(r, name, (5, 5, 5 * MINUTE_MS), drained)[-1].reply == [0, 0, 1_000]
    first, second = play(r, name, (1, 1, 10_000), at(0, 200))
    assert (first.reply, second.reply) == ([1, 0, 0], [0, 0, 9_800])


def test_b6_a_press_that_never_fits_takes_nothing(r, press):
    """B6. So do costs of 0 and less: they are bad input, no way to mint tokens."""
    assert press(300, 100, 1_000, 301, NOON_MS) == [0, 300, -1]
    assert r.keys() == []
    assert press(300, 100, 1_000, 1, NOON_MS) == [1, 299, 0]
    before = r.get(KEY)
    assert press(300, 100, 1_000, 301, NOON_MS) == [0, 299, -1]
    for cost in (0, -5):
        with pytest.raises(claims.ResponseError, match="cost must be a whole number from 1"):
            press(300, 100, 1_000, cost, NOON_MS)
    assert r.get(KEY) == before


def test_b9_no_part_of_an_interval_is_lost(r, name):
    """B9."""
    verdicts = allowed(r, name, (5, 1, 10_000), at(0) * 6 + at(19_000, 20_000))
    assert verdicts == [1] * 5 + [0, 1, 1]


@pytest.mark.parametrize("capacity", [0, 1, 5])
def test_s11_exactly_the_capacity_is_let_in_at_once(r, name, capacity):
    """S11."""
    assert sum(allowed(r, name, (capacity, 5, 1_000), at(0) * 6)) == capacity


def test_capacity_0_never_lets_anybody_in(r, press):
    assert press(0, 1, 1_000, 1, NOON_MS) == [0, 0, -1]
    assert r.keys() == []


def test_five_from_an_empty_bucket_at_ten_a_second_wait_half_a_second(r, name):
    assert claims.waits_truly(r, name, (10, 10, 1_000), at(0) * 11, cost=5) == 500


def test_the_wait_is_true_and_the_remaining_exact(r, name):
    assert claims.waits_truly(r, name, (3, 3, 1_000), at(0, 0, 0, 100)) == 234
    assert claims.waits_truly(r, name, (3, 7, 1_000), at(0, 0, 0, 100), cost=3) == 329
    assert claims.waits_truly(r, name, (3, 5_015, 1), at(0, 0), cost=3) == 1
    assert claims.remaining_is_exact(r, name, (5, 3, 1_000), at(0, 0, 0, 0, 999)) == 2


# Oracle


@many
@given(bucket_timelines())
def test_it_answers_as_the_model_does(r, name, story):
    rule, timeline = story
    claims.follows(r, name, rule, MODELS[name](*rule), timeline)


# Crowd


def test_fifty_connections_are_let_in_exactly_100_times(r, name, server):
    claims.crowd_gets_exactly(server.url, name, (100, 1, 86_400_000), 100)


# Expiry


@pytest.mark.parametrize(
    "rule, full_in_ms",
    [
        ((10, 100, 1_000), 10),
        ((1, 1_000_003, 1), 1),
        ((300, 100, 1_000), 10),
        ((1, 1, 86_400_000), 86_400_000),
        ((1, 1, claims.EXACT), claims.EXACT),
        ((claims.EXACT, claims.EXACT, 1), 1),
    ],
)
def test_s12_the_key_is_kept_until_the_bucket_is_full_and_a_second(r, name, rule, full_in_ms):
    """S12. Rounded up, never 0; 900 ms of slack for a slow answer, none above."""
    (seen,) = play(r, name, rule, at(0))
    assert full_in_ms + 100 < seen.pttl_ms <= full_in_ms + 1_000


def test_s12_its_life_is_rounded_up_to_whole_milliseconds(r, name):
    """S12. A token in 1,000 / 7 ms: 143, not 142. A tick between two commands costs one at times,
    hence the longest of many."""
    lives_ms = (play(r, name, (3, 7, 1_000), at(0))[0].pttl_ms for _ in range(200))
    assert 1_143 in lives_ms


def test_a_fast_bucket_is_not_forgotten_after_each_press(r, name):
    """Capacity 10 at 100 a second: a life that is cut to whole seconds would let all in."""
    assert sum(allowed(r, name, (10, 100, 1_000), at(0) * 500)) == 10


# Bad input


def test_bad_input_is_named_and_changes_nothing(r, name, lua):
    names = ["capacity", "refill_count", "refill_period_ms", "cost", "now_ms"]
    least = dict.fromkeys(names, 1) | {"capacity": 0, "now_ms": 0}
    claims.refuses_bad_input(r, lua(name), names, [5, 1, 60_000, 1, NOON_MS], least)


def test_a_missing_argument_is_named(r, name, lua):
    names = ["capacity", "refill_count", "refill_period_ms"]
    claims.needs(r, lua(name), names, [5, 1, 60_000])


def test_a_product_that_would_not_be_exact_is_refused(r, press):
    press(2**32, 1, 2**20, 1, NOON_MS)
    before = r.get(KEY)
    with pytest.raises(claims.ResponseError, match="capacity x refill_period_ms must be at most"):
        press(2**32 + 1, 1, 2**20, 1, NOON_MS)
    assert r.get(KEY) == before


def test_a_key_of_another_type_is_named_and_left_alone(r, name, lua):
    claims.refuses_wrong_type(r, lua(name), [5, 1, 60_000], KEYS[name], "string")


def test_the_largest_numbers_stay_exact(r, name):
    """capacity × period is 2^52 and the clock is as late as can be: no drop is lost."""
    rule, late_ms = (2**32, 5_015, 2**20), claims.EXACT - 2**20
    timeline = [Press(late_ms, 2**32 - 1)] + [Press(late_ms + t) for t in (0, 0, 208, 209, 210)]
    claims.follows(r, name, rule, MODELS[name](*rule), timeline)
