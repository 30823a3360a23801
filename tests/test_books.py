"""shop.books: what balances, and what is out of place, by name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab.server import Server
from shop import books as books_module
from shop import tables
from shop.books import Gap, check, main
from shop.keys import GROUP, Keys
from shop.orders import Consumer
from shop.sale import Sale, SaleError
from sqlalchemy import delete, insert

pytest_plugins = ["databases"]
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
SKU = "2001"
KEYS = Keys.of(SKU)


@pytest.fixture
def sale(r, engine) -> Sale:
    """Ten items, six sold, four of those drained."""
    made = Sale(r, SKU, engine)
    made.open(10)
    for i in range(6):
        made.buy(f"u{i}")
    Consumer(r, engine, SKU, batch=4).step()
    return made


def counts(books) -> tuple[int, int, int, int]:
    return books.stock, books.in_flight, books.ordered, books.returned


def words(server, url) -> list[str]:
    return ["--redis", server.url, "--database", url, "--sku", SKU]


# The lesson's timeline


def test_stock_in_flight_and_ordered_make_the_whole(r, engine, sale):
    books = check(r, engine, SKU)
    assert books.balanced and counts(books) == (4, 2, 4, 0)
    assert books.bar() == "████▓▓▁▁▁▁"
    Consumer(r, engine, SKU).drain()
    assert counts(check(r, engine, SKU)) == (4, 0, 6, 0)


def test_a_planted_gap_is_found_and_named(r, engine, sale):
    """The second of two steps never came: bought, and nothing in the stream."""
    r.decr(KEYS.stock), r.sadd(KEYS.users, "planted")
    books = check(r, engine, SKU)
    assert not books.balanced
    assert books.gaps == (Gap("planted", "bought, but has no row and no entry on its way"),)
    assert books.bar() == "████▓▓✗▁▁▁"
    assert "✗ planted: bought" in str(books)


# Edges


def test_a_sale_that_nobody_has_touched_balances(r, engine):
    Sale(r, SKU).open(100)
    books = check(r, engine, SKU)
    assert books.balanced and books.bar() == "▁" * 100


def test_entries_delivered_and_not_acknowledged_are_in_flight(r, engine, sale):
    r.xreadgroup(GROUP, "somebody", {KEYS.orders: ">"}, count=1)
    books = check(r, engine, SKU)
    assert books.balanced and books.in_flight == 2


def test_an_acknowledged_entry_is_in_flight_no_more(r, engine, sale):
    """Acknowledged before the commit, and then the consumer died."""
    ((_, ((entry_id, fields),)),) = r.xreadgroup(GROUP, "somebody", {KEYS.orders: ">"}, count=1)
    r.xack(KEYS.orders, GROUP, entry_id)
    assert [gap.user for gap in check(r, engine, SKU).gaps] == [fields["user"]]


def test_counts_that_cancel_out_do_not_hide_two_wrongs(r, engine, sale):
    """One live row too few and one too many: the sums are right, the names are not."""
    with engine.begin() as connection:
        row = {"sku": SKU, "user": "stranger", "entry_id": "1-0", "state": "ordered"}
        connection.execute(delete(tables.orders).where(tables.orders.c.user == "u0"))
        created_at = tables.datetime.now(tables.UTC)
        connection.execute(insert(tables.orders).values(**row, created_at=created_at))
    assert {gap.user: gap.what for gap in check(r, engine, SKU).gaps} == {
        "u0": "bought, but has no row and no entry on its way",
        "stranger": "has a live row, but is no buyer",
    }


def test_a_sum_that_is_off_is_named_on_either_side(r, engine, sale):
    r.incr(KEYS.stock)
    with engine.begin() as connection:
        connection.execute(tables.items.update().values(remaining=5))
    whats = [gap.what for gap in check(r, engine, SKU).gaps]
    assert whats == [
        "stock 5 + buyers 6 is not 10",
        "remaining 5 + live rows 4 is not 10",
    ]


def test_cancelled_and_dead_lettered_are_listed_and_not_summed(r, engine, sale):
    user = "x" * 65
    r.decr(KEYS.stock), r.sadd(KEYS.users, user), r.xadd(KEYS.orders, {"user": user, "sku": SKU})
    sale.cancel("u1"), sale.cancel("u5")
    Consumer(r, engine, SKU).drain()
    books = check(r, engine, SKU)
    assert books.balanced and counts(books) == (6, 0, 4, 3)
    assert (books.cancelled, books.dead) == (("u1", "u5"), (user,))
    assert books.bar() == "████░░░▁▁▁"
    assert "cancelled: u1, u5" in str(books)


def test_who_bought_again_after_cancelling_is_not_listed_as_returned(r, engine, sale):
    sale.cancel("u1"), sale.buy("u1")
    assert check(r, engine, SKU).cancelled == ()
    Consumer(r, engine, SKU).drain()
    books = check(r, engine, SKU)
    assert books.balanced and (books.cancelled, books.ordered) == ((), 6)


def test_a_large_sale_is_drawn_to_scale(r, engine):
    sale = Sale(r, SKU, engine)
    sale.open(1_000)
    for i in range(250):
        sale.buy(f"u{i}")
    books = check(r, engine, SKU)
    assert books.bar() == "▓" * 25 + "▁" * 75
    assert str(books).splitlines()[:4] == ["▓" * 25, *["▁" * 25] * 3]


def test_a_sale_of_none_has_an_empty_bar(r, engine):
    Sale(r, SKU).open(0)
    assert check(r, engine, SKU).bar() == ""


# A sale that moves


def test_what_moves_between_the_two_looks_is_looked_at_again(monkeypatch, r, engine, sale):
    """Between Redis and SQL, u4 and u5 are drained and u9 buys and is drained: no gap."""
    real, moves = books_module.read_sql, []

    def slow(*args):
        if not moves:
            moves.append(sale.buy("u9"))
            Consumer(r, engine, SKU).drain()
        return real(*args)

    monkeypatch.setattr(books_module, "read_sql", slow)
    books = check(r, engine, SKU)
    assert books.balanced and counts(books) == (3, 0, 7, 0)


def test_a_gap_is_found_while_everything_else_moves(monkeypatch, r, engine, sale):
    r.decr(KEYS.stock), r.sadd(KEYS.users, "planted")
    real, number = books_module.read_sql, iter(range(100))

    def slow(*args):
        user = f"v{next(number)}"
        sale.buy(user)
        Consumer(r, engine, SKU).drain()
        sale.cancel(user)
        return real(*args)

    monkeypatch.setattr(books_module, "read_sql", slow)
    assert [gap.user for gap in check(r, engine, SKU).gaps] == ["planted"]


# The command line


@pytest.mark.once
def test_the_exit_code_says_balanced_not_balanced_unknown(capsys, tmp_path):
    url = f"sqlite:///{tmp_path}/shop.db"
    with Server() as server, server.client() as r:
        assert main(words(server, url)) == 2
        assert "There is no sale 2001" in capsys.readouterr().out
        Sale(r, SKU).open(10)
        assert main(words(server, url)) == 0
        assert capsys.readouterr().out.startswith("▁▁▁▁▁▁▁▁▁▁\n█ ordered 0 · ")
        r.sadd(KEYS.users, "planted")
        assert main(words(server, url)) == 1
        assert "✗ planted: " in capsys.readouterr().out


@pytest.mark.once
def test_who_does_not_answer_is_told_in_one_sentence(capsys, tmp_path):
    words_ = ["--redis", "redis://127.0.0.1:1", "--database", "sqlite://", "--sku", SKU]
    assert main(words_) == 2
    assert "Redis does not answer" in capsys.readouterr().out


@pytest.mark.once
@pytest.mark.parametrize(
    "key, said",
    [
        (KEYS.users, "WRONGTYPE"),
        (KEYS.orders, "WRONGTYPE"),
        (KEYS.initial, f"{KEYS.initial} holds 'somebody', and a sale keeps a whole number there"),
        (KEYS.stock, f"{KEYS.stock} holds 'somebody', and a sale keeps a whole number there"),
    ],
)
def test_a_key_that_somebody_else_has_written_is_no_gap(server, r, capsys, tmp_path, key, said):
    Sale(r, SKU).open(10)
    r.set(key, "somebody")
    assert main(words(server, f"sqlite:///{tmp_path}/shop.db")) == 2
    out = capsys.readouterr().out
    assert said in out and len(out.splitlines()) == 1


@pytest.mark.once
def test_a_terminal_that_is_not_utf_8_gets_its_books(server, r, tmp_path):
    Sale(r, SKU).open(10)
    done = subprocess.run(
        [sys.executable, "-m", "shop.books", *words(server, f"sqlite:///{tmp_path}/shop.db")],
        cwd=NOTEBOOKS,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? ordered 0" in done.stdout and b"The books balance." in done.stdout


def test_an_unknown_sale_is_an_error_not_a_gap(r, engine):
    with pytest.raises(SaleError, match="no sale 2001"):
        check(r, engine, SKU)
