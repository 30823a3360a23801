"""lua/sliding_window_ring.lua: the log's verdicts from a plain list."""

import limiter_claims as claims
import pytest
from hypothesis import given
from models import SlidingLog
from timelines import KEY, NOON_MS, Press, allowed, at, many, play, window_timelines

NAME = "sliding_window_ring"


@pytest.fixture
def press(r, lua):
    """press(limit, window_ms, cost, now_ms)."""
    return claims.teller(r, lua(NAME))


# The lesson's timeline


def test_the_articles_dated_run_gives_1_1_1_0_and_one_entry_after_the_silence(r, press):
    start = 1_722_310_000_000
    run = [press(3, 60_000, 1, start + t) for t in (1, 450, 900, 1_200)]
    assert [reply[0] for reply in run] == [1, 1, 1, 0]
    assert run[-1] == [0, 0, 58_801]
    assert r.lrange(KEY, 0, -1) == [str(start + t) for t in (900, 450, 1)]
    assert press(3, 60_000, 1, start + 70_000) == [1, 2, 0]
    assert r.lrange(KEY, 0, -1) == [str(start + 70_000)]


def test_f1_yesterdays_burst_gets_101_in_where_the_fixed_window_let_200(r):
    """F1."""
    verdicts = allowed(r, NAME, (100, 1_000), at(0) + at(900) * 99 + at(1_100) * 100)
    assert verdicts == [1] * 101 + [0] * 99


# Edges


def test_s1_ten_presses_in_one_millisecond_are_ten(r):
    """S1."""
    assert allowed(r, NAME, (3, 1_000), at(0) * 10) == [1] * 3 + [0] * 7
    assert r.llen(KEY) == 3


def test_s3_what_has_left_is_not_counted(r):
    """S3. Three at 0: refused at 999, let in at 1000. A slow client always gets in."""
    assert allowed(r, NAME, (3, 1_000), at(0, 0, 0, 999, 1_000)) == [1, 1, 1, 0, 1]
    assert allowed(r, NAME, (5, 5_000), at(*range(0, 60_000, 2_000))) == [1] * 30
    assert r.llen(KEY) == 3


def test_s8_limit_1_in_ten_seconds(r):
    """S8."""
    assert allowed(r, NAME, (1, 10_000), at(0, 9_999, 10_000)) == [1, 0, 1]


def test_s9_the_ring_has_no_burst_where_the_counter_has_one(r):
    """S9."""
    timeline = at(999) * 150 + at(1_998) * 150 + at(1_999) * 150
    verdicts = allowed(r, NAME, (100, 1_000), timeline)
    assert [sum(verdicts[i : i + 150]) for i in (0, 150, 300)] == [100, 0, 100]


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_s11_exactly_the_limit_is_let_in(r, limit):
    """S11."""
    assert sum(allowed(r, NAME, (limit, 1_000), at(0) * 6)) == limit


def test_limit_0_and_too_heavy_a_press_never_get_in(r, press):
    assert press(0, 1_000, 1, NOON_MS) == [0, 0, -1]
    assert press(3, 1_000, 4, NOON_MS) == [0, 3, -1]
    assert r.keys() == []


@pytest.mark.parametrize("gone", range(41))
def test_however_many_have_left_exactly_those_are_swept_out(r, gone):
    """The search for the oldest still inside: every number of leavers from none to all."""
    timeline = at(*range(40)) + at(999 + gone)
    assert play(r, NAME, (50, 1_000), timeline)[-1].reply == [1, 50 - (40 - gone) - 1, 0]
    assert r.llen(KEY) == 40 - gone + 1


def test_a_lowered_limit_shortens_the_list(r, press):
    play(r, NAME, (100, 1_000), at(*range(100)))
    assert press(10, 1_000, 1, NOON_MS + 1_000) == [0, 0, 90]
    assert r.llen(KEY) == 100, "a refused press writes nothing"
    assert press(10, 1_000, 1, NOON_MS + 1_090) == [1, 0, 0]
    assert r.llen(KEY) == 10


def test_a_hundred_thousand_leavers_cost_few_commands(r, press):
    """2 × log2(100,000) questions and one trim at most, not one command for each leaver."""
    press(100_000, 1_000, 100_000, NOON_MS)
    r.config_resetstat()
    assert press(100_000, 1_000, 1, NOON_MS + 1_000) == [1, 99_999, 0]
    calls = {name: stat["calls"] for name, stat in r.info("commandstats").items()}
    assert calls["cmdstat_lindex"] <= 2 * 17 + 2
    assert calls["cmdstat_ltrim"] == 1
    assert r.llen(KEY) == 1


def test_a_clock_that_steps_back_stands_still(r, press):
    press(2, 1_000, 1, NOON_MS + 60_000)
    assert press(2, 1_000, 1, NOON_MS) == [1, 0, 0]
    assert r.lrange(KEY, 0, -1) == [str(NOON_MS + 60_000)] * 2
    assert press(2, 1_000, 1, NOON_MS) == [0, 0, 61_000]
    _, behind = play(r, NAME, (2, 1_000), at(60_000, 0))
    assert 61_100 < behind.pttl_ms <= 62_000


def test_the_servers_clock_is_read_when_none_is_given(r, press):
    for args in ([], [1], [1, 0]):
        assert press(9, 60_000, *args)[0] == 1
    seconds, _ = r.time()
    times = [int(entry) for entry in r.lrange(KEY, 0, -1)]
    assert all(seconds * 1_000 - 10_000 < time < seconds * 1_000 + 1_000 for time in times)


def test_the_wait_is_true_and_the_remaining_exact(r):
    assert claims.waits_truly(r, NAME, (3, 1_000), at(0, 10, 500, 700)) == 300
    assert claims.waits_truly(r, NAME, (3, 1_000), at(0, 10, 500, 700), cost=2) == 310
    assert claims.waits_truly(r, NAME, (3, 1_000), at(0, 10, 500, 700), cost=3) == 800
    assert claims.remaining_is_exact(r, NAME, (5, 1_000), at(0, 10, 500, 1_005)) == 2


# Oracle


@many
@given(window_timelines())
def test_it_answers_as_the_model_does(r, story):
    rule, timeline = story
    claims.follows(r, NAME, rule, SlidingLog(*rule), timeline)


# Crowd


def test_s6_fifty_connections_are_let_in_exactly_100_times(r, server):
    """S6."""
    claims.crowd_gets_exactly(server.url, NAME, (100, 60_000), 100)
    assert r.llen(KEY) == 100


# Expiry


@pytest.mark.parametrize("window_ms", [1, 1_000, 86_400_000, claims.EXACT])
def test_s12_the_first_press_gives_the_ring_its_window_and_a_second(r, window_ms):
    """S12. 900 ms of slack for a slow answer, none above."""
    (seen,) = play(r, NAME, (1, window_ms), at(0))
    assert window_ms + 100 < seen.pttl_ms <= window_ms + 1_000


# Bad input


def test_bad_input_is_named_and_changes_nothing(r, lua):
    names = ["limit", "window_ms", "cost", "now_ms"]
    least = {"limit": 0, "window_ms": 1, "cost": 1, "now_ms": 0}
    claims.refuses_bad_input(r, lua(NAME), names, [5, 60_000, 1, NOON_MS], least)


def test_a_missing_argument_is_named(r, lua):
    claims.needs(r, lua(NAME), ["limit", "window_ms"], [5, 60_000])


def test_a_key_of_another_type_is_named_and_left_alone(r, lua):
    claims.refuses_wrong_type(r, lua(NAME), [5, 60_000], "ring", "list")


@pytest.mark.parametrize("entry", ["x", "", "-1", "0.5", "inf", str(2**53)])
def test_entries_that_are_no_times_are_named_and_left_alone(r, press, entry):
    r.rpush(KEY, entry)
    before = r.dump(KEY)
    with pytest.raises(claims.ResponseError, match=r"\bring\b"):
        press(5, 60_000, 1, NOON_MS)
    assert (r.dump(KEY), r.pttl(KEY)) == (before, -1)


def test_the_largest_clock_stays_exact(r):
    timeline = [Press(claims.EXACT - 1), Press(claims.EXACT), Press(claims.EXACT)]
    replies = [seen.reply for seen in play(r, NAME, (2, claims.EXACT), timeline)]
    assert replies == [[1, 1, 0], [1, 0, 0], [0, 0, claims.EXACT - 1]]
