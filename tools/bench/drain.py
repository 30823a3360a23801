"""The consumer's speed: orders a second, beside the same rows inserted without a stream.

    python -m tools.bench.drain [--orders 20000] [--batch 100] [--rounds 9]

Both sides write the same rows through the same engine, one transaction a batch, turn about in one
run. The share is drained / inserted, the median over the rounds of one round's two figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT / "tests")]

from lab.server import Server  # noqa: E402
from shop import tables  # noqa: E402
from shop.orders import Consumer  # noqa: E402
from shop.rows import Order  # noqa: E402
from shop.sale import Sale  # noqa: E402
from sqlalchemy import Engine, delete, insert  # noqa: E402

SKU = "2001"
GOALS = {"sqlite": 0.6, "mariadb": 0.8, "postgresql": 0.8}


class Row(NamedTuple):
    """One database's figures, orders a second."""

    database: str
    inserted: float
    drained: float
    share: float
    goal: float

    def __str__(self) -> str:
        verdict = "reached" if self.share >= self.goal else "missed"
        return (
            f"{self.database:<11} insert only {self.inserted:>9,.0f}/s   drained {self.drained:>9,.0f}/s"
            f"   share {self.share:.2f}   goal {self.goal:.1f} {verdict}"
        )


def insert_only(engine: Engine, batches: list[list[Order]]) -> float:
    """Orders a second without a stream."""
    start = time.perf_counter()
    for batch in batches:
        with engine.begin() as connection:
            connection.execute(insert(tables.orders), [order.row() for order in batch])
    return sum(map(len, batches)) / (time.perf_counter() - start)


def drain(r, engine: Engine, batches: list[list[Order]]) -> float:
    """Orders a second from a full stream to acknowledged rows."""
    r.flushall()
    count = sum(map(len, batches))
    sale = Sale(r, SKU)
    sale.open(count)
    with r.pipeline(transaction=False) as pipe:
        for order in (order for batch in batches for order in batch):
            fields = {"user": order.user, "sku": SKU}
            pipe.xadd(sale.keys.orders, fields, id=order.entry_id)
        pipe.execute()
    consumer = Consumer(r, engine, SKU, batch=len(batches[0]))
    consumer.prepare()
    start = time.perf_counter()
    assert consumer.drain() == count
    return count / (time.perf_counter() - start)


def measure(kind: str, engine: Engine, r, orders: int, batch: int, rounds: int) -> Row:
    """Both figures, turn about."""
    rows = [Order(f"{1_800_000_000_000 + i // 7}-{i % 7}", f"u{i:07}", SKU) for i in range(orders)]
    batches = [rows[i : i + batch] for i in range(0, orders, batch)]
    inserted, drained = [], []
    for turn in range(2 * rounds):
        with engine.begin() as connection:
            connection.execute(delete(tables.orders))
            connection.execute(delete(tables.items))
        if turn % 2:
            drained.append(drain(r, engine, batches))
        else:
            inserted.append(insert_only(engine, batches))
    shares = [d / i for d, i in zip(drained, inserted, strict=True)]
    return Row(kind, median(inserted), median(drained), median(shares), GOALS[kind])


@contextmanager
def database(kind: str, folder: str) -> Iterator[Engine]:
    """A fresh database of one kind; a real server is private and ends with it."""
    if kind == "sqlite":
        engine = tables.connect(f"sqlite:///{folder}/shop.db")
        yield engine
        return engine.dispose()
    from databases import open_server

    server = open_server(kind)
    engine = tables.connect(server.admin_url)
    yield engine
    engine.dispose()
    return server.close()


def rows(orders: int = 20_000, batch: int = 100, rounds: int = 9) -> Iterator[Row]:
    """One row for each database."""
    with Server() as server, server.client() as r, tempfile.TemporaryDirectory() as folder:
        for kind in GOALS:
            with database(kind, folder) as engine:
                yield measure(kind, engine, r, orders, batch, rounds)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.drain", description=__doc__)
    for name, default in (("orders", 20_000), ("batch", 100), ("rounds", 9)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    for row in rows(given.orders, given.batch, given.rounds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
