"""Asked now, heard later: the consumer's second connection to Redis."""

import pytest
import redis
from lab.server import Server
from shop import tables
from shop.ahead import Ahead
from shop.consumer import Consumer
from shop.inbox import entries_of, raw_entries
from shop.keys import GROUP, Keys
from shop.sale import Sale

SKU = "2001"
KEYS = Keys.of(SKU)


@pytest.fixture
def engine(tmp_path):
    engine = tables.connect(f"sqlite:///{tmp_path / 'shop.db'}")
    yield engine
    engine.dispose()


def queue(r, engine, stock):
    sale = Sale(r, SKU, engine)
    sale.open(stock)
    for i in range(stock):
        sale.buy(f"u{i}")


def test_replies_come_in_the_order_of_the_questions(r):
    ahead = Ahead(r)
    assert not ahead
    for i in range(3):
        ahead.ask("RPUSH", "list", i)
    assert ahead
    assert r.llen("list") == 3, "done, though nobody has listened yet"
    assert ahead.hear() == [1, 2, 3]
    assert not ahead and ahead.hear() == []


def test_an_error_comes_when_everything_is_heard_and_the_next_question_is_answered(r):
    ahead = Ahead(r)
    ahead.ask("SET", "text", "x")
    ahead.ask("INCR", "text")
    ahead.ask("SET", "text", "y")
    with pytest.raises(redis.ResponseError, match="not an integer"):
        ahead.hear()
    assert r.get("text") in ("y", b"y")
    ahead.ask("INCR", "number")
    assert ahead.hear() == [1]


def test_giving_up_waits_for_what_was_asked_and_begins_anew(r):
    ahead = Ahead(r)
    ahead.ask("INCR", "number")
    ahead.give_up()
    assert not ahead and int(r.get("number")) == 1
    ahead.ask("INCR", "number")
    assert ahead.hear() == [2]
    ahead.give_up()


@pytest.mark.once
def test_a_server_that_dies_is_told_once_and_asked_again_when_it_is_back():
    with Server() as server, server.client(retries=0) as r:
        ahead = Ahead(r)
        ahead.ask("BLPOP", "nothing", 0)
        server.kill()
        with pytest.raises(redis.ConnectionError):
            ahead.hear()
        assert not ahead
        ahead.give_up()
        server.restart()
        ahead.ask("PING")
        assert ahead.hear() in ([True], ["PONG"], [b"PONG"])


def test_where_there_is_one_connection_only_the_consumer_does_without(r, engine):
    queue(r, engine, 25)
    pool = redis.ConnectionPool(
        connection_class=r.connection_pool.connection_class,
        max_connections=1,
        **r.connection_pool.connection_kwargs,
    )
    with redis.Redis(connection_pool=pool) as one:
        assert Ahead.of(one) is None
        assert Consumer(one, engine, SKU, batch=10).drain() == 25


@pytest.mark.parametrize("protocol", [2, 3])
def test_a_batch_asked_ahead_reads_as_any_other_deleted_entries_too(server, r, engine, protocol):
    queue(r, engine, 30)
    with server.client(protocol=protocol, decode_responses=True) as client:
        client.xgroup_create(KEYS.orders, GROUP, id="0")
        everything = entries_of(client.xreadgroup(GROUP, "a", {KEYS.orders: ">"}))
        client.xdel(KEYS.orders, everything[4][0])
        ahead = Ahead(client)
        ahead.ask("XREADGROUP", "GROUP", GROUP, "a", "STREAMS", KEYS.orders, "0")
        (again,) = ahead.hear()
        ahead.give_up()
        found = raw_entries(again)
        assert len(found) == 30
        assert not found[4][1]
        assert found[:4] + found[5:] == everything[:4] + everything[5:]
        client.xgroup_destroy(KEYS.orders, GROUP)
        assert raw_entries(None) == []
        assert Consumer(client, engine, SKU, batch=10).drain() == 29


def test_while_the_database_writes_the_next_batch_is_under_way(r, engine):
    queue(r, engine, 30)
    pending = []

    def look(at):
        if at == "before_commit":
            pending.append(r.xpending(KEYS.orders, GROUP)["pending"])

    Consumer(r, engine, SKU, batch=10, crash=look).drain()
    assert pending == [20, 20, 10]
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
