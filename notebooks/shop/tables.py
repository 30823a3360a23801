"""The shop's two SQL tables, on SQLite, MySQL/MariaDB or PostgreSQL.

orders: one row for each (sku, user), made by the stream entry it names. It never grows with
deliveries. items: what is left to sell, lowered in the order's own transaction.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Engine,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    exc,
    insert,
    select,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeDecorator

from .keys import LONGEST

ORDERED, PAID, CANCELLED = "ordered", "paid", "cancelled"
LIVE = (ORDERED, PAID)  # rows that hold an item


class Name(TypeDecorator):
    """Text told apart to the byte: MySQL's usual collations take "Ann", "ann" and "ann " for one."""

    impl = String(LONGEST)
    cache_ok = True

    def load_dialect_impl(self, dialect):
        if dialect.name not in ("mysql", "mariadb"):
            return dialect.type_descriptor(String(LONGEST))
        collation = "utf8mb4_nopad_bin" if dialect.is_mariadb else "utf8mb4_0900_bin"
        return dialect.type_descriptor(mysql.VARCHAR(LONGEST, collation=collation))


class Moment(TypeDecorator):
    """A time in UTC, to the millisecond: aware in Python, naive in the table."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect):
        mine = dialect.name in ("mysql", "mariadb")
        return dialect.type_descriptor(mysql.DATETIME(fsp=3) if mine else DateTime())

    def process_bind_param(self, value: datetime | None, dialect) -> datetime | None:
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect) -> datetime | None:
        return value and value.replace(tzinfo=UTC)


metadata = MetaData()
orders = Table(
    "orders",
    metadata,
    Column("sku", Name, primary_key=True),
    Column("user", Name, primary_key=True),
    Column("entry_id", String(41), nullable=False),  # two numbers of 20 digits and a dash
    Column("state", String(9), nullable=False),
    Column("created_at", Moment, nullable=False),
    # SQLite does not enforce a VARCHAR's length by itself.
    CheckConstraint(f'length("user") <= {LONGEST}', name="user_fits").ddl_if(dialect="sqlite"),
)
items = Table(
    "items",
    metadata,
    Column("sku", Name, primary_key=True),
    # As wide as the stock in Redis (2^53 - 1): an INTEGER ends at 2^31 - 1, on PostgreSQL and MariaDB.
    Column("remaining", BigInteger, CheckConstraint("remaining >= 0"), nullable=False),
)


def connect(url: str) -> Engine:
    """An engine on `url`, its tables made when they are not there. Raises what the driver raises.

    Locks are taken by the rows alone (READ COMMITTED); SQLite takes its one lock when a
    transaction begins, so that no reader turns writer half way.
    """
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"timeout": 30})  # seconds to wait for the lock
        event.listen(engine, "connect", _sqlite_connect)
        event.listen(engine, "begin", _sqlite_begin)
    else:
        engine = create_engine(url, isolation_level="READ COMMITTED")
        # It warns of every insert that finds a row in its way; rows.write takes care of those.
        logging.getLogger("psycopg").setLevel(logging.ERROR)
    try:
        metadata.create_all(engine)
    except exc.DatabaseError:  # two processes made them at once: the second look finds them
        metadata.create_all(engine)
    return engine


def _sqlite_connect(connection, _record) -> None:
    connection.isolation_level = None  # SQLAlchemy says BEGIN, not the driver
    connection.execute("PRAGMA journal_mode=WAL")


def _sqlite_begin(connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def open_item(engine: Engine, sku: str, stock: int) -> None:
    """Give `sku` its row with `stock` items, unless it has one: then nothing changes."""
    if has_item(engine, sku):
        return
    try:
        with engine.begin() as connection:
            connection.execute(insert(items).values(sku=sku, remaining=stock))
    except exc.IntegrityError:  # somebody else was first
        pass


def has_item(engine: Engine, sku: str) -> bool:
    """Whether the database knows of this sku."""
    with engine.begin() as connection:
        return connection.scalar(select(items.c.sku).where(items.c.sku == sku)) is not None
