"""Streams: what people met, on this server, and what the shop's consumer makes of it."""

import pytest
import redis
from shop import tables
from shop.books import check
from shop.inbox import entries_of
from shop.keys import GROUP, Keys
from shop.orders import Consumer
from shop.sale import Sale
from sqlalchemy import func, select

pytest_plugins = ["databases"]
SKU = "2001"
KEYS = Keys.of(SKU)
STREAM = KEYS.orders


@pytest.fixture
def sale(r, engine) -> Sale:
    """Ten items, all of them queued."""
    made = Sale(r, SKU, engine)
    made.open(10)
    for i in range(10):
        made.buy(f"u{i}")
    return made


def read(r, name, from_id=">", count=None):
    """XREADGROUP as somebody else would: the entries."""
    return entries_of(r.xreadgroup(GROUP, name, {STREAM: from_id}, count=count))


def rows(engine) -> int:
    with engine.begin() as connection:
        return connection.scalar(select(func.count()).select_from(tables.orders))


def pending(r) -> int:
    return r.xpending(STREAM, GROUP)["pending"]


def is_idle(r, ms=2):
    """Wait for the server's own clock: every pending entry lies for `ms` milliseconds."""
    while any(
        e["time_since_delivered"] < ms for e in r.xpending_range(STREAM, GROUP, "-", "+", 100)
    ):
        pass


def test_what_a_dead_consumer_had_comes_only_by_claiming(r, engine, sale):
    """X1: reading `>` never brings it back; claiming does, once it has been idle long enough."""
    r.xgroup_create(STREAM, GROUP, id="0")
    read(r, "dead", count=3)
    assert len(read(r, "alive")) == 7
    assert r.xautoclaim(STREAM, GROUP, "alive", 60_000)[1] == []
    assert r.xpending_range(STREAM, GROUP, "-", "+", 10, consumername="dead").__len__() == 3
    is_idle(r)
    Consumer(r, engine, SKU, name="alive", claim_idle_ms=1).drain()
    assert (rows(engine), pending(r)) == (10, 0)


def test_making_a_group_twice_and_losing_it_are_both_survived(r, engine, sale):
    """X3: BUSYGROUP is swallowed, NOGROUP makes the group again at 0, MKSTREAM makes the key."""
    consumer = Consumer(r, engine, SKU, batch=4)
    consumer.prepare(), consumer.prepare()
    with pytest.raises(redis.ResponseError, match="BUSYGROUP"):
        r.xgroup_create(STREAM, GROUP)
    consumer.step()
    r.delete(STREAM)
    with pytest.raises(redis.ResponseError, match="requires the key to exist"):
        r.xgroup_create(STREAM, GROUP)
    with pytest.raises(redis.ResponseError, match="NOGROUP"):
        consumer.step()
    consumer.prepare()
    r.xadd(STREAM, {"user": "u9", "sku": SKU})
    assert consumer.drain() == 1


def test_a_group_at_the_end_misses_what_is_queued_already(r, engine, sale):
    """X4: `$` sees none of the ten, 0 sees all; the consumer's group is made at 0."""
    r.xgroup_create(STREAM, "at the end", id="$")
    assert entries_of(r.xreadgroup("at the end", "c", {STREAM: ">"})) == []
    assert Consumer(r, engine, SKU).drain() == 10


def test_a_small_idle_time_steals_work_in_progress(r, engine, sale):
    """X6: 0 takes what was delivered this instant, a larger one leaves it; stealing is harmless."""
    r.xgroup_create(STREAM, GROUP, id="0")
    read(r, "alive", count=5)
    assert r.xautoclaim(STREAM, GROUP, "other", 60_000)[1] == []
    assert len(r.xautoclaim(STREAM, GROUP, "other", 0)[1]) == 5
    first = r.xpending_range(STREAM, GROUP, "-", "+", 1)[0]
    assert (first["consumer"], first["times_delivered"]) == ("other", 2)
    with pytest.raises(ValueError, match="claim_idle_ms"):
        Consumer(r, engine, SKU, claim_idle_ms=0)


@pytest.mark.parametrize("whose", ["own", "another's"])
def test_deleted_entries_are_reported_and_pending_no_more(r, engine, sale, whose):
    """X7: deleted while pending. 6.2 hands out empty rows and keeps them, 7 names and drops them."""
    r.xgroup_create(STREAM, GROUP, id="0")
    gone = [entry_id for entry_id, _ in read(r, "c1", count=3)][:2]
    r.xdel(STREAM, *gone)
    assert pending(r) == 3, "deleting does not acknowledge"
    is_idle(r)
    consumer = Consumer(r, engine, SKU, name="c1" if whose == "own" else "c2", claim_idle_ms=1)
    assert consumer.drain() == 8
    assert consumer.deleted == gone
    assert (rows(engine), pending(r)) == (8, 0)
    assert [gap.user for gap in check(r, engine, SKU).gaps] == ["u0", "u1"]


def test_trimming_by_length_loses_orders_and_the_consumer_never_does_it(r, engine, sale):
    """X8: MAXLEN takes pending and undelivered entries; MINID at the oldest of both takes none."""
    consumer = Consumer(r, engine, SKU, batch=5)
    consumer.prepare()
    held = [entry_id for entry_id, _ in read(r, "slow", count=5)]
    consumer.inbox.trim()
    assert r.xlen(STREAM) == 10
    r.xack(STREAM, GROUP, *held[:2])
    r.xtrim(STREAM, minid=held[2], approximate=False)  # what trim asks for, to the entry
    consumer.inbox.trim()
    assert [e for e, _ in r.xrange(STREAM)][:3] == held[2:]
    r.xtrim(STREAM, maxlen=3, approximate=False)
    assert (r.xlen(STREAM), pending(r)) == (3, 3)
    assert len(read(r, "new")) == 3, "five were undelivered, two of those are lost"


def test_the_stream_is_trimmed_to_what_is_not_done(r, engine):
    """X9: acknowledging does not shrink it; the consumer's trim does, but for one node (100)."""
    sale = Sale(r, SKU, engine)
    sale.open(500)
    for i in range(500):
        sale.buy(f"u{i}")
    consumer = Consumer(r, engine, SKU)
    consumer.step()
    assert (r.xlen(STREAM), pending(r)) == (500, 0)
    assert r.xack(STREAM, GROUP, r.xrange(STREAM, count=1)[0][0]) == 0
    assert r.xack(STREAM, "nobody", "1-1") == 0
    consumer.drain()
    assert r.xlen(STREAM) <= 100
    assert check(r, engine, SKU).balanced


def test_a_trim_waits_for_the_slowest_consumer(r, engine):
    """X8 again, with the trim's node of 100 entries passed: what one still holds stays."""
    sale = Sale(r, SKU, engine)
    sale.open(500)
    for i in range(500):
        sale.buy(f"u{i}")
    r.xgroup_create(STREAM, GROUP, id="0")
    first = read(r, "slow", count=1)[0][0]
    Consumer(r, engine, SKU, name="fast", claim_idle_ms=60_000).drain()
    assert r.xrange(STREAM, count=1)[0][0] == first
    assert r.xlen(STREAM) == 500


def test_a_second_group_stops_the_trim(r, engine):
    """Somebody else may not have read as far."""
    sale = Sale(r, SKU, engine)
    sale.open(300)
    for i in range(300):
        sale.buy(f"u{i}")
    r.xgroup_create(STREAM, "somebody else", id="0")
    Consumer(r, engine, SKU).drain()
    assert r.xlen(STREAM) == 300
    r.xgroup_destroy(STREAM, "somebody else")
    Consumer(r, engine, SKU).drain()
    assert r.xlen(STREAM) <= 100


def test_a_recovery_lock_without_an_end_would_block_for_ever_so_there_is_none(r, engine, sale):
    """X6: redis-py's lock has no time to live unless told; the consumer leaves no key but its own."""
    assert r.lock("recovery").acquire()
    assert r.pttl("recovery") == -1
    r.delete("recovery")
    Consumer(r, engine, SKU).drain()
    assert set(r.keys()) <= set(KEYS)


def test_an_approximate_trim_keeps_a_whole_node(r):
    """X10: MAXLEN ~ 10 leaves the node of 100, = 10 leaves ten."""
    for i in range(1_000):
        r.xadd("about", {"n": i}, maxlen=10, approximate=True)
        r.xadd("exact", {"n": i}, maxlen=10, approximate=False)
    assert (r.xlen("about"), r.xlen("exact")) == (100, 10)


def test_deleting_a_consumer_would_lose_its_orders_so_nobody_does(r, engine, sale):
    """X11: DELCONSUMER drops what is pending; after a drain nothing is, and every name is there."""
    r.xgroup_create(STREAM, GROUP, id="0")
    read(r, "gone", count=1)
    assert r.xgroup_delconsumer(STREAM, GROUP, "gone") == 1
    Consumer(r, engine, SKU, name="a").drain()
    assert [gap.user for gap in check(r, engine, SKU).gaps] == ["u0"]
    Consumer(r, engine, SKU, name="b").drain()
    assert {c["name"] for c in r.xinfo_consumers(STREAM, GROUP)} >= {"a"}


@pytest.mark.parametrize("protocol", [None, 2, 3])
def test_both_protocols_drain_alike(server, engine, sale, protocol):
    """X14: a list in RESP2, a dict in RESP3, nothing as [] or {}: the same entries."""
    words = {} if protocol is None else {"protocol": protocol}
    with server.client(**words) as client:
        consumer = Consumer(client, engine, SKU, batch=3)
        consumer.prepare()
        assert [len(read(client, "x", count=2)), len(read(client, "x", "0"))] == [2, 2]
        assert consumer.drain() == 8
        assert read(client, "y") == []
        is_idle(client)
        assert Consumer(client, engine, SKU, claim_idle_ms=1).drain() == 2
        assert check(client, engine, SKU).balanced


def test_everything_delivered_again_makes_no_second_row(r, engine, sale):
    """X15: SETID 0 after the drain; ten more deliveries, ten rows."""
    assert Consumer(r, engine, SKU).drain() == 10
    r.xgroup_setid(STREAM, GROUP, "0")
    assert Consumer(r, engine, SKU).drain() == 10
    assert (rows(engine), pending(r)) == (10, 0)
    assert check(r, engine, SKU).balanced
