"""lua/seckill_cancel.lua: one item back, once, and only from a buyer."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from lab.clients import open_async_client
from lab.crowd import crowd
from redis.exceptions import ResponseError
from shop.lua import register

STOCK, USERS = KEYS = ("seckill:stock:{2001}", "seckill:users:{2001}")
GIVEN_BACK, NOTHING = 1, 0


@pytest.fixture
def cancel(lua):
    """cancel(user) on the two keys of sale 2001."""
    script = lua("seckill_cancel")
    return lambda user, keys=KEYS: script(keys, [user])


@pytest.fixture
def press(lua):
    script = lua("seckill")
    return lambda user: script(KEYS, [user])


def picture(r):
    """Everything there is, to see that nothing changed."""
    return {key: r.dump(key) for key in r.scan_iter()}


# The lesson's timeline


def test_buy_cancel_cancel_buy_again(r, press, cancel):
    r.set(STOCK, 1)
    story = [press("u1"), cancel("u1"), cancel("u1"), press("u2"), press("u1")]
    assert story == [1, GIVEN_BACK, NOTHING, 1, 0]
    assert (r.get(STOCK), r.smembers(USERS)) == ("0", {"u2"})


# Edges


def test_who_never_bought_changes_nothing(r, cancel):
    r.set(STOCK, 5)
    r.sadd(USERS, "u1")
    before = picture(r)
    assert cancel("u2") == NOTHING
    assert picture(r) == before


def test_without_a_stock_key_a_buyer_stays_a_buyer(r, cancel):
    r.sadd(USERS, "u1")
    assert cancel("u1") == NOTHING
    assert (r.smembers(USERS), r.exists(STOCK)) == ({"u1"}, 0)


def test_the_last_item_that_still_fits_comes_back(r, cancel):
    r.set(STOCK, 2**53 - 2)
    r.sadd(USERS, "u1")
    assert cancel("u1") == GIVEN_BACK
    assert r.get(STOCK) == str(2**53 - 1)


# Oracle


@seed(2001)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.booleans(), st.sampled_from("abcd")), max_size=15))
def test_every_mix_of_buying_and_cancelling_agrees_with_plain_python(r, press, cancel, steps):
    r.delete(*KEYS)
    r.set(STOCK, 2)
    buyers = set()
    for buying, user in steps:
        if buying:
            right = -1 if user in buyers else int(len(buyers) < 2)
            assert press(user) == right
            buyers |= {user} if right == 1 else set()
        else:
            assert cancel(user) == int(user in buyers)
            buyers -= {user}
        assert r.smembers(USERS) == buyers
        assert r.get(STOCK) == str(2 - len(buyers))


# Crowd


def test_a_thousand_cancels_of_ten_buyers_give_ten_items_back(r, server):
    r.set(STOCK, 0)
    r.sadd(USERS, *(f"u{i}" for i in range(10)))

    async def play():
        async with open_async_client(server.url, max_connections=50) as client:
            script = register(client, "seckill_cancel")
            return await crowd(lambda i: script(keys=KEYS, args=[f"u{i % 10}"]), 1_000, 50)

    assert dict(asyncio.run(play()).replies) == {GIVEN_BACK: 10, NOTHING: 990}
    assert (r.get(STOCK), r.exists(USERS)) == ("10", 0)


# Bad input


@pytest.mark.parametrize("args", [[], [""]], ids=["missing", "empty"])
def test_a_user_without_a_name_is_refused(r, lua, args):
    r.set(STOCK, 5)
    before = picture(r)
    with pytest.raises(ResponseError, match="user must not be empty"):
        lua("seckill_cancel")(KEYS, args)
    assert picture(r) == before


@pytest.mark.parametrize("stock", ["", "-1", "1.5", "many", "00", "007", str(2**53 - 1)])
def test_a_stock_that_cannot_take_one_more_keeps_the_buyer(r, cancel, stock):
    r.set(STOCK, stock)
    r.sadd(USERS, "u1")
    before = picture(r)
    with pytest.raises(ResponseError, match="stock must be a whole number"):
        cancel("u1")
    assert picture(r) == before


@pytest.mark.parametrize("key, kind", [(STOCK, "stock, a string"), (USERS, "buyers, a set")])
def test_a_key_of_another_type_is_named_and_nothing_is_half_written(r, cancel, key, kind):
    r.set(STOCK, 5)
    r.sadd(USERS, "u1")
    r.delete(key)
    r.rpush(key, "not what it should be")
    before = picture(r)
    with pytest.raises(ResponseError, match=f"WRONGTYPE.*{kind}"):
        cancel("u1")
    assert picture(r) == before


def test_a_full_memory_still_takes_items_back(r, cancel):
    """maxmemory reached: cancelling is allowed, and both halves happen."""
    r.set(STOCK, 5)
    r.sadd(USERS, "u1")
    try:
        r.config_set("maxmemory", 1)
        assert cancel("u1") == GIVEN_BACK
    finally:
        r.config_set("maxmemory", 0)
    assert (r.get(STOCK), r.exists(USERS)) == ("6", 0)
