"""Opening night, and everything that can die dies: seeded, and the books balance each time."""

import asyncio
import os
import random
import threading
from collections import Counter

import pytest
import redis
from doors import Door, open_door
from lab.server import Server
from shop import books, tables
from shop.consumer import Consumer
from shop.polite import Patience, PoliteClient
from sqlalchemy import exc, select

pytest_plugins = ["databases"]
DEEP = os.environ.get("RUSH_DEEP") == "1"
NIGHTS = range(20) if DEEP else range(2)
SKU, STOCK, PEOPLE, AT_ONCE = "2001", 40, 120, 20
WRITTEN = ("--appendonly", "yes", "--appendfsync", "always")  # what was answered is on disk


class Killed(BaseException):
    """The process is gone: no handler sees this one."""


class Deaths:
    """A consumer that dies at random points, or finds its database away; and comes again."""

    def __init__(self, door: Door, dice: random.Random) -> None:
        self.door, self.dice = door, dice
        self.counts: Counter[str] = Counter()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._live)

    def _crash(self, point: str) -> None:
        luck = self.dice.random()
        if luck < 0.10:
            self.counts[f"killed {point}"] += 1
            raise Killed
        if luck < 0.15 and point == "before_insert":
            self.counts["database away"] += 1
            raise exc.OperationalError("INSERT", {}, Exception("the database is away"))

    def _live(self) -> None:
        while not self.stop.is_set():
            desk = self.door.shop.desk
            settings = {"batch": self.dice.randint(1, 9), "block_ms": 20, "crash": self._crash}
            member = Consumer(
                *(desk.redis, desk.engine, SKU),
                name=self.dice.choice("ab"),
                claim_idle_ms=1,
                board=desk.boards.on_order,
                **settings,
            )
            try:
                member.run(self.stop)
            except Killed:
                pass
            except redis.ResponseError:  # it gave up: whoever runs it starts it again
                self.counts["gave up"] += 1
            finally:
                member.redis.close()


async def crowd(door: Door, strikes: dict[int, object], rng: random.Random) -> dict[str, int]:
    """Everybody presses, politely, AT_ONCE at a time; strikes[n] runs before the n-th one comes."""
    told: dict[str, int] = {}
    people = iter(range(PEOPLE))

    async def queue() -> None:
        for n in people:
            if n in strikes:
                await asyncio.to_thread(strikes[n])
            patience = Patience(base_s=0.02, cap_s=0.2, spread_s=0.05, rng=rng)
            client = PoliteClient(door.http, patience, tries=200)
            told[f"u{n}"] = (await client.press(SKU, f"u{n}")).status_code

    await asyncio.gather(*(queue() for _ in range(AT_ONCE)))
    return told


@pytest.mark.parametrize("seed", NIGHTS)
def test_a_night_of_deaths_ends_with_books_that_balance(seed, database):
    dice = random.Random(seed)
    with Server(options=WRITTEN) as shelf, Server() as gate:
        settings = {
            "limiter_redis_url": gate.url,
            "fail_open": dice.random() < 0.5,
            "limit": 100_000,
            "redis_timeout_ms": 2_000,
        }
        with open_door(shelf.url, database.url, **settings) as door:
            door.open(SKU, STOCK)

            one_at_a_time = threading.Lock()  # a server is not killed again while it is coming up

            def strike(server: Server) -> None:
                with one_at_a_time:
                    server.kill()
                    server.restart()

            first, second, third = sorted(dice.sample(range(5, PEOPLE), 3))
            strikes = {
                first: lambda: strike(shelf),
                second: lambda: strike(gate),
                third: lambda: strike(shelf),
            }
            if hasattr(database.server, "kill"):  # a real one dies for real
                strikes[dice.choice([n for n in range(5, PEOPLE) if n not in strikes])] = lambda: (
                    database.server.kill(),
                    database.server.start(),
                )
            deaths = Deaths(door, random.Random(seed + 1_000))
            deaths.thread.start()
            try:
                told = door.run(crowd, door, strikes, random.Random(seed + 2_000))
            finally:
                deaths.stop.set()
                deaths.thread.join()
            holds_the_night(door, told)
    print(f"night {seed}: {dict(deaths.counts)}")  # shown with -s


def holds_the_night(door: Door, told: dict[str, int]) -> None:
    """Drain what is left; then everybody was told the truth, and everything is in its place."""
    desk = door.shop.desk
    consumer = Consumer(
        *(desk.redis, desk.engine, SKU), name="a", claim_idle_ms=1, board=desk.boards.on_order
    )
    while consumer.drain() or consumer.inbox.lag() or pending(desk):
        pass
    with desk.engine.begin() as connection:
        live = tables.orders.c.state.in_(tables.LIVE)
        owners = set(connection.scalars(select(tables.orders.c.user).where(live)))
    # 202: bought; 200: the reply was lost, and the order found; 409: bought by an earlier try.
    assert {user for user, status in told.items() if status in (200, 202, 409)} == owners
    assert set(told.values()) <= {200, 202, 409, 410}
    seen = books.check(desk.redis, desk.engine, SKU)
    assert (seen.ordered, seen.stock, seen.in_flight) == (STOCK, 0, 0), str(seen)
    assert seen.balanced, str(seen)
    assert counted(desk) == STOCK


def pending(desk) -> int:
    return desk.redis.xpending("seckill:orders:{2001}", "orders")["pending"]


def counted(desk) -> int:
    """What the boards hold, over all days that the night has touched."""
    keys = desk.redis.keys("rank:{sales}:[0-9][0-9][0-9][0-9][0-9]*")
    return sum(row.score for key in keys for row in desk.boards.top(key))
