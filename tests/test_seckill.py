"""lua/seckill.lua: exactly what there is, one each."""

import asyncio

import pytest
import redis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from lab.clients import open_async_client
from lab.crowd import crowd as release
from redis.exceptions import NoScriptError, ResponseError
from shop.lua import load, register

STOCK, USERS = KEYS = ("seckill:stock:{2001}", "seckill:users:{2001}")
BOUGHT, SOLD_OUT, ALREADY, NOT_ON_SALE = 1, 0, -1, -2


@pytest.fixture
def press(lua):
    """press(user) on the two keys of sale 2001."""
    script = lua("seckill")
    return lambda user, keys=KEYS: script(keys, [user])


def picture(r):
    """Everything there is, to see that nothing changed."""
    return {key: r.dump(key) for key in r.scan_iter()}


# The lesson's timeline


def test_two_items_go_to_two_users_and_the_third_comes_too_late(r, press):
    r.set(STOCK, 2)
    timeline = [("u1001", BOUGHT), ("u1001", ALREADY), ("u1002", BOUGHT), ("u1003", SOLD_OUT)]
    assert [(user, press(user)) for user, _ in timeline] == timeline
    assert r.get(STOCK) == "0"
    assert r.smembers(USERS) == {"u1001", "u1002"}


def test_a_buyer_still_hears_already_bought_when_all_is_sold(r, press):
    r.set(STOCK, 1)
    assert [press("u1"), press("u1"), press("u2")] == [BOUGHT, ALREADY, SOLD_OUT]


# Edges: what people really met


def test_stock_stops_at_nothing_and_a_restock_sells_exactly_what_came(r, press):
    """K1: ten items, a hundred buyers, then five more items."""
    r.set(STOCK, 10)
    assert sum(press(f"u{i}") == BOUGHT for i in range(100)) == 10
    assert r.get(STOCK) == "0"
    r.incrby(STOCK, 5)
    assert sum(press(f"v{i}") == BOUGHT for i in range(100)) == 5
    assert r.get(STOCK) == "0"


def test_one_user_pressing_a_hundred_times_takes_one_item(r, press):
    """K2: the duplicate is found before the stock goes."""
    r.set(STOCK, 100)
    replies = [press("u1") for _ in range(100)]
    assert replies == [BOUGHT] + [ALREADY] * 99
    assert r.get(STOCK) == "99"


def test_five_items_make_five_winners_not_six(r, press):
    """K4: stock > 0, not stock >= 0."""
    r.set(STOCK, 5)
    assert [press(f"u{i}") for i in range(10)] == [BOUGHT] * 5 + [SOLD_OUT] * 5
    assert r.get(STOCK) == "0"


def test_without_a_stock_key_nothing_is_on_sale(r, press):
    """K12: a missing key is a code of its own, not an exception."""
    assert press("u1") == NOT_ON_SALE
    assert r.dbsize() == 0


def test_a_buyer_is_remembered_when_the_stock_key_is_gone(r, press):
    r.sadd(USERS, "u1")
    assert [press("u1"), press("u2")] == [ALREADY, NOT_ON_SALE]


def test_a_sale_of_none_is_sold_out_from_the_start(r, press):
    r.set(STOCK, 0)
    assert press("u1") == SOLD_OUT
    assert r.exists(USERS) == 0


@pytest.mark.parametrize("stock", ["9", "10", str(2**53 - 1)])
def test_the_stock_counts_as_a_number_not_as_text(r, press, stock):
    """K12 and K15: "9" and "10" compare as numbers, and large counts lose no digit."""
    r.set(STOCK, stock)
    assert press("u1") == BOUGHT
    assert r.get(STOCK) == str(int(stock) - 1)


def test_users_are_told_apart_to_the_byte(r, press):
    r.set(STOCK, 10)
    users = ["ann", "Ann", "ann ", "安", "0", "-1", "a\0b"]
    assert [press(user) for user in users] == [BOUGHT] * len(users)
    assert r.scard(USERS) == len(users)


# Oracle


def model(stock, buyers, user):
    """The rule in plain Python: (code, stock) after one press; `buyers` is added to."""
    if user in buyers:
        return ALREADY, stock
    if stock is None:
        return NOT_ON_SALE, stock
    if stock == 0:
        return SOLD_OUT, stock
    buyers.add(user)
    return BOUGHT, stock - 1


@seed(2001)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stock=st.none() | st.integers(0, 4),
    presses=st.lists(st.sampled_from("abcdef"), max_size=12),
)
def test_every_sequence_of_presses_agrees_with_plain_python(r, press, stock, presses):
    r.delete(*KEYS)
    if stock is not None:
        r.set(STOCK, stock)
    left, buyers = stock, set()
    for user in presses:
        code, left = model(left, buyers, user)
        assert press(user) == code
        assert r.get(STOCK) == (None if left is None else str(left))
        assert r.smembers(USERS) == buyers


# Crowd


def crowd(server, presses, people, at_once=50):
    """Press number i is of person i % people, `at_once` in flight; the codes, counted."""

    async def play():
        async with open_async_client(server.url, max_connections=at_once) as r:
            press = register(r, "seckill")
            return await release(
                lambda i: press(keys=KEYS, args=[f"u{i % people}"]), presses, at_once
            )

    return dict(asyncio.run(play()).replies)


def test_five_thousand_presses_sell_exactly_one_hundred(r, server):
    r.set(STOCK, 100)
    assert crowd(server, 5_000, people=5_000) == {BOUGHT: 100, SOLD_OUT: 4_900}
    assert (r.get(STOCK), r.scard(USERS)) == ("0", 100)


def test_two_hundred_buyers_fifty_at_once_share_ten_items(r, server):
    """K8: where GET then SET lets more through, the script stays exact."""
    r.set(STOCK, 10)
    assert crowd(server, 200, people=200)[BOUGHT] == 10


def test_fifty_people_pressing_twenty_times_each_buy_once_each(r, server):
    r.set(STOCK, 100)
    assert crowd(server, 1_000, people=50) == {BOUGHT: 50, ALREADY: 950}
    assert r.get(STOCK) == "50"


def test_stock_and_buyers_add_up_after_every_single_call(r, press):
    r.set(STOCK, 20)
    for i in range(60):
        press(f"u{i % 35}")
        assert int(r.get(STOCK)) + r.scard(USERS) == 20


# The script and its server


def test_a_flushed_script_comes_back_by_itself(r):
    """K10: raw EVALSHA fails with NOSCRIPT, the registered script does not."""
    r.set(STOCK, 3)
    script = register(r, "seckill")
    assert script(keys=KEYS, args=["u1"]) == BOUGHT
    r.script_flush()
    assert r.script_exists(script.sha) == [False]
    with pytest.raises(NoScriptError):
        r.evalsha(script.sha, 2, *KEYS, "u2")
    assert script(keys=KEYS, args=["u2"]) == BOUGHT
    r.script_flush()
    with r.pipeline() as pipe:
        script(keys=KEYS, args=["u3"], client=pipe)
        assert pipe.execute() == [BOUGHT]


def test_the_keys_of_a_sale_share_a_slot_by_their_tag(r):
    """K11: the tag puts both keys into slot 10179; without it they lie in two."""

    def slot(key):
        return redis.crc.key_slot(key.encode())

    assert {slot(key) for key in (*KEYS, "seckill:orders:{2001}")} == {10179}
    assert slot("seckill:stock:2001") != slot("seckill:users:2001")


def test_no_global_leaks_and_the_reply_is_one_whole_number(r, press):
    """K13 and K14: real servers refuse a global, and the code comes back as an integer."""
    with pytest.raises(ResponseError, match="(readonly table|create global variable)"):
        r.eval("stock=1 return stock", 0)
    r.set(STOCK, 1)
    assert [type(press(user)) for user in ("u1", "u1", "u2")] == [int] * 3


def test_a_sale_is_three_commands_and_no_clock(r, press):
    """K16: nothing in it asks for the time, so no server refuses the writes after it."""
    r.set(STOCK, 1)
    r.config_resetstat()
    press("u1")
    assert {name.split("|")[0] for name in r.info("commandstats")} <= {
        *("cmdstat_evalsha", "cmdstat_script", "cmdstat_config"),
        *("cmdstat_get", "cmdstat_sadd", "cmdstat_decr"),
    }


# Bad input


@pytest.mark.parametrize("args", [[], [""]], ids=["missing", "empty"])
def test_a_user_without_a_name_is_refused(r, lua, args):
    r.set(STOCK, 5)
    before = picture(r)
    with pytest.raises(ResponseError, match="user must not be empty"):
        lua("seckill")(KEYS, args)
    assert picture(r) == before


@pytest.mark.parametrize(
    "stock", ["", "-5", "1.5", "many", "nan", "inf", "1e3", " 7", "007", str(2**53), "9" * 30]
)
def test_a_stock_that_is_no_whole_number_sells_nothing(r, press, stock):
    r.set(STOCK, stock)
    before = picture(r)
    with pytest.raises(ResponseError, match="stock must be a whole number"):
        press("u1")
    assert picture(r) == before


def test_a_stock_of_another_type_sells_nothing(r, press):
    r.rpush(STOCK, 5)
    before = picture(r)
    with pytest.raises(ResponseError, match="WRONGTYPE.*stock, a string"):
        press("u1")
    assert picture(r) == before


@pytest.mark.parametrize("stock", [5, 0])
def test_buyers_of_another_type_take_nothing(r, press, stock):
    r.set(STOCK, stock)
    r.rpush(USERS, "u1")
    before = picture(r)
    with pytest.raises(ResponseError, match="WRONGTYPE.*buyers, a set"):
        press("u1")
    assert picture(r) == before


def test_a_wrong_count_of_keys_changes_nothing(r):
    """K12: numkeys 1 makes the second key an argument, 3 swallows the user."""
    r.set(STOCK, 5)
    for count in (1, 3):
        with pytest.raises(ResponseError):
            r.eval(load("seckill"), count, *KEYS, "u1")
    assert (r.get(STOCK), r.dbsize()) == ("5", 1)


def test_a_full_memory_refuses_clearly_and_writes_nothing(server, r, press):
    """maxmemory reached: the first write is refused, so there is no second half."""
    r.set(STOCK, 5)
    press("u1")
    before = picture(r)
    try:
        r.config_set("maxmemory", 1)
        with pytest.raises(ResponseError, match="maxmemory"):
            press("u2")
        assert picture(r) == before
    finally:
        r.config_set("maxmemory", 0)
    assert press("u2") == BOUGHT
