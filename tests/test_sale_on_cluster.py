"""The sale on a real cluster: whole, and while its keys move from one master to another."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import lab
import pytest
from redis.crc import key_slot
from shop import books, consumer, sale, tables
from shop.keys import Keys
from sqlalchemy import text

SKU, STOCK = "2001", 100
KEYS = Keys.of(SKU)


@pytest.fixture(scope="module")
def chest():
    with lab.cluster(masters=3) as cluster:
        yield cluster


@pytest.fixture
def client(chest):
    with chest.client(retries=0) as client:
        client.delete(*KEYS)
        yield client


@pytest.fixture
def db(tmp_path):
    engine = tables.connect(f"sqlite:///{tmp_path}/shop.db")
    yield engine
    engine.dispose()


def move_slot(chest, key: str) -> None:
    """Reshard as redis-cli --cluster does: the slot of `key`, key by key, to another master."""
    slot, old = key_slot(key.encode()), chest.master_of(key)
    new = next(node for node in chest.nodes if node is not old)
    with old.client() as source, new.client() as target:
        of_source, of_target = source.cluster("MYID"), target.cluster("MYID")
        target.cluster("SETSLOT", slot, "IMPORTING", of_source)
        source.cluster("SETSLOT", slot, "MIGRATING", of_target)
        while names := source.cluster("GETKEYSINSLOT", slot, 1):
            source.migrate("127.0.0.1", new.port, names, 0, 5_000)
    for node in (new, old, *chest.nodes):
        with node.client() as r:
            r.cluster("SETSLOT", slot, "NODE", of_target)
    assert chest.master_of(key) is new


def test_from_the_opening_to_the_books(client, db):
    """Cancelled, refused by the database, queued: all that touches several keys at once."""
    shop = sale.Sale(client, SKU, db)
    assert shop.open(STOCK) and not shop.open(STOCK)
    codes = [shop.buy(f"u{i}").code for i in range(150)]
    assert (codes.count(1), codes.count(0)) == (100, 50)
    worker = consumer.Consumer(client, db, SKU)
    assert worker.drain() == 100
    assert shop.cancel("u3") and not shop.cancel("u3")
    with db.begin() as connection:
        connection.execute(text("UPDATE items SET remaining = 0"))
    assert shop.buy("late").code == 1
    worker.drain()
    assert [order.user for order in worker.dead] == ["late"]
    assert (shop.status("u3"), shop.status("late")) == ("cancelled", "failed")
    with db.begin() as connection:
        connection.execute(text("UPDATE items SET remaining = 1"))
    assert shop.buy("last").code == 1
    found = books.check(client, db, SKU)
    assert found.balanced, str(found)
    assert (found.ordered, found.in_flight, found.stock) == (99, 1, 0)
    assert (found.cancelled, found.dead) == (("u3",), ("late",))


def test_resharding_while_selling(chest, client, db):
    """Five times in one sale the slot moves under buyers and consumer: none sold twice, none lost."""
    stock, moves = 600, 5
    sale.Sale(client, SKU).open(stock)
    over = threading.Event()
    sold: list[str] = []

    def press(n: int) -> None:
        with chest.client(retries=0) as own:
            shop, i = sale.Sale(own, SKU), 0
            while (bought := shop.buy(f"b{n}-{i}")).code == 1:
                sold.append(f"b{n}-{i}")
                i += 1
            assert bought.code == 0

    def drain() -> None:
        with chest.client(retries=0) as own:
            consumer.Consumer(own, db, SKU, batch=7, block_ms=20).run(over)

    with ThreadPoolExecutor(5) as pool:
        buyers, worker = [pool.submit(press, n) for n in range(4)], pool.submit(drain)
        try:
            for k in range(moves):
                while len(sold) < (k + 0.5) * stock / moves:
                    assert not any(job.done() for job in buyers), "sold out before the move"
                    time.sleep(0.001)
                move_slot(chest, KEYS.stock)
            for job in buyers:
                job.result(60)
        finally:
            over.set()
        worker.result(60)
    consumer.Consumer(client, db, SKU).drain()
    assert len(sold) == len(set(sold)) == stock
    found = books.check(client, db, SKU)
    assert found.balanced, str(found)
    assert (found.ordered, found.stock) == (stock, 0)
