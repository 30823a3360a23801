"""lua/sliding_window_log.lua: every press that was let in is remembered with its time."""

import limiter_claims as claims
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import SlidingLog
from timelines import KEY, NOON_MS, Press, allowed, at, many, play, window_timelines

NAME = "sliding_window_log"


@pytest.fixture
def press(r, lua):
    """press(limit, window_ms, press_id, cost, now_ms)."""
    return claims.teller(r, lua(NAME))


# The lesson's timeline


def test_the_articles_dated_run_gives_1_1_1_0_and_one_entry_after_the_silence(r, press):
    start = 1_722_310_000_000
    run = [press(3, 60_000, f"req-{t}", 1, start + t) for t in (1, 450, 900, 1_200)]
    assert [reply[0] for reply in run] == [1, 1, 1, 0]
    assert run[-1] == [0, 0, 58_801]
    assert r.zcard(KEY) == 3
    assert press(3, 60_000, "req-5", 1, start + 70_000) == [1, 2, 0]
    assert r.zrange(KEY, 0, -1) == ["req-5#1"]


def test_f1_yesterdays_burst_gets_101_in_where_the_fixed_window_let_200(r):
    """F1."""
    verdicts = allowed(r, NAME, (100, 1_000), at(0) + at(900) * 99 + at(1_100) * 100)
    assert verdicts == [1] * 101 + [0] * 99


def test_a_press_exactly_one_window_old_has_left(r):
    timeline = at(1_000) * 101 + at(1_999) + at(2_000) * 101
    assert allowed(r, NAME, (100, 1_000), timeline) == [1] * 100 + [0, 0] + [1] * 100 + [0]


# Edges


def test_s1_ten_presses_in_one_millisecond_are_ten(r):
    """S1. The press id is the member, not the time."""
    assert allowed(r, NAME, (3, 1_000), at(0) * 10) == [1] * 3 + [0] * 7
    assert r.zcard(KEY) == 3


def test_s3_what_has_left_is_not_counted(r):
    """S3. Three at 0: refused at 999, let in at 1000. A slow client always gets in."""
    assert allowed(r, NAME, (3, 1_000), at(0, 0, 0, 999, 1_000)) == [1, 1, 1, 0, 1]
    assert allowed(r, NAME, (5, 5_000), at(*range(0, 60_000, 2_000))) == [1] * 30
    assert r.zcard(KEY) == 3


def test_s8_limit_1_in_ten_seconds(r):
    """S8."""
    assert allowed(r, NAME, (1, 10_000), at(0, 9_999, 10_000)) == [1, 0, 1]


def test_s9_the_log_has_no_burst_where_the_counter_has_one(r):
    """S9."""
    timeline = at(999) * 150 + at(1_998) * 150 + at(1_999) * 150
    verdicts = allowed(r, NAME, (100, 1_000), timeline)
    assert [sum(verdicts[i : i + 150]) for i in (0, 150, 300)] == [100, 0, 100]


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_s11_exactly_the_limit_is_let_in(r, limit):
    """S11."""
    assert sum(allowed(r, NAME, (limit, 1_000), at(0) * 6)) == limit


def test_limit_0_and_too_heavy_a_press_never_get_in(r, press):
    assert press(0, 1_000, "p", 1, NOON_MS) == [0, 0, -1]
    assert press(3, 1_000, "p", 4, NOON_MS) == [0, 3, -1]
    assert r.keys() == []


def test_refused_presses_are_not_recorded(r):
    """Polled every second, 2 per 4 s lets in at 0, 1, 4, 5, 8, 9."""
    verdicts = allowed(r, NAME, (2, 4_000), at(*range(0, 10_000, 1_000)))
    assert [second for second, verdict in enumerate(verdicts) if verdict] == [0, 1, 4, 5, 8, 9]


def test_each_press_let_in_sweeps_out_what_has_left(r):
    play(r, NAME, (1_000, 1_000), at(*range(100)) + at(1_099))
    assert r.zrange(KEY, 0, -1) == ["p100#1"]
    play(r, NAME, (1_000, 1_000), at(*range(100)) + at(1_050))
    assert r.zcard(KEY) == 50


def test_the_same_press_again_is_let_in_and_not_counted_again(r, press):
    assert press(3, 1_000, "a", 2, NOON_MS) == [1, 1, 0]
    assert press(3, 1_000, "b", 1, NOON_MS + 1) == [1, 0, 0]
    before = r.dump(KEY), r.zcard(KEY)
    for cost in (1, 2, 3, 4):
        assert press(3, 1_000, "a", cost, NOON_MS + 999) == [1, 0, 0]
    assert press(1, 1_000, "a", 1, NOON_MS + 2) == [1, 0, 0]
    assert (r.dump(KEY), r.zcard(KEY)) == before
    assert press(3, 1_000, "a", 3, NOON_MS + 1_000) == [0, 2, 1], "it has left: it is new again"
    assert press(3, 1_000, "a", 2, NOON_MS + 1_000) == [1, 0, 0]


def test_names_that_look_like_parts_of_others_are_others(r, press):
    ids = ("a", "a#1", "a#1#1", "#1", "#")
    assert [press(9, 1_000, name, 1, NOON_MS)[1] for name in ids] == [8, 7, 6, 5, 4]
    assert r.zcard(KEY) == 5


def test_a_heavy_press_is_many_entries_under_one_name(r, press):
    assert press(30_000, 1_000, "crate", 20_001, NOON_MS) == [1, 9_999, 0]
    assert r.zcard(KEY) == 20_001
    assert r.zscore(KEY, "crate#1") == r.zscore(KEY, "crate#20001") == NOON_MS


def test_a_clock_that_steps_back_stands_still(r, press):
    press(2, 1_000, "ahead", 1, NOON_MS + 60_000)
    assert press(2, 1_000, "behind", 1, NOON_MS) == [1, 0, 0]
    assert r.zrange(KEY, 0, -1, withscores=True) == [
        ("ahead#1", NOON_MS + 60_000),
        ("behind#1", NOON_MS + 60_000),
    ]
    assert press(2, 1_000, "c", 1, NOON_MS) == [0, 0, 61_000]
    _, behind = play(r, NAME, (2, 1_000), at(60_000, 0))
    assert 61_100 < behind.pttl_ms <= 62_000


def test_the_servers_clock_is_read_when_none_is_given(r, press):
    for args in (["a"], ["b", 1], ["c", 1, 0]):
        assert press(9, 60_000, *args)[0] == 1
    seconds, _ = r.time()
    scores = [score for _, score in r.zrange(KEY, 0, -1, withscores=True)]
    assert all(seconds * 1_000 - 10_000 < score < seconds * 1_000 + 1_000 for score in scores)


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


@many
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 700), st.integers(1, 3))))
def test_a_name_counts_once_while_it_is_inside(r, press, story):
    model, inside = SlidingLog(4, 1_000), {}
    r.delete(KEY)
    now_ms = NOON_MS
    for name, step_ms, cost in story:
        now_ms += step_ms
        if inside.get(name, 0) > now_ms - 1_000:
            expected = [1, model.remaining(now_ms), 0]
        else:
            expected = model.press(now_ms, cost)
            inside[name] = now_ms if expected[0] else 0
        assert press(4, 1_000, name, cost, now_ms) == expected


# Crowd


def test_s6_fifty_connections_are_let_in_exactly_100_times(r, server):
    """S6."""
    claims.crowd_gets_exactly(server.url, NAME, (100, 60_000), 100)
    assert r.zcard(KEY) == 100


# Expiry


@pytest.mark.parametrize("window_ms", [1, 1_000, 86_400_000, claims.EXACT])
def test_s12_the_first_press_gives_the_log_its_window_and_a_second(r, window_ms):
    """S12. 900 ms of slack for a slow answer, none above."""
    (seen,) = play(r, NAME, (1, window_ms), at(0))
    assert window_ms + 100 < seen.pttl_ms <= window_ms + 1_000


# Bad input


def test_bad_input_is_named_and_changes_nothing(r, lua):
    names = ["limit", "window_ms", "press_id", "cost", "now_ms"]
    least = {"limit": 0, "window_ms": 1, "cost": 1, "now_ms": 0}
    claims.refuses_bad_input(r, lua(NAME), names, [5, 60_000, "p", 1, NOON_MS], least)


def test_a_missing_argument_is_named(r, lua):
    claims.needs(r, lua(NAME), ["limit", "window_ms", "press_id"], [5, 60_000, "p"])


def test_a_key_of_another_type_is_named_and_left_alone(r, lua):
    claims.refuses_wrong_type(r, lua(NAME), [5, 60_000, "p"], "log", "zset")


@pytest.mark.parametrize("score", [0.5, -1, "inf", "-inf", 2**53])
def test_scores_that_are_no_times_are_named_and_left_alone(r, press, score):
    r.zadd(KEY, {"x": score})
    before = r.dump(KEY)
    with pytest.raises(claims.ResponseError, match=r"\blog\b"):
        press(5, 60_000, "p", 1, NOON_MS)
    assert (r.dump(KEY), r.pttl(KEY)) == (before, -1)


def test_the_largest_clock_stays_exact(r):
    timeline = [Press(claims.EXACT - 1), Press(claims.EXACT), Press(claims.EXACT)]
    replies = [seen.reply for seen in play(r, NAME, (2, claims.EXACT), timeline)]
    assert replies == [[1, 1, 0], [1, 0, 0], [0, 0, claims.EXACT - 1]]
