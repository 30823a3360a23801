"""The consumer as a process.

    cd notebooks && python -m shop.orders --redis redis://localhost --database sqlite:///shop.db --sku 2001

writes what the stream holds into the database until SIGTERM or Ctrl-C, or with --once until
nothing is left. Any number may run at once, each with a name of its own.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
import time

import redis
from sqlalchemy import exc

from . import tables
from .board import Boards
from .connect import check, connect, sentence
from .consumer import Consumer
from .sale import SaleError

__all__ = ["Consumer"]
DATABASE = "sqlite:///shop.db"


class Progress:
    """One line a second: drained, lag, orders a second since the last line."""

    def __init__(self, consumer: Consumer) -> None:
        self.consumer, self.at, self.drained = consumer, time.monotonic(), 0

    def __call__(self, _count: int = 0) -> None:
        if time.monotonic() - self.at >= 1:
            self.show()

    def lag(self) -> str:
        try:
            return f"{self.consumer.inbox.lag():,}"
        except (redis.RedisError, StopIteration):  # Redis is away, or the group is gone
            return "unknown"

    def show(self) -> None:
        consumer, now = self.consumer, time.monotonic()
        rate = (consumer.drained - self.drained) / max(now - self.at, 0.001)
        words = [f"drained {consumer.drained:,}", f"lag {self.lag()}"]
        words += [f"{rate:,.0f} orders/s"]
        words += [f"{len(consumer.dead):,} dead-lettered"] if consumer.dead else []
        words += [f"{len(consumer.deleted):,} deleted under way"] if consumer.deleted else []
        print(" · ".join(words), flush=True)
        self.at, self.drained = now, consumer.drained


def first_line(error: Exception) -> str:
    """What a server said, without SQLAlchemy's statement and link."""
    return str(getattr(error, "orig", error)).strip().split("\n")[0]


def trouble(error: Exception, pause_s: float) -> None:
    """Say what is away, and when the next try is."""
    what = first_line(error)
    side = "Redis" if isinstance(error, redis.RedisError) else "The database"
    print(f"{side} is away ({what}). Next try in {pause_s:.1f} s.", file=sys.stderr, flush=True)


def database(url: str):
    """The engine of `url`; SystemExit with one sentence when it can't be had."""
    try:
        return tables.connect(url)
    except (exc.ArgumentError, ValueError):
        raise SystemExit(f"--database is no database URL; {DATABASE} is one.") from None
    except ModuleNotFoundError as error:
        raise SystemExit(
            f"The driver {error.name} is not installed: write mysql+pymysql:// or postgresql+psycopg://, "
            "and pip install PyMySQL or psycopg[binary]."
        ) from None
    except exc.SQLAlchemyError as error:
        what = first_line(error)
        raise SystemExit(f"The database does not answer ({what}). Is --database right?") from None


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """What the consumer and the books both need to know."""
    made = argparse.ArgumentParser(prog=prog, description=description)
    made.add_argument("--redis", required=True, metavar="URL", help="redis://host:port/0")
    made.add_argument(
        "--database",
        metavar="URL",
        default=os.environ.get("DATABASE_URL", DATABASE),
        help=f"default: DATABASE_URL, else {DATABASE}",  # never its value: it holds a password
    )
    made.add_argument("--sku", required=True, help="what is sold")
    return made


def main(words: list[str] | None = None) -> None:
    """The command line: run one consumer."""
    asked = parser("python -m shop.orders", "Write the stream of orders into the database.")
    asked.add_argument("--batch", type=int, default=100, metavar="N", help="entries a transaction")
    asked.add_argument(
        "--consumer",
        metavar="NAME",
        default=socket.gethostname() or "consumer-1",
        help="this process's name in the group, its own; default: the host's",
    )
    asked.add_argument("--claim-idle-ms", type=int, default=5_000, metavar="MS")
    asked.add_argument(
        "--zone",
        metavar="NAME",
        default=os.environ.get("ZONE", "UTC"),
        help="whose days the leaderboards count; default: ZONE, else UTC",
    )
    asked.add_argument("--once", action="store_true", help="stop when nothing is left")
    given = asked.parse_args(words)
    try:
        client = connect(given.redis)
        check(client)
        consumer = Consumer(
            *(client, database(given.database), given.sku),
            name=given.consumer,
            batch=given.batch,
            claim_idle_ms=given.claim_idle_ms,
            board=Boards(client, given.zone).on_order,
        )
        consumer.prepare()
    except exc.SQLAlchemyError as error:
        raise SystemExit(f"The database does not take this ({first_line(error)}).") from None
    except (SaleError, ValueError, redis.RedisError) as error:
        raise SystemExit(sentence(error)) from None
    stop, progress = threading.Event(), Progress(consumer)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        consumer.run(stop, once=given.once, on_trouble=trouble, on_step=progress)
    except (redis.RedisError, exc.SQLAlchemyError) as error:
        what = first_line(error)
        raise SystemExit(f"Stopped, nothing is lost ({what}): mend that and start again.") from None
    progress.show()


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows a ? instead
    main()
