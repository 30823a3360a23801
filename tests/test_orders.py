"""shop.orders: the rows, the consumer, the process."""

import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis
from lab.server import Server
from shop import orders, rows, tables
from shop.books import check
from shop.connect import connect
from shop.keys import GROUP, Keys
from shop.orders import Consumer, Progress, main, parser
from shop.rows import Order
from shop.sale import Sale, SaleError
from sqlalchemy import event, exc, func, select, text

pytest_plugins = ["databases"]
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
SKU = "2001"
KEYS = Keys.of(SKU)


def open_sale(r, engine, stock, buyers=None) -> Sale:
    """A sale whose first `buyers` (all of it unless given) are queued."""
    sale = Sale(r, SKU, engine)
    sale.open(stock)
    for i in range(stock if buyers is None else buyers):
        sale.buy(f"u{i:03}")
    return sale


def count_rows(engine, **wanted) -> int:
    """How many rows there are, with these values."""
    with engine.begin() as connection:
        query = select(func.count()).select_from(tables.orders).filter_by(**wanted)
        return connection.scalar(query)


def remaining(engine) -> int:
    with engine.begin() as connection:
        return connection.scalar(select(tables.items.c.remaining))


# The lesson's timeline


def test_a_hundred_queued_orders_become_a_hundred_rows(r, engine):
    open_sale(r, engine, 100)
    consumer = Consumer(r, engine, SKU, batch=30)
    assert consumer.drain() == 100
    assert (count_rows(engine), remaining(engine)) == (100, 0)
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
    assert check(r, engine, SKU).balanced


def test_a_real_server_holds_the_whole_story(r, real_database):
    """Bought, drained, delivered again, cancelled, revived, refused: on MariaDB and PostgreSQL."""
    engine = real_database.engine()
    sale = open_sale(r, engine, 20)
    Consumer(r, engine, SKU, batch=7).drain()
    r.xgroup_setid(KEYS.orders, GROUP, "0")
    Consumer(r, engine, SKU, batch=7).drain()
    assert (count_rows(engine), remaining(engine)) == (20, 0)
    for user in ("Ann", "ann", "ann ", "安"):  # told apart to the byte
        sale.cancel(f"u{len(user):03}") or sale.cancel(f"u{ord(user[0]) % 20:03}")
        assert sale.buy(user).code == 1
    sale.cancel("u010"), sale.buy("u010"), sale.cancel("u011")
    r.sadd(KEYS.users, "a\0b"), r.decr(KEYS.stock)
    r.xadd(KEYS.orders, {"user": "a\0b", "sku": SKU})  # PostgreSQL can't hold it, MariaDB can
    Consumer(r, engine, SKU).drain()
    assert sale.status("u010") == "ordered"
    refused = real_database.kind == "postgresql"
    assert sale.status("a\0b") == ("failed" if refused else "ordered")
    assert check(r, engine, SKU).balanced


def test_batch_one_hundred_commits_once_where_batch_one_commits_a_hundred_times(r, engine):
    for batch, right in ((1, 100), (100, 1)):
        r.flushdb()
        with engine.begin() as connection:
            connection.execute(tables.orders.delete())
            connection.execute(tables.items.delete())
        open_sale(r, engine, 100)
        commits = []
        Consumer(
            r,
            engine,
            SKU,
            batch=batch,
            crash=commits.append,
        ).drain()
        assert (commits.count("after_commit"), count_rows(engine)) == (right, 100)


# Edges


def test_a_row_says_when_and_by_which_entry_in_utc(r, engine):
    entry_id = open_sale(r, engine, 1, 0).buy("u1").entry_id
    Consumer(r, engine, SKU).drain()
    with engine.begin() as connection:
        row = connection.execute(select(tables.orders)).one()
    right = datetime.fromtimestamp(int(entry_id.split("-")[0]) / 1000, UTC)
    assert (row.sku, row.user, row.entry_id, row.state) == (SKU, "u1", entry_id, "ordered")
    assert abs((row.created_at - right).total_seconds()) < 0.001  # a float's rounding
    assert row.created_at.tzinfo is UTC


def test_a_newer_id_is_newer_as_a_number_not_as_text(r, engine):
    """999-0 comes before 1000-0 though its text comes after; 5-9 before 5-10 likewise."""
    tables.open_item(engine, SKU, 10)
    for old, new in (("999-0", "1000-0"), ("2000-9", "2000-10")):
        user = f"u{new}"
        with engine.begin() as connection:
            rows.write(connection, [Order(old, user, SKU)])
        with engine.begin() as connection:
            rows.cancel(connection, SKU, user, lambda after: None)
        with engine.begin() as connection:
            rows.write(connection, [Order(old, user, SKU)])
            assert rows.read(connection, SKU, user).state == "cancelled"
            rows.write(connection, [Order(new, user, SKU)])
            assert rows.read(connection, SKU, user).state == "ordered"
    assert remaining(engine) == 8


def test_redelivery_lowers_what_is_left_only_once(r, engine):
    open_sale(r, engine, 10, 6)
    for _ in range(3):
        Consumer(r, engine, SKU, batch=4).drain()
        r.xgroup_setid(KEYS.orders, GROUP, "0")
    assert (count_rows(engine), remaining(engine)) == (6, 4)


def test_the_database_is_the_last_line_of_defence(r, engine):
    """Redis has lost a decrement and sold 7 of 5: five rows, two dead letters, none below zero."""
    open_sale(r, engine, 5)
    for user in ("lost1", "lost2"):
        r.sadd(KEYS.users, user)
        r.xadd(KEYS.orders, {"user": user, "sku": SKU})
    consumer = Consumer(r, engine, SKU)
    assert consumer.drain() == 5
    assert (count_rows(engine), remaining(engine)) == (5, 0)
    letters = {letter["user"]: letter["reason"] for _, letter in r.xrange(KEYS.dead)}
    assert letters == dict.fromkeys(
        ("lost1", "lost2"), "the database has no 1 of 2001 left to sell"
    )


def test_a_group_is_made_once_and_sees_what_was_queued_before_it(r, engine):
    open_sale(r, engine, 3)
    first, second = Consumer(r, engine, SKU, name="a"), Consumer(r, engine, SKU, name="b")
    first.prepare(), second.prepare(), first.prepare()
    assert second.drain() == 3


def test_a_consumer_needs_an_open_sale(r, engine):
    with pytest.raises(SaleError, match="not open"):
        Consumer(r, engine, SKU).drain()


@pytest.mark.parametrize(
    "wrong", [{"batch": 0}, {"batch": 10_001}, {"claim_idle_ms": 0}, {"refusals": 0}, {"name": ""}]
)
def test_a_consumer_refuses_settings_that_make_no_sense(r, engine, wrong):
    with pytest.raises(ValueError, match="batch goes from 1"):
        Consumer(r, engine, SKU, **wrong)


# Poison


def poison(engine, user):
    """The database refuses this user's rows from now on, by a trigger of its own."""
    bodies = {
        "sqlite": f"""CREATE TRIGGER poison BEFORE INSERT ON orders WHEN NEW."user" = '{user}'
            BEGIN SELECT RAISE(ABORT, 'no thanks'); END""",
        "postgresql": f"""CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN
            IF NEW."user" = '{user}' THEN RAISE EXCEPTION 'no thanks'; END IF; RETURN NEW; END
            $$ LANGUAGE plpgsql; CREATE TRIGGER poison BEFORE INSERT ON orders
            FOR EACH ROW EXECUTE FUNCTION refuse()""",
        "mariadb": f"""CREATE TRIGGER poison BEFORE INSERT ON orders FOR EACH ROW
            IF NEW.user = '{user}' THEN
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no thanks'; END IF""",
    }
    with engine.begin() as connection:
        connection.exec_driver_sql(bodies[engine.dialect.name])


def test_one_poisoned_row_goes_to_the_dead_letters_and_the_rest_flows_on(r, engine):
    sale = open_sale(r, engine, 30)
    poison(engine, "u013")
    consumer = Consumer(r, engine, SKU, batch=10)
    assert consumer.drain() == 29
    ((_, letter),) = r.xrange(KEYS.dead)
    assert (letter["user"], letter["sku"], "no thanks" in letter["reason"]) == ("u013", SKU, True)
    assert [order.user for order in consumer.dead] == ["u013"]
    assert (sale.status("u013"), r.get(KEYS.stock), count_rows(engine)) == ("failed", "1", 29)
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
    books = check(r, engine, SKU)
    assert books.balanced and books.dead == ("u013",)
    assert sale.buy("late").code == 1, "the item is on sale again"


def test_only_refusals_of_the_row_alone_are_counted(r, engine):
    """Refused with its batch, then twice alone, accepted at the third: it is written."""
    open_sale(r, engine, 5)
    tries = []

    def refuse(connection, cursor, statement, parameters, context, executemany):
        rows_ = parameters if executemany else [parameters]
        if statement.startswith("INSERT INTO orders") and any("u002" in str(p) for p in rows_):
            tries.append(len(rows_))
            if len(tries) < 5:
                raise rows.Refused("not yet")

    event.listen(engine, "before_cursor_execute", refuse)
    consumer = Consumer(r, engine, SKU, refusals=3)
    assert consumer.drain() == 5
    assert tries == [5, 5, 1, 1, 1], "as a batch, as a batch with a look, then by itself"
    assert consumer.dead == []


def test_lost_connections_and_crashes_never_count_as_refusals(r, engine):
    """Ten crashes and ten lost connections on one row: no dead letter."""
    open_sale(r, engine, 1)
    for _ in range(10):
        with pytest.raises(KeyboardInterrupt):
            Consumer(r, engine, SKU, refusals=1, crash=raise_at("before_commit")).drain()
    outage = Outage(engine, 10)
    consumer = Consumer(r, engine, SKU, refusals=1)
    assert consumer.run(NoWait(), once=True) == 1
    assert (outage.left, r.exists(KEYS.dead), count_rows(engine)) == (0, 0, 1)


def raise_at(point):
    """A crash hook that dies at one point."""

    def crash(at):
        if at == point:
            raise KeyboardInterrupt

    return crash


class NoWait(threading.Event):
    """A stop event whose waiting takes no time and is written down."""

    def __init__(self):
        super().__init__()
        self.waited = []

    def wait(self, timeout=None):
        self.waited.append(timeout)
        return self.is_set()


class Outage:
    """The next `left` inserts of an engine find the connection lost."""

    def __init__(self, engine, left):
        self.left = left
        event.listen(engine, "before_cursor_execute", self.lose)

    def lose(self, connection, cursor, statement, *_):
        if statement.startswith("INSERT INTO orders") and self.left:
            self.left -= 1
            raise exc.OperationalError(statement, {}, OSError("gone"), connection_invalidated=True)


def test_entries_that_are_no_orders_are_put_aside_with_the_reason(r, engine):
    open_sale(r, engine, 3)
    r.xadd(KEYS.orders, {"something": "else"})
    r.xadd(KEYS.orders, {"user": "u9", "sku": "another"})
    assert Consumer(r, engine, SKU).drain() == 3
    reasons = [letter["reason"] for _, letter in r.xrange(KEYS.dead)]
    assert len(reasons) == 2 and all("not an order of 2001" in reason for reason in reasons)
    assert check(r, engine, SKU).balanced


def test_a_name_too_long_for_its_column_is_refused_by_every_database(r, engine):
    open_sale(r, engine, 3, 2)
    user = "x" * 65
    r.sadd(KEYS.users, user), r.decr(KEYS.stock), r.xadd(KEYS.orders, {"user": user, "sku": SKU})
    assert Consumer(r, engine, SKU).drain() == 2
    assert check(r, engine, SKU).dead == (user,)
    assert r.get(KEYS.stock) == "1"


# The board, and the back-off


def test_the_board_hears_of_every_delivery_before_its_acknowledgement(r, engine):
    sale = open_sale(r, engine, 4, 3)
    sale.cancel("u001")
    heard = []

    def board(entry_id, user, sku, created_at):
        assert r.xpending_range(KEYS.orders, GROUP, entry_id, entry_id, 1), "acknowledged already"
        heard.append((user, sku, created_at.tzinfo))

    with pytest.raises(KeyboardInterrupt):
        Consumer(r, engine, SKU, board=board, crash=raise_at("before_ack")).drain()
    Consumer(r, engine, SKU, board=board).drain()
    assert heard == [(user, SKU, UTC) for user in ("u000", "u001", "u002")] * 2


def test_a_board_that_fails_leaves_the_batch_pending(r, engine):
    open_sale(r, engine, 2)

    def broken(*_):
        raise redis.ConnectionError("the board's Redis is away")

    with pytest.raises(redis.ConnectionError):
        Consumer(r, engine, SKU, board=broken).step()
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 2


def test_pauses_grow_to_a_bound_and_nothing_is_acknowledged_meanwhile(r, engine):
    open_sale(r, engine, 3)
    outage, stop, pending = Outage(engine, 8), NoWait(), []
    consumer = Consumer(r, engine, SKU)
    consumer.run(
        stop,
        once=True,
        on_trouble=lambda *_: pending.append(r.xpending(KEYS.orders, GROUP)["pending"]),
    )
    assert stop.waited == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]
    assert pending == [3] * 8
    assert (outage.left, count_rows(engine)) == (0, 3)


# Several at once


@pytest.mark.parametrize("many", [2, 5])
def test_consumers_side_by_side_write_each_order_once(r, server, database, many):
    engine = database.engine()
    open_sale(r, engine, 200)

    def work(name):
        with server.client() as client:
            Consumer(client, database.engine(), SKU, name=name, batch=7).drain()

    threads = [threading.Thread(target=work, args=[f"c{i}"]) for i in range(many)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert (count_rows(engine), remaining(engine)) == (200, 0)
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
    assert check(r, engine, SKU).balanced


def test_a_stop_finishes_what_was_read_on(r, engine):
    open_sale(r, engine, 10)
    stop = threading.Event()
    consumer = Consumer(r, engine, SKU, batch=3)
    consumer.run(stop, on_step=lambda count: stop.set())
    assert r.xpending(KEYS.orders, GROUP)["pending"] == 0
    assert consumer.drained == count_rows(engine) < 10


# The process


def test_the_process_drains_reports_and_stops_on_sigterm(server, r, database):
    open_sale(r, database.engine(), 50)
    words = ["--redis", server.url, "--database", database.url, "--sku", SKU, "--batch", "20"]
    process = subprocess.Popen(
        [sys.executable, "-m", "shop.orders", *words],
        cwd=NOTEBOOKS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    assert first.startswith("drained ") and "orders/s" in first
    assert (first + out).splitlines()[-1].startswith("drained 50 · lag 0 · ")
    assert check(r, database.engine(), SKU).balanced
    days = [key for key in r.keys("rank:{sales}:2*") if "W" not in key]
    assert sum(r.zscore(day, f"sku:{SKU}") or 0 for day in days) == 50


@pytest.mark.once
@pytest.mark.parametrize(
    "change, said",
    [
        ({"--redis": "redis://127.0.0.1:1"}, "Redis does not answer"),
        ({"--database": "nonsense"}, "is no database URL"),
        ({"--database": "sqlite:////no/such/folder/shop.db"}, "database does not answer"),
        ({"--sku": "2002"}, "Sale 2002 is not open"),
        ({"--batch": "0"}, "batch goes from 1"),
        ({"--zone": "Mars"}, "no time zone is called 'Mars'"),
        (
            {"--redis": "redis://127.0.0.1?nonsense=1"},
            "cannot be read .*nonsense.* write it as redis",
        ),
        (
            {"--database": "mysql://127.0.0.1/shop"},
            r"MySQLdb is not installed: write mysql\+pymysql",
        ),
        ({"--sku": "\udcff"}, "1 to 64 characters in UTF-8"),
    ],
)
def test_the_process_answers_bad_input_in_one_sentence(server, r, tmp_path, change, said):
    Sale(r, SKU).open(1)
    words = {
        "--redis": server.url,
        "--database": f"sqlite:///{tmp_path}/x.db",
        "--sku": SKU,
    } | change
    with pytest.raises(SystemExit, match=said):
        main([*(word for pair in words.items() for word in pair), "--once"])


@pytest.mark.once
@pytest.mark.parametrize("spoilt", ["items", "orders"])
def test_a_database_of_another_shape_is_one_sentence(server, r, tmp_path, monkeypatch, spoilt):
    """Found at the start, or with the first batch."""
    monkeypatch.setattr(orders.signal, "signal", lambda *_: None)  # pytest keeps its own
    url = f"sqlite:///{tmp_path}/shop.db"
    engine = tables.connect(url)
    open_sale(r, engine, 1)
    with engine.begin() as connection:
        connection.execute(text(f"ALTER TABLE {spoilt} RENAME COLUMN sku TO article"))
    engine.dispose()
    words = ["--redis", server.url, "--database", url, "--sku", SKU, "--once"]
    with pytest.raises(SystemExit) as end:
        main(words)
    said = str(end.value)
    start = {"items": "The database does not take this (", "orders": "Stopped, nothing is lost ("}
    assert said.startswith(start[spoilt]) and "\n" not in said


@pytest.mark.once
def test_a_replica_is_told_apart_and_its_primary_asked_for(r, tmp_path):
    """Readable, so the sale is found; but a group cannot be made there."""
    url = f"sqlite:///{tmp_path}/shop.db"
    engine = tables.connect(url)
    tables.open_item(engine, SKU, 1)
    engine.dispose()
    with Server(options=("--replicaof", "127.0.0.1", "1")) as replica:
        words = ["--redis", replica.url, "--database", url, "--sku", SKU]
        with pytest.raises(SystemExit, match="read-only replica: give --redis its primary"):
            main(words)


@pytest.mark.once
def test_no_sentence_shows_a_password(server, r, monkeypatch, tmp_path):
    """Neither of a URL that is none, nor of the default that --help names."""
    Sale(r, SKU).open(1)
    for url in ("mysql:user:secret@host", "mysql+pymysql://user:secret@host:port/shop"):
        with pytest.raises(SystemExit) as end:
            main(["--redis", server.url, "--database", url, "--sku", SKU])
        assert "is no database URL" in str(end.value) and "secret" not in str(end.value)
    monkeypatch.setenv("DATABASE_URL", "mysql+pymysql://user:secret@host/shop")
    assert "secret" not in parser("books", "").format_help()


@pytest.mark.once
def test_the_last_line_is_said_while_redis_is_away_too(capsys, tmp_path):
    """SIGTERM comes when it comes: the lag is unknown then, and that is no traceback."""
    engine = tables.connect(f"sqlite:///{tmp_path}/shop.db")
    with Server() as own, own.client(retries=0) as client:
        open_sale(client, engine, 3)
        consumer = Consumer(client, engine, SKU)
        consumer.drain()
        client.xgroup_destroy(KEYS.orders, GROUP)
        Progress(consumer).show()
        own.kill()
        Progress(consumer).show()
    engine.dispose()
    for line in capsys.readouterr().out.splitlines():
        assert line.startswith("drained 3 · lag unknown · ")


@pytest.mark.once
def test_a_sale_is_larger_than_an_integer_of_32_bits(r, engine):
    many_are_drained(r, engine)


def test_a_real_server_holds_more_than_an_integer_of_32_bits(r, real_database):
    many_are_drained(r, real_database.engine())


def many_are_drained(r, engine) -> None:
    """Three billion on sale, two drained, one cancelled."""
    stock = 3_000_000_000
    sale = open_sale(r, engine, stock, 2)
    assert Consumer(r, engine, SKU).drain() == 2
    sale.cancel("u001")
    assert remaining(engine) == stock - 1
    assert check(r, engine, SKU).balanced


def test_the_lag_is_counted_where_the_server_cannot_tell(r, engine):
    open_sale(r, engine, 5)
    consumer = Consumer(connect_like(r), engine, SKU, batch=2)
    consumer.step()
    assert consumer.inbox.lag() == 3
    r.xdel(KEYS.orders, r.xrange(KEYS.orders)[-1][0])
    assert consumer.inbox.lag() == 2


def connect_like(r):
    """shop.connect on the tests' server."""
    return connect(f"unix://{r.connection_pool.connection_kwargs['path']}")


def test_no_table_grows_with_deliveries(r, engine):
    open_sale(r, engine, 5)
    for _ in range(4):
        Consumer(r, engine, SKU).drain()
        r.xgroup_setid(KEYS.orders, GROUP, "0")
    with engine.begin() as connection:
        counts = [
            connection.scalar(text(f"SELECT count(*) FROM {t}")) for t in tables.metadata.tables
        ]
    assert sorted(counts) == [1, 5]
