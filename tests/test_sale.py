"""shop.sale: opening, buying, cancelling, paying, asking; and replies that get lost."""

import pytest
import redis
from lab.server import Server
from shop import tables
from shop.books import check
from shop.connect import without_retries
from shop.keys import Keys, position
from shop.lua import load, register
from shop.orders import Consumer
from shop.sale import ALREADY, BOUGHT, NOT_ON_SALE, SOLD_OUT, Bought, Sale, SaleError, main

pytest_plugins = ["databases"]
SKU = "2001"
KEYS = Keys.of(SKU)


@pytest.fixture
def sale(r, engine) -> Sale:
    """Sale 2001 with three items, not drained."""
    made = Sale(r, SKU, engine)
    made.open(3)
    return made


# Opening


def test_opening_again_with_the_same_stock_changes_nothing(r, sale):
    sale.buy("u1")
    assert sale.open(3) is False
    assert (r.get(KEYS.stock), r.smembers(KEYS.users), sale.initial()) == ("2", {"u1"}, 3)


def test_opening_with_another_stock_is_refused_and_changes_nothing(r, sale):
    sale.buy("u1")
    with pytest.raises(SaleError, match="was opened with 3, not 5"):
        sale.open(5)
    assert (r.get(KEYS.stock), r.smembers(KEYS.users), sale.initial()) == ("2", {"u1"}, 3)


def test_a_stock_of_other_making_is_not_taken_over(r):
    r.set(KEYS.stock, 7)
    with pytest.raises(SaleError, match="stock of other making"):
        Sale(r, SKU).open(7)
    assert r.keys() == [KEYS.stock]


@pytest.mark.parametrize("stock", [-1, 2**53])
def test_a_stock_beyond_the_exact_numbers_is_refused(r, stock):
    with pytest.raises(SaleError, match="whole number"):
        Sale(r, SKU).open(stock)
    assert r.dbsize() == 0


@pytest.mark.parametrize("sku", ["", "{", "a}b", "x" * 65, "\udcff"])
def test_a_sku_that_cannot_be_a_tag_is_refused(sku):
    with pytest.raises(ValueError, match="curly braces"):
        Keys.of(sku)


def test_ids_compare_as_numbers():
    assert position("999-10") > position("999-9") > position("98-0")


# Buying


def test_each_code_is_told(r, sale):
    codes = [sale.buy(user).code for user in ("u1", "u1", "u2", "u3", "u4")]
    assert codes == [BOUGHT, ALREADY, BOUGHT, BOUGHT, SOLD_OUT]
    assert Sale(r, "2002").buy("u1") == Bought(NOT_ON_SALE, "")


@pytest.mark.parametrize("user", ["", "x" * 65, "a\0b"])
def test_a_name_that_no_row_can_hold_is_refused_at_the_door(r, sale, user):
    with pytest.raises(SaleError, match="characters"):
        sale.buy(user)
    assert r.get(KEYS.stock) == "3"


def test_every_call_repeated_sells_and_gives_back_once(r, sale):
    """As if each reply had been lost and each caller had pressed again."""
    for user in ("u1", "u2", "u3", "u4"):
        sale.buy(user), sale.buy(user)
    assert (r.get(KEYS.stock), r.xlen(KEYS.orders)) == ("0", 3)
    sale.cancel("u1"), sale.cancel("u1")
    sale.open(3), sale.open(3)
    assert (r.get(KEYS.stock), r.smembers(KEYS.users)) == ("1", {"u2", "u3"})


def lose_the_reply(monkeypatch, sale, name):
    """The script runs, and its reply never comes."""
    script = getattr(sale, name)

    def lost(**words):
        script(**words)
        raise redis.TimeoutError("Timeout reading from socket")

    monkeypatch.setattr(sale, name, lost)


def test_after_a_lost_reply_the_winner_is_told_so(monkeypatch, r, sale):
    lose_the_reply(monkeypatch, sale, "_enqueue")
    assert sale.buy("u1") == Bought(BOUGHT, "")
    assert (r.get(KEYS.stock), r.xlen(KEYS.orders)) == ("2", 1)


def test_after_a_lost_reply_who_is_no_buyer_hears_of_the_trouble(monkeypatch, r, sale):
    def lost(**words):
        raise redis.TimeoutError("Timeout reading from socket")

    monkeypatch.setattr(sale, "_enqueue", lost)
    with pytest.raises(redis.TimeoutError):
        sale.buy("u1")
    assert sale.status("u1") == "none"


def test_after_a_lost_reply_a_cancelled_item_is_back_once(monkeypatch, r, sale):
    sale.buy("u1")
    lose_the_reply(monkeypatch, sale, "_cancel")
    assert sale.cancel("u1") is True
    assert r.get(KEYS.stock) == "3"
    assert sale.cancel("u1") is False
    assert r.get(KEYS.stock) == "3"


def test_a_paused_server_runs_a_press_once_not_eleven_times(tmp_path):
    """Retries off: the time-out is raised, and when the server wakes the script has run once."""
    with Server() as server, server.client(socket_timeout=0.2, retries=3) as r:
        sale = Sale(r, SKU)
        sale.open(10)
        register(r, "seckill_enqueue")(keys=KEYS[:3], args=["u0", SKU])  # the server knows it
        r.config_resetstat()
        server.pause()
        with pytest.raises(redis.TimeoutError):
            sale.buy("u1")
        server.resume()
        with server.client() as later:
            for _ in range(10_000):  # the press waits in the socket of the server that wakes
                if later.get(KEYS.stock) != "9":
                    break
            assert later.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
            assert later.get(KEYS.stock) == "8"


def test_retries_are_off_on_the_copy_and_stay_on_the_original():
    with Server() as server, server.client(retries=3) as r:
        copy = without_retries(r)
        assert copy.connection_pool.connection_kwargs["retry"].get_retries() == 0
        assert r.connection_pool.connection_kwargs["retry"].get_retries() == 3
        assert copy.ping() and copy.connection_pool is not r.connection_pool


# Status, cancelling, paying


def test_an_order_is_queued_then_ordered_then_paid(r, sale, engine):
    assert sale.status("u1") == "none"
    sale.buy("u1")
    assert (sale.status("u1"), sale.pay("u1")) == ("queued", False)
    Consumer(r, engine, SKU).drain()
    assert (sale.status("u1"), sale.pay("u1"), sale.pay("u1")) == ("ordered", True, True)
    assert sale.status("u1") == "paid"


def test_a_late_payment_is_refused(r, sale, engine):
    sale.buy("u1")
    Consumer(r, engine, SKU).drain()
    assert sale.cancel("u1") is True
    assert sale.pay("u1") is False
    assert sale.status("u1") == "cancelled"


def test_a_paid_order_is_not_cancelled_by_the_time_out(r, sale, engine):
    sale.buy("u1")
    Consumer(r, engine, SKU).drain()
    sale.pay("u1")
    assert sale.cancel("u1") is False
    assert (sale.status("u1"), r.get(KEYS.stock)) == ("paid", "2")


def test_cancelled_while_queued_stays_cancelled_when_it_is_drained(r, sale, engine):
    sale.buy("u1")
    assert sale.cancel("u1") is True
    assert sale.status("u1") == "cancelled"
    assert Consumer(r, engine, SKU).drain() == 1
    assert (sale.status("u1"), r.get(KEYS.stock)) == ("cancelled", "3")
    assert check(r, engine, SKU).balanced


def test_stock_given_back_before_the_row_leaves_a_live_row_behind(r, sale, engine):
    """The wrong order, on purpose: the script alone, while the entry is still queued."""
    sale.buy("u1")
    register(r, "seckill_cancel")(keys=KEYS[:2], args=["u1"])
    Consumer(r, engine, SKU).drain()
    books = check(r, engine, SKU)
    assert (books.stock, books.ordered) == (3, 1)
    assert ("u1", "has a live row, but is no buyer") in books.gaps


@pytest.mark.parametrize("drain_first", [True, False])
def test_buying_again_after_cancelling_revives_the_row(r, sale, engine, drain_first):
    sale.buy("u1")
    if drain_first:
        Consumer(r, engine, SKU).drain()
    sale.cancel("u1")
    second = sale.buy("u1")
    assert (second.code, sale.status("u1")) == (BOUGHT, "queued")
    Consumer(r, engine, SKU).drain()
    assert sale.status("u1") == "ordered"
    with engine.begin() as connection:
        (row,) = connection.execute(tables.orders.select()).all()
        assert row.entry_id == second.entry_id
        assert (
            connection.scalar(tables.items.select().with_only_columns(tables.items.c.remaining))
            == 2
        )
    assert check(r, engine, SKU).balanced


def test_a_crash_before_the_stock_goes_back_is_mended_by_cancelling_again(r, sale, engine):
    sale.buy("u1")

    def crash(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sale.cancel("u1", on_cancel=crash)
    gaps = check(r, engine, SKU).gaps
    assert [gap.user for gap in gaps] == ["u1"] and "cancel once more" in gaps[0].what
    heard = []
    assert sale.cancel("u1", on_cancel=lambda *order: heard.append(order[1:3])) is True
    assert heard == [("u1", SKU)]
    assert check(r, engine, SKU).balanced


def test_a_slow_cancel_does_not_take_what_was_bought_since(r, sale, engine):
    """Between its row and its give-back, another cancel finishes and the user buys again."""
    sale.buy("u1")
    for drain_in_between in (False, True):

        def meanwhile(*_, drain=drain_in_between):
            assert Sale(r, SKU, engine).cancel("u1") is True
            assert Sale(r, SKU, engine).buy("u1").code == BOUGHT
            if drain:
                Consumer(r, engine, SKU).drain()

        assert sale.cancel("u1", on_cancel=meanwhile) is False
        assert r.get(KEYS.stock) == "2"
    Consumer(r, engine, SKU).drain()
    assert sale.status("u1") == "ordered"
    assert check(r, engine, SKU).balanced


def test_a_row_drained_while_cancel_looks_is_cancelled_all_the_same(monkeypatch, r, sale, engine):
    """The consumer drains, acknowledges and trims just before cancel asks the stream."""
    sale.buy("u1")
    newest, done = sale.newest, []

    def late(user, after):
        if not done:
            done.append(True)
            # As a consumer on the other side would, while no row is there to be locked.
            r.xdel(KEYS.orders, newest(user).entry_id)
        return newest(user, after)

    monkeypatch.setattr(sale, "newest", late)
    assert sale.cancel("u1") is False, "nothing to be found: the books will name the user"
    assert [gap.user for gap in check(r, engine, SKU).gaps] == ["u1"]


def test_cancelling_needs_the_database(r):
    with pytest.raises(SaleError, match="engine"):
        Sale(r, SKU).cancel("u1")


def test_the_scripts_survive_a_flush(r, sale):
    for user in ("u1", "u2"):
        r.script_flush()
        assert sale.buy(user).code == BOUGHT
        r.script_flush()
        assert sale.cancel(user) is True


def test_an_unknown_script_is_answered_with_those_there_are():
    with pytest.raises(FileNotFoundError, match="seckill_enqueue"):
        load("sekill")


# The command line


@pytest.mark.once
def test_the_command_line_opens_a_sale_and_says_so_twice(capsys):
    with Server() as server:
        words = ["--redis", server.url, "--sku", SKU, "--stock", "100"]
        main(words), main(words)
        with pytest.raises(SystemExit, match="was opened with 100, not 5"):
            main([*words[:-1], "5"])
    said = capsys.readouterr().out
    assert said == "Sale 2001 is open: 100 items.\nSale 2001 was open already: 100 items.\n"


@pytest.mark.once
@pytest.mark.parametrize(
    "url, sku, said",
    [
        ("redis://127.0.0.1:1", "1", "does not answer"),
        ("nonsense", "1", "redis://"),
        ("redis://127.0.0.1:1", "{", "curly braces"),
        ("redis://127.0.0.1:1", "\udcff", "in UTF-8"),
        ("redis://127.0.0.1?nonsense=1", "1", "nonsense.*: write it as redis://"),
    ],
)
def test_the_command_line_answers_bad_input_in_one_sentence(url, sku, said):
    with pytest.raises(SystemExit, match=said):
        main(["--redis", url, "--sku", sku, "--stock", "3"])


@pytest.mark.once
def test_the_command_line_asks_for_the_primary_of_a_replica():
    with (
        Server(options=("--replicaof", "127.0.0.1", "1")) as replica,
        pytest.raises(SystemExit, match="read-only replica: give --redis its primary"),
    ):
        main(["--redis", replica.url, "--sku", SKU, "--stock", "3"])


@pytest.mark.once
def test_the_command_line_names_a_key_that_holds_something_else(server, r):
    r.set(KEYS.initial, "abc")
    with pytest.raises(SystemExit, match="holds 'abc', .*: set it right, or delete it"):
        main(["--redis", server.url, "--sku", SKU, "--stock", "3"])
