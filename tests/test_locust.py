"""The crowd over HTTP: locust without its page, as a process of its own, on loopback."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import floor
from pathlib import Path

import pytest
from doors import PATIENT_MS, served
from shop import books
from shop.app import create_app
from shop.consumer import Consumer
from shop.door.settings import Settings

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
DEEP = os.environ.get("RUSH_DEEP") == "1"
AT_MOST_S = 120  # a scene of seconds, on a machine that is busy with others

pytestmark = pytest.mark.once


@contextmanager
def shop_at(server, tmp_path, **settings) -> Iterator[tuple[str, object]]:
    """A door on a real socket: its address, and the Shop behind it."""
    database = f"sqlite:///{tmp_path / 'shop.db'}"
    settings = {"redis_timeout_ms": PATIENT_MS} | settings
    app = create_app(Settings(redis_url=server.url, database_url=database, **settings))
    with served(app) as url:
        yield url, app.state.shop


def crowd(url, tmp_path, scene, people, **more) -> dict[int, int]:
    """Run a scene to its end; the presses' statuses."""
    told = tmp_path / "counts.json"
    done = subprocess.run(
        [sys.executable, "-m", "locust", "-f", "shop/locustfile.py", scene, "--headless"]
        + ["-u", str(people), "-r", str(people), "--host", url, "--run-time", f"{AT_MOST_S}s"]
        + ["--only-summary", "--exit-code-on-error", "3", "--stop-timeout", "5"],
        cwd=NOTEBOOKS,
        env=os.environ | {"COUNTS": str(told)} | {k: str(v) for k, v in more.items()},
        capture_output=True,
        text=True,
        timeout=AT_MOST_S + 60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {int(status): count for status, count in json.loads(told.read_text()).items()}


def note_times(shop) -> list[float]:
    """When presses come to the gate and leave it, seconds since 1970."""
    times, ask = [], shop.gate.ask

    async def noted(*press):
        times.append(time.time())
        verdict = await ask(*press)
        times.append(time.time())
        return verdict

    shop.gate.ask = noted
    return times


def test_the_limited_door_lets_in_between_its_bounds(r, server, tmp_path):
    """The article's scene: 200 people press once a second, five times; 100 a second, stock 100.

    Every day a fifth of it. Whatever the machine does, at least the limit comes in (nobody is
    refused while the window holds less), and that is the stock: all of it is sold. At most the
    limit comes in for each window that has begun between the first press and the last.
    """
    limit = 100 if DEEP else 20
    with shop_at(server, tmp_path, limit=limit) as (url, shop):
        times = note_times(shop)
        told = crowd(url, tmp_path, "LimitedDoor", 2 * limit, STOCK=limit)
        total = shop.tallies["2001"].total
    admitted = sum(n for status, n in told.items() if status != 429)
    assert sum(told.values()) == 10 * limit == sum(total.values())
    assert told[202] == limit
    # So many half-open seconds cover the whole time; Redis counts in whole milliseconds, down.
    seconds = floor(max(times) - min(times) + 0.001) + 1
    assert limit <= admitted <= limit * seconds
    assert r.get("seckill:stock:{2001}") == "0"


def test_fifty_people_press_five_thousand_times_for_a_hundred(r, server, tmp_path):
    presses = 5_000 if DEEP else 500
    settings = {"limit": 10**6, "per_user_limit": 0}
    with shop_at(server, tmp_path, **settings) as (url, shop):
        told = crowd(url, tmp_path, "FiftyBuyers", 50, PRESSES=presses, STOCK=20)
        Consumer(shop.desk.redis, shop.desk.engine, "2001").drain()
        seen = books.check(r, shop.desk.engine, "2001")
    # 50 people, 20 items, one each: 20 sold; the rest hears "already" or "sold out".
    assert told[202] == 20
    assert sum(told.values()) == presses and set(told) == {202, 409, 410}
    assert (seen.ordered, seen.stock, seen.balanced) == (20, 0, True)


def test_opening_night_ends_sold_out_and_balanced(r, server, tmp_path):
    """Polite people, twice the limit and more than the stock: all get an answer in the end."""
    people = 200 if DEEP else 50
    with shop_at(server, tmp_path, limit=people // 2) as (url, shop):
        told = crowd(url, tmp_path, "OpeningNight", people, STOCK=20)
        Consumer(shop.desk.redis, shop.desk.engine, "2001").drain()
        seen = books.check(r, shop.desk.engine, "2001")
    assert (told[202], told[410]) == (20, people - 20)
    assert (seen.ordered, seen.stock, seen.balanced) == (20, 0, True)
