"""Everything that can die, dies: afterwards the books balance and every buyer has one live row.

Crash points inside the process are cheap, so most kills are of that kind; real SIGKILLs, real
restarts of Redis and of the database follow. RUSH_DEEP=1 runs more of each, on three databases.
"""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from lab.server import Server
from refusals import REFUSALS, refusing
from shop import tables
from shop.books import check
from shop.connect import LOST
from shop.keys import GROUP, Keys
from shop.orders import Consumer
from shop.sale import Sale
from sqlalchemy import exc, select, text

pytest_plugins = ["databases"]
DEEP = os.environ.get("RUSH_DEEP") == "1"
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
POINTS = ("before_insert", "before_commit", "after_commit", "before_ack")
SKU = "2001"
KEYS = Keys.of(SKU)
AOF = ("--appendonly", "yes")


class Killed(BaseException):
    """The consumer dies here; nothing in it may catch this."""


def all_is_well(r, engine, sold=None):
    """The books balance, nothing is pending, one live row a buyer, nothing beyond the stock."""
    books = check(r, engine, SKU)
    assert books.balanced, str(books)
    assert books.in_flight == 0
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
    with engine.begin() as connection:
        rows = connection.execute(select(tables.orders.c.user, tables.orders.c.state)).all()
        remaining = connection.scalar(select(tables.items.c.remaining))
    live = [row.user for row in rows if row.state in tables.LIVE]
    assert set(live) == r.smembers(KEYS.users) and len(live) == len(set(live))
    assert remaining == books.initial - len(live) == int(r.get(KEYS.stock))
    assert sold is None or len(live) == sold
    return books


def queue(r, engine, stock) -> Sale:
    """A sale, sold out, not drained."""
    sale = Sale(r, SKU, engine)
    sale.open(stock)
    for i in range(stock):
        sale.buy(f"u{i:03}")
    return sale


def die_once(point):
    """A crash hook that kills at its point, the first time."""
    left = [point]

    def crash(at):
        if left and at == left[0]:
            left.clear()
            raise Killed(at)

    return crash


# Crash points


@pytest.mark.parametrize("heir", ["the same consumer", "another consumer"])
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_each_point_loses_and_doubles_nothing(r, engine, point, heir):
    """The heir by another name claims what has been idle for 1 ms; a restart finds its own."""
    queue(r, engine, 100)
    with pytest.raises(Killed):
        Consumer(r, engine, SKU, name="c1", batch=10, crash=die_once(point)).drain()
    two = 20  # the batch that it wrote, and the one that Redis was asked for meanwhile
    assert r.xpending(KEYS.orders, GROUP)["pending"] == two
    name = "c1" if heir == "the same consumer" else "c2"
    while r.xpending_range(KEYS.orders, GROUP, "-", "+", 1)[0]["time_since_delivered"] < 2:
        pass  # the server's own clock: one more millisecond
    Consumer(r, engine, SKU, name=name, batch=10, claim_idle_ms=1).drain()
    all_is_well(r, engine, sold=100)


@pytest.mark.parametrize("seed", range(200 if DEEP else 40))
def test_random_kills_cancels_and_repeats_leave_balanced_books(r, engine, seed):
    """A seeded story: presses (each perhaps twice), cancels, payments, and a consumer that dies."""
    dice = random.Random(seed)
    sale = Sale(r, SKU, engine)
    sale.open(12)

    def crash(at):
        if dice.random() < 0.12:
            raise Killed(at)

    def on_cancel(*_):
        if dice.random() < 0.1:
            raise Killed("between the row and the give-back")

    people, hurt = [f"u{i}" for i in range(18)], set()
    consumer = None
    for _ in range(60):
        user, what = dice.choice(people), dice.random()
        try:
            if what < 0.5:
                for _ in range(dice.choice((1, 2))):
                    sale.buy(user)
            elif what < 0.65:
                hurt.add(user)
                sale.cancel(user, on_cancel)
                hurt.discard(user)
            elif what < 0.7:
                sale.pay(user)
            else:
                consumer = consumer or Consumer(
                    r, engine, SKU, name=dice.choice("ab"), batch=dice.randint(1, 5), crash=crash
                )
                consumer.step()
        except Killed:
            consumer = None
    for user in hurt:  # the caller whose cancel died calls again
        sale.cancel(user)
    for name in "ab":  # both come back, each to its own pending
        Consumer(r, engine, SKU, name=name, batch=4).drain()
    all_is_well(r, engine)


def test_cancels_presses_payments_and_two_consumers_at_once_stay_exact(r, server, database):
    """Six threads on the same twelve users; whatever the interleaving, the books balance."""
    Sale(r, SKU, database.engine()).open(8)
    stop, errors = threading.Event(), []

    def guarded(work):
        try:
            with server.client() as client:
                work(client, database.engine())
        except BaseException as error:
            errors.append(error)
            stop.set()

    def people(seed):
        def work(client, engine):
            dice, sale = random.Random(seed), Sale(client, SKU, engine)
            for _ in range(120 if DEEP else 40):
                user = f"u{dice.randrange(12)}"
                dice.choice((sale.buy, sale.buy, sale.cancel, sale.pay if seed == 0 else sale.buy))(
                    user
                )

        return work

    def consumer(name):
        return lambda client, engine: Consumer(
            client, engine, SKU, name=name, batch=3, block_ms=20
        ).run(stop)

    workers = [threading.Thread(target=guarded, args=[consumer(f"c{i}")]) for i in range(2)]
    crowd = [threading.Thread(target=guarded, args=[people(seed)]) for seed in range(4)]
    for thread in workers + crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    stop.set()
    for thread in workers:
        thread.join()
    assert errors == []
    Consumer(r, database.engine(), SKU, name="c0").drain()
    all_is_well(r, database.engine())


def test_two_consumers_with_one_poisoned_entry_bury_it_once(r, engine):
    """One claims it while the other still holds it: one letter, one item back."""
    queue(r, engine, 3)
    user = "x" * 65
    r.incr(KEYS.stock), r.incr(KEYS.initial)
    r.decr(KEYS.stock), r.sadd(KEYS.users, user), r.xadd(KEYS.orders, {"user": user, "sku": SKU})
    second = Consumer(r, engine, SKU, name="second", claim_idle_ms=1)

    def meanwhile(at):
        if at == "before_ack" and not second.dead:
            while r.xpending_range(KEYS.orders, GROUP, "-", "+", 9)[-1]["time_since_delivered"] < 2:
                pass  # the server's own clock: one more millisecond
            second.drain()

    first = Consumer(r, engine, SKU, name="first", crash=meanwhile)
    first.drain()
    assert (len(second.dead), len(first.dead), r.xlen(KEYS.dead)) == (1, 0, 1)
    assert r.get(KEYS.stock) == "1"


# SIGKILL


@pytest.mark.parametrize("seed", range(20 if DEEP else 2))
def test_sigkill_in_the_middle_and_a_restart_lose_nothing(server, r, database, seed):
    engine = database.engine()
    queue(r, engine, 300)
    words = ["--redis", server.url, "--database", database.url, "--sku", SKU, "--batch", "5"]
    process = subprocess.Popen(
        [sys.executable, "-m", "shop.orders", *words, "--consumer", "c1"],
        cwd=NOTEBOOKS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wanted = random.Random(seed).randrange(1, 250)
        deadline = time.monotonic() + 60
        while delivered(r) < wanted and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.001)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 0 < delivered(r) <= 300
    Consumer(r, engine, SKU, name="c1").drain()
    all_is_well(r, engine, sold=300)


def delivered(r) -> int:
    """How many entries the group has been given."""
    with r.pipeline() as pipe:
        pipe.xinfo_groups(KEYS.orders)
        pipe.xrange(KEYS.orders)
        groups, entries = pipe.execute()
    last = groups[0]["last-delivered-id"] if groups else "0-0"
    ids = [entry_id for entry_id, _ in entries]
    return 300 - (len(ids) - ids.index(last) - 1 if last in ids else len(ids))


# Redis and the database go and come back


@pytest.mark.parametrize("end", ["kill", "restart"])
def test_redis_killed_and_restarted_with_its_file_loses_nothing(database, end):
    """An append-only file is written before each reply: what was answered is there again."""
    engine = database.engine()
    with Server(options=AOF) as server, server.client(retries=0) as r:
        sale = queue(r, engine, 60)
        batches = []

        def strike(at):
            batches.append(at)
            if len(batches) in (6, 19):
                if end == "kill":
                    server.kill()
                server.restart()

        troubles = []
        consumer = Consumer(r, engine, SKU, batch=7, crash=strike)
        consumer.run(Quick(), once=True, on_trouble=lambda error, _: troubles.append(error))
        assert len(batches) > 19
        sale.buy("late"), sale.cancel("u000"), sale.buy("late")
        consumer.drain()
        all_is_well(r, engine, sold=60)


def test_a_sale_goes_on_over_a_killed_redis_and_sells_what_there_is(database):
    """Presses while Redis dies: whoever got no answer asks again, and is told."""
    engine = database.engine()
    with Server(options=AOF) as server, server.client(retries=0) as r:
        sale = Sale(r, SKU, engine)
        sale.open(50)
        for i in range(80):
            if i in (20, 40):
                server.kill()
                with pytest.raises(LOST):
                    sale.buy(f"u{i}")
                server.restart()
            sale.buy(f"u{i}")
        Consumer(r, engine, SKU).drain()
        all_is_well(r, engine, sold=50)


class Quick(threading.Event):
    """A stop event that waits a twentieth of what is asked."""

    def wait(self, timeout=None):
        return super().wait(timeout and timeout / 20)


def test_a_lost_group_is_made_again_and_delivers_from_the_start(r, engine):
    queue(r, engine, 20)
    consumer = Consumer(r, engine, SKU, batch=5)
    consumer.step()
    r.xgroup_destroy(KEYS.orders, GROUP)
    consumer.run(Quick(), once=True)
    all_is_well(r, engine, sold=20)


@pytest.mark.parametrize("end", ["stop", "kill"] if DEEP else ["stop"])
def test_the_database_stopped_and_started_loses_nothing(r, real_database, end):
    server = real_database.server
    if not hasattr(server, "stop"):
        pytest.skip("the database server is somebody's: it is not ours to stop")
    engine = real_database.engine()
    queue(r, engine, 200)
    seen, pending = [], []

    def strike(at):
        seen.append(at)
        if seen.count("before_commit") == 4 and at == "before_commit":
            getattr(server, end)()

    def trouble(_error, _pause_s):
        pending.append(r.xpending(KEYS.orders, GROUP)["pending"])
        if len(pending) == 3:
            server.start()

    Consumer(r, engine, SKU, batch=20, crash=strike).run(Quick(), once=True, on_trouble=trouble)
    two = 40  # the batch that it wrote, and the one that Redis was asked for meanwhile
    assert len(pending) >= 3 and set(pending) == {two}, "nothing is acknowledged meanwhile"
    all_is_well(r, engine, sold=200)


# The server's own surprises


def test_a_script_flush_in_the_middle_loses_nothing(r, engine):
    sale = queue(r, engine, 20)
    consumer = Consumer(r, engine, SKU, batch=5, crash=lambda at: r.script_flush())
    for i in range(5):
        sale.cancel(f"u{i:03}")
        r.script_flush()
        sale.buy(f"v{i:03}")
        consumer.step()
    r.xadd(KEYS.orders, {"user": "no order", "sku": "another"})
    consumer.drain()
    all_is_well(r, engine, sold=20)


def test_a_full_memory_refuses_presses_clearly_and_still_drains_and_gives_back(r, engine):
    """maxmemory reached: no press is half done; acknowledging and cancelling need no memory."""
    sale = Sale(r, SKU, engine)
    sale.open(30)
    for i in range(20):
        sale.buy(f"u{i:03}")
    consumer = Consumer(r, engine, SKU, batch=6)
    consumer.step()
    try:
        r.config_set("maxmemory", 1)
        with pytest.raises(redis.exceptions.ResponseError, match="maxmemory"):
            sale.buy("u100")
        assert (r.get(KEYS.stock), r.scard(KEYS.users)) == ("10", 20)
        assert sale.cancel("u000") is True
    finally:
        r.config_set("maxmemory", 0)
    consumer.drain()
    all_is_well(r, engine, sold=19)


@pytest.mark.parametrize("code", REFUSALS)
def test_a_server_that_takes_nothing_for_a_while_is_waited_for(database, code):
    """Disk full, busy with a script, too few replicas: the consumer is there when it is over.

    It begins between the commit and the acknowledgement, whose answer is heard with the next batch.
    """
    engine, told = database.engine(), []
    with Server() as server, server.client(retries=0) as r, ExitStack() as stack:
        queue(r, engine, 10)

        def strike(at):
            if at == "before_ack" and not told:
                told.append("begun")
                stack.mend = stack.enter_context(refusing(server, code))

        def trouble(error, _pause_s):
            told.append(re.search(code, str(error))[0])
            if len(told) == 4:
                stack.mend()

        consumer = Consumer(r, engine, SKU, batch=3, crash=strike)
        consumer.run(Quick(), once=True, on_trouble=trouble)
        assert told == ["begun", *[code] * 3]
        all_is_well(r, engine, sold=10)


# What no waiting mends


@pytest.mark.parametrize(
    "spoil, said",
    [
        ("ALTER TABLE items RENAME COLUMN remaining TO rest", "no such column: "),
        ("ALTER TABLE orders RENAME COLUMN entry_id TO entry", "has no column named entry_id"),
        ("DROP TABLE orders", "no such table: orders"),
        ("PRAGMA query_only = 1", "attempt to write a readonly database"),
    ],
)
def test_a_database_of_another_shape_stops_the_consumer_and_loses_nothing(r, tmp_path, spoil, said):
    """Only SQLite calls this operational; it used to be waited for, for ever."""
    engine = tables.connect(f"sqlite:///{tmp_path / 'shop.db'}")
    queue(r, engine, 3)
    consumer = Consumer(r, engine, SKU)
    consumer.prepare()
    with engine.connect() as connection:
        connection.execute(text(spoil))
        connection.commit()
    with pytest.raises(exc.OperationalError, match=said):
        consumer.run(once=True, on_trouble=lambda error, _: pytest.fail(f"waits: {error}"))
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 3
    engine.dispose()
