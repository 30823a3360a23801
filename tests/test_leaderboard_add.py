"""lua/leaderboard_add.lua: a day and its week, each event once."""

import asyncio
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from lab.clients import open_async_client
from redis.exceptions import ResponseError
from shop.lua import register

DAY, WEEK, COUNTED = KEYS = (
    "rank:{sales}:20260730",
    "rank:{sales}:2026-W31",
    "rank:{sales}:counted:20260730",
)
DAY_TTL_S, WEEK_TTL_S = 1_000, 3_000
EXACT = 2**53 - 1  # the largest whole number whose neighbours are still told apart


@pytest.fixture
def add(lua):
    """add(member, points, event_id) on the three keys, with their lives."""
    script = lua("leaderboard_add")

    def call(member, points, event_id, keys=KEYS, lives=(DAY_TTL_S, WEEK_TTL_S)):
        return script(keys, [member, points, event_id, *lives])

    return call


def picture(r):
    """Everything there is, to see that nothing changed."""
    return {key: r.dump(key) for key in r.scan_iter()}


# The lesson's timeline


def test_the_lessons_four_sales_give_its_scores_and_ranks(r, add):
    timeline = [
        ("sku:2001", 3, "1-1", [3, 1]),
        ("sku:2002", 5, "1-2", [5, 1]),
        ("sku:2003", 1, "1-3", [1, 3]),
        ("sku:2001", 4, "1-4", [7, 1]),
        ("sku:2001", 4, "1-4", [7, 1]),  # the same event again
        ("sku:2001", -4, "1-4:cancelled", [3, 2]),
    ]
    for member, points, event_id, reply in timeline:
        assert add(member, points, event_id) == reply
    board = [("sku:2002", 5.0), ("sku:2001", 3.0), ("sku:2003", 1.0)]
    assert r.zrevrange(DAY, 0, -1, withscores=True) == board
    assert r.zrevrange(WEEK, 0, -1, withscores=True) == board


def test_the_week_gathers_what_two_days_hold_apart(r, add):
    add("sku:2001", 3, "a")
    friday = ("rank:{sales}:20260731", WEEK, "rank:{sales}:counted:20260731")
    assert add("sku:2001", 4, "b", keys=friday) == [4, 1]
    assert (r.zscore(DAY, "sku:2001"), r.zscore(WEEK, "sku:2001")) == (3, 7)


# Edges


def test_equal_points_share_a_rank_and_the_next_is_third(add):
    """L2: a = b = 100, c = 90: ranks 1, 1, 3."""
    ranks = [add(member, points, member)[1] for member, points in [("a", 100), ("b", 100)]]
    assert [*ranks, add("c", 90, "c")[1]] == [1, 1, 3]


def test_a_score_of_zero_has_a_rank_like_any_other(add):
    """L2: two members at zero are both first."""
    assert [add("1", 0, "x"), add("2", 0, "y")] == [[0, 1], [0, 1]]


def test_points_taken_off_may_lead_below_zero(add):
    assert add("a", -5, "x") == [-5, 1]
    assert add("b", 0, "y") == [0, 1]
    assert add("a", -5, "x") == [-5, 2]


def test_there_is_one_zero_only(r, add):
    assert add("a", "-0", "x") == [0, 1]
    assert str(r.zscore(DAY, "a")) == str(r.zscore(WEEK, "a")) == "0.0"


def test_an_event_seen_before_writes_nothing_even_with_other_points(r, add):
    add("a", 3, "x")
    before = picture(r)
    assert add("a", 1_000, "x") == [3, 1]
    assert add("b", 1_000, "x") == [0, 0]  # not on the board
    assert picture(r) == before


def test_sums_are_exact_up_to_the_last_whole_number_and_an_error_beyond(r, add):
    """L5: 9007199254740993 would be stored as ...992; here it is refused."""
    assert add("a", EXACT - 1, "x") == [EXACT - 1, 1]
    assert add("a", 1, "y") == [EXACT, 1]
    before = picture(r)
    for points in (1, EXACT):
        with pytest.raises(ResponseError, match="day score would leave the whole numbers"):
            add("a", points, "z")
    with pytest.raises(ResponseError, match="points must be a whole number"):
        add("b", 9007199254740993, "z")
    assert picture(r) == before
    assert add("b", -EXACT, "w") == [-EXACT, 2]
    with pytest.raises(ResponseError, match="day score would leave the whole numbers"):
        add("b", -1, "v")


def test_a_week_that_would_leave_the_whole_numbers_keeps_the_day_unchanged(r, add):
    r.zadd(WEEK, {"a": EXACT})
    before = picture(r)
    with pytest.raises(ResponseError, match="week score would leave the whole numbers"):
        add("a", 1, "x")
    assert picture(r) == before


def test_scores_in_exponent_notation_are_read_as_the_numbers_they_are(r, add):
    """L5: 10^15 is stored and answered to the unit, however the server prints it."""
    r.zadd(DAY, {"a": 10**15})
    r.zadd(WEEK, {"a": 10**15})
    assert add("a", 1, "x") == [10**15 + 1, 1]


# Oracle

EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.one_of(st.integers(-3, 3), st.integers(-EXACT, EXACT)),
        st.integers(0, 30),  # few names, so that many events come twice
    ),
    max_size=60,
)


class Recount:
    """The board in plain Python: a dict of sums, a set of names."""

    def __init__(self):
        self.scores, self.seen = defaultdict(int), set()

    def add(self, member, points, event_id):
        if event_id not in self.seen:
            if abs(self.scores.get(member, 0) + points) > EXACT:
                return "refused"
            self.seen.add(event_id)
            self.scores[member] += points
        elif member not in self.scores:
            return [0, 0]
        mine = self.scores[member]
        return [mine, 1 + sum(score > mine for score in self.scores.values())]


@seed(20260730)
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(EVENTS)
def test_every_reply_is_what_a_recount_in_python_says(r, add, events):
    r.flushdb()
    recount = Recount()
    for member, points, event_id in events:
        try:
            reply = add(member, points, event_id)
        except ResponseError:
            reply = "refused"
        assert reply == recount.add(member, points, event_id)
    assert dict(r.zrange(DAY, 0, -1, withscores=True)) == recount.scores
    assert dict(r.zrange(WEEK, 0, -1, withscores=True)) == recount.scores
    assert r.smembers(COUNTED) == {str(name) for name in recount.seen}


# Crowd


def test_fifty_connections_that_deliver_each_event_three_times_count_it_once(server, r):
    async def deliver():
        async with open_async_client(server.url, max_connections=50) as client:
            script = register(client, "leaderboard_add")
            calls = (
                [f"sku:{i % 400 % 7}", 1, i % 400, DAY_TTL_S, WEEK_TTL_S] for i in range(1_200)
            )
            await asyncio.gather(*(script(keys=KEYS, args=args) for args in calls))

    asyncio.run(deliver())
    assert sum(score for _, score in r.zrange(DAY, 0, -1, withscores=True)) == 400
    assert r.zrange(DAY, 0, -1, withscores=True) == r.zrange(WEEK, 0, -1, withscores=True)
    assert r.scard(COUNTED) == 400


# Expiry


def test_each_key_gets_its_life_once_and_the_memory_the_longest(r, add):
    add("a", 1, "x")
    lives = {DAY: DAY_TTL_S, WEEK: WEEK_TTL_S, COUNTED: WEEK_TTL_S}
    for key, ttl_s in lives.items():
        assert ttl_s - 100 < r.ttl(key) <= ttl_s  # 100 s: no stall of a test machine is longer
        r.expire(key, ttl_s - 500)
    add("a", 1, "y")
    assert all(r.ttl(key) <= ttl_s - 500 for key, ttl_s in lives.items()), "a life was renewed"
    add("b", 1, "z", keys=("{t}d", "{t}w", "{t}c"), lives=(50, 5))
    assert r.ttl("{t}w") <= 5 < 40 < r.ttl("{t}c"), "the memory outlives the longer board"


def test_a_board_that_lost_its_life_is_given_one(r, add):
    """L10: a store over the board drops its life; the next event brings it back."""
    add("a", 1, "x")
    r.zunionstore(WEEK, [DAY])
    assert r.ttl(WEEK) == -1
    add("a", 1, "y")
    assert 0 < r.ttl(WEEK) <= WEEK_TTL_S


def test_the_longest_life_that_is_allowed_is_one_that_redis_takes(r, add):
    assert add("a", 1, "x", lives=(EXACT, EXACT)) == [1, 1]
    assert r.ttl(DAY) > 0


# Bad input

NO_COUNT = ["", "x", "1.5", "nan", "inf", "-inf", "1e3", " 1", "+1", "0x10", 2**53]


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("member", [""]),
        ("points", [*NO_COUNT, -(2**53)]),
        ("event_id", [""]),
        ("day_ttl_s", [*NO_COUNT, 0, -1]),
        ("week_ttl_s", [*NO_COUNT, 0, -1]),
    ],
)
def test_a_bad_argument_is_named_and_nothing_changes(r, lua, argument, values):
    script = lua("leaderboard_add")
    good = {"member": "a", "points": 1, "event_id": "x", "day_ttl_s": 10, "week_ttl_s": 10}
    script(KEYS, good.values())
    before = picture(r)
    for value in values:
        with pytest.raises(ResponseError, match=f"^{argument} must"):
            script(KEYS, {**good, "event_id": "new", argument: value}.values())
    with pytest.raises(ResponseError, match=f"^{argument} must"):
        script(KEYS, list(good.values())[: list(good).index(argument)])  # left out
    assert picture(r) == before


@pytest.mark.parametrize(("place", "name"), [(0, "day"), (1, "week"), (2, "counted")])
def test_a_key_of_another_type_is_named_and_nothing_changes(r, add, place, name):
    r.set(KEYS[place], "7")
    before = picture(r)
    with pytest.raises(ResponseError, match=f"WRONGTYPE .*: {name} must be a"):
        add("a", 1, "x")
    assert picture(r) == before


@pytest.mark.parametrize("stored", [1.5, float("inf"), 2**53, -(2**53)])
def test_a_stored_score_that_is_no_exact_whole_number_is_refused(r, add, stored):
    r.zadd(DAY, {"a": stored})
    before = picture(r)
    for points in (1, -1):
        with pytest.raises(ResponseError, match="day score would leave the whole numbers"):
            add("a", points, "x")
    assert picture(r) == before
