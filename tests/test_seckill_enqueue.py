"""lua/seckill_enqueue.lua: sold and queued in one step, or neither."""

import asyncio

import pytest
from lab.clients import open_async_client
from lab.crowd import crowd
from redis.exceptions import ResponseError
from shop.lua import register

STOCK, USERS, ORDERS = KEYS = (
    "seckill:stock:{2001}",
    "seckill:users:{2001}",
    "seckill:orders:{2001}",
)
BOUGHT, SOLD_OUT, ALREADY, NOT_ON_SALE = 1, 0, -1, -2


@pytest.fixture
def press(lua):
    """press(user) on the three keys of sale 2001: [code, entry_id]."""
    script = lua("seckill_enqueue")
    return lambda user, keys=KEYS: script(keys, [user, "2001"])


def picture(r):
    """Everything there is, to see that nothing changed."""
    return {key: r.dump(key) for key in r.scan_iter()}


# The lesson's timeline


def test_two_items_make_two_entries_and_refused_presses_make_none(r, press):
    r.set(STOCK, 2)
    replies = {user: press(user) for user in ("u1001", "u1002", "u1003")}
    assert press("u1001") == [ALREADY, ""]
    assert [code for code, _ in replies.values()] == [BOUGHT, BOUGHT, SOLD_OUT]
    assert replies["u1003"][1] == ""
    assert r.xrange(ORDERS) == [
        (replies[user][1], {"user": user, "sku": "2001"}) for user in ("u1001", "u1002")
    ]
    assert (r.get(STOCK), r.smembers(USERS)) == ("0", {"u1001", "u1002"})


# Edges


def test_what_is_not_on_sale_leaves_no_key(r, press):
    assert press("u1") == [NOT_ON_SALE, ""]
    assert r.dbsize() == 0


def test_a_buyer_is_told_so_before_sold_out_and_before_not_on_sale(r, press):
    r.sadd(USERS, "u1")
    assert press("u1") == [ALREADY, ""]
    r.set(STOCK, 0)
    assert press("u1") == [ALREADY, ""]
    assert r.exists(ORDERS) == 0


def test_no_crash_can_fall_between_the_deduction_and_the_queue(r, press):
    """K5: initial - stock = buyers = entries, after every call."""
    r.set(STOCK, 7)
    for i in range(20):
        press(f"u{i % 12}")
        assert 7 - int(r.get(STOCK)) == r.scard(USERS) == r.xlen(ORDERS)


def test_two_steps_lose_the_order_that_a_crash_falls_on(r, lua):
    """K5, the other way: deduct, crash, and the difference of two sets names who was forgotten."""
    r.set(STOCK, 3)
    for user in ("u1", "u2", "u3"):
        assert lua("seckill")((STOCK, USERS), [user]) == BOUGHT
        if user != "u2":  # its process dies here
            r.xadd(ORDERS, {"user": user, "sku": "2001"})
    queued = {fields["user"] for _, fields in r.xrange(ORDERS)}
    assert r.smembers(USERS) - queued == {"u2"}


# Crowd


def test_fifty_people_and_five_thousand_presses_queue_every_sale_once(r, server):
    """50 people, 100 presses each, 30 items: 30 entries, by 30 people."""
    r.set(STOCK, 30)

    async def play():
        async with open_async_client(server.url, max_connections=50) as client:
            script = register(client, "seckill_enqueue")
            return await crowd(lambda i: script(keys=KEYS, args=[f"u{i % 50}", "2001"]), 5_000, 50)

    replies = asyncio.run(play()).replies
    bought = {entry_id for code, entry_id in replies if code == BOUGHT}
    entries = r.xrange(ORDERS)
    assert {entry_id for entry_id, _ in entries} == bought
    assert len(bought) == 30
    assert {fields["user"] for _, fields in entries} == r.smembers(USERS)
    assert r.get(STOCK) == "0"


# Bad input


@pytest.mark.parametrize(
    "args, name",
    [([], "user"), (["", "2001"], "user"), (["u1"], "sku"), (["u1", ""], "sku")],
)
def test_a_missing_word_is_named_and_nothing_changes(r, lua, args, name):
    r.set(STOCK, 5)
    before = picture(r)
    with pytest.raises(ResponseError, match=f"{name} must not be empty"):
        lua("seckill_enqueue")(KEYS, args)
    assert picture(r) == before


@pytest.mark.parametrize("stock", ["", "-5", "1.5", "many", "007", str(2**53)])
def test_a_stock_that_is_no_whole_number_sells_nothing(r, press, stock):
    r.set(STOCK, stock)
    before = picture(r)
    with pytest.raises(ResponseError, match="stock must be a whole number"):
        press("u1")
    assert picture(r) == before


@pytest.mark.parametrize(
    "key, kind",
    [(STOCK, "stock, a string"), (USERS, "buyers, a set"), (ORDERS, "orders, a stream")],
)
def test_a_key_of_another_type_is_named_and_nothing_is_half_written(r, press, key, kind):
    r.set(STOCK, 5)
    r.delete(key)
    r.rpush(key, "not what it should be")
    before = picture(r)
    with pytest.raises(ResponseError, match=f"WRONGTYPE.*{kind}"):
        press("u1")
    assert picture(r) == before


def test_a_stream_at_its_last_id_refuses_and_nothing_is_half_written(r, press):
    r.set(STOCK, 5)
    r.xadd(ORDERS, {"user": "u0", "sku": "2001"}, id=f"{2**64 - 1}-{2**64 - 1}")
    before = picture(r)
    with pytest.raises(ResponseError, match="orders, a stream"):
        press("u1")
    assert picture(r) == before


def test_a_full_memory_refuses_clearly_and_writes_nothing(r, press):
    """maxmemory reached: no entry, no deduction, no buyer."""
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
    assert press("u2")[0] == BOUGHT
