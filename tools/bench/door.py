"""The door's speed: requests a second, beside the bare script and beside a route that does nothing.

    python -m tools.bench.door [--requests 1000] [--rounds 5]

Everybody takes a turn in each round, twenty requests at once, in this process and on one core:
ASGI calls without a network, so that what is compared is the work itself.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "notebooks")]

from fastapi import FastAPI  # noqa: E402
from lab.clients import open_async_client  # noqa: E402
from lab.server import Server  # noqa: E402
from shop.app import create_app  # noqa: E402
from shop.door.settings import Settings  # noqa: E402
from shop.keys import Keys  # noqa: E402
from shop.lua import register  # noqa: E402

AT_ONCE = 20
STOCK = 10**9
Request = Callable[[], Awaitable[Any]]


async def ask(app: FastAPI, method: str, path: str, query: str = "", body: bytes = b"") -> int:
    """One request to an ASGI application; its status."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"shop"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    status = 0

    async def receive() -> dict:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict) -> None:
        nonlocal status
        status = message.get("status", status)

    await app(scope, receive, send)
    return status


async def rate(request: Request, requests: int) -> float:
    """Requests a second, AT_ONCE of them at a time."""
    left = iter(range(requests))

    async def one_after_another() -> None:
        for _ in left:
            await request()

    started = time.perf_counter()
    await asyncio.gather(*(one_after_another() for _ in range(AT_ONCE)))
    return requests / (time.perf_counter() - started)


async def measure(requests: int, rounds: int) -> dict[str, float]:
    """Requests a second of each, the median over the rounds."""
    numbers = count()
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        common = {"redis_url": server.url, "database_url": f"sqlite:///{folder}/shop.db"}
        door, full = (
            create_app(Settings(**common, limiter="sliding_window_ring", limit=limit))
            for limit in (10**6, 0)
        )
        empty = FastAPI()

        @empty.post("/sales/{sku}/orders")
        async def nothing(sku: str, user: str) -> dict:
            return {"status": "ok"}

        opened = await ask(door, "PUT", "/sales/2001", body=b'{"stock": %d}' % STOCK)
        assert opened in (200, 201), opened
        client = open_async_client(server.url, retries=0)
        script, keys = register(client, "seckill_enqueue"), Keys.of("bare")[:3]
        await client.set(keys[0], STOCK)

        def press(app: FastAPI, status: int) -> Request:
            async def one() -> None:
                query = f"user=u{next(numbers)}"
                assert await ask(app, "POST", "/sales/2001/orders", query) == status

            return one

        everybody: dict[str, Request] = {
            "the bare script": lambda: script(keys=keys, args=[f"u{next(numbers)}", "bare"]),
            "an empty route": press(empty, 200),
            "the door, let in and sold": press(door, 202),
            "the door, turned away": press(full, 429),
        }
        seen: dict[str, list[float]] = {name: [] for name in everybody}
        for _ in range(rounds):
            for name, request in everybody.items():
                seen[name].append(await rate(request, requests))
        await client.aclose()
    return {name: median(rates) for name, rates in seen.items()}


def table(rates: dict[str, float]) -> list[str]:
    """As Markdown."""
    lines = ["| on one core | requests a second |", "|---|--:|"]
    return lines + [f"| {name} | {figure:,.0f} |" for name, figure in rates.items()]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.door", description=__doc__)
    for name, default in (("requests", 1_000), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    print("\n".join(table(asyncio.run(measure(given.requests, given.rounds)))))


if __name__ == "__main__":
    main()
