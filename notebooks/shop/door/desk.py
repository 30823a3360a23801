"""The desk: everything that may take its time. Its methods block; the door calls them in threads."""

from __future__ import annotations

import threading
import time
from functools import cached_property
from typing import Any, NamedTuple

import redis
from sqlalchemy import Engine, func, select

from shop import books, tables
from shop.board import Boards
from shop.connect import connect
from shop.inbox import Inbox
from shop.keys import GROUP, Keys
from shop.sale import Sale, SaleError, whole

from .settings import Settings

BOOKS_EVERY_S = 1.0  # however many look on, the books are read once a second
BOOKS_UP_TO = 10_000  # items; above, reading every buyer each second is too much


class Standing(NamedTuple):
    """How a sale stands."""

    stock: int
    queued: int  # bought, and not acknowledged by the consumer yet
    ordered: int  # rows that hold an item
    lag: int  # bought, and not even delivered to a consumer


class Desk:
    """Opens, asks, cancels, counts."""

    def __init__(self, settings: Settings, engine: Engine | None = None) -> None:
        self.settings, self._given = settings, engine
        self.redis = connect(settings.redis_url, settings.redis_timeout_ms / 1000)
        self.boards = Boards(self.redis, settings.zone)
        self._sales: dict[str, Sale] = {}
        self._books: dict[str, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    @cached_property
    def engine(self) -> Engine:
        """The database. It is asked for when it is first needed: selling does without."""
        return self._given or tables.connect(self.settings.database_url)

    def close(self) -> None:
        """Give the connections back."""
        self.redis.close()
        for sale in self._sales.values():
            sale.redis.close()
        if self._given is None and "engine" in self.__dict__:
            self.engine.dispose()

    def sale(self, sku: str) -> Sale:
        """The sale of `sku`. Raises SaleError when none was opened."""
        if sku not in self._sales:
            if not self.redis.exists(Keys.of(sku).initial):
                raise SaleError(f"{sku} is not on sale.")
            with self._lock:
                self._sales.setdefault(sku, Sale(self.redis, sku, self.engine))
        return self._sales[sku]

    def open(self, sku: str, stock: int) -> bool:
        """Open a sale; False when it was open. Raises SaleError when it has another stock."""
        sale = Sale(self.redis, sku)
        try:
            return sale.open(stock)
        finally:
            sale.redis.close()

    def standing(self, sku: str) -> Standing:
        """Counts only, cheap at any size. Raises SaleError for an unknown sale."""
        sale = self.sale(sku)
        lag = self._lag(sale)
        with sale.redis.pipeline(transaction=False) as pipe:
            pipe.get(sale.keys.stock).xpending(sale.keys.orders, GROUP)
            stock, pending = pipe.execute(raise_on_error=False)
        waiting = 0 if isinstance(pending, Exception) else pending["pending"]
        live = (tables.orders.c.sku == sku) & tables.orders.c.state.in_(tables.LIVE)
        with self.engine.begin() as connection:
            ordered = connection.scalar(select(func.count()).where(live))
        return Standing(whole(sale.keys.stock, stock or "0"), lag + waiting, ordered, lag)

    def _lag(self, sale: Sale) -> int:
        try:
            return Inbox(sale.redis, sale.keys, sale.sku, "desk", 1, 1, 0).lag()
        except (redis.ResponseError, StopIteration):  # no stream or no group: nobody has read yet
            return sale.redis.xlen(sale.keys.orders)

    def status(self, sku: str, user: str) -> str:
        """queued, ordered, paid, cancelled, failed, or none. Raises SaleError for an unknown sale."""
        return self.sale(sku).status(user)

    def cancel(self, sku: str, user: str) -> str:
        """Cancel a user's order, once or again; the status it has then."""
        sale = self.sale(sku)
        sale.cancel(user, self.boards.on_cancel)
        return sale.status(user)

    def books(self, sku: str) -> books.Books | None:
        """The books, at most a second old; None for a sale too large to be read each second."""
        sale = self.sale(sku)
        if (sale.initial() or 0) > BOOKS_UP_TO:
            return None
        with self._lock:
            read_at, found = self._books.get(sku, (-BOOKS_EVERY_S, None))
            if time.monotonic() - read_at >= BOOKS_EVERY_S:
                found = books.check(sale.redis, self.engine, sku)
                self._books[sku] = time.monotonic(), found
            return found
