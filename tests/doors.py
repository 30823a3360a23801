"""The door for the tests: in process without a socket, or on a real one at loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import uvicorn
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI
from shop.app import create_app
from shop.consumer import Consumer
from shop.door.settings import Settings

# Longer than a busy machine stalls: only a test whose Redis is away wants the real half second.
PATIENT_MS = 20_000


class Door:
    """`door.get("/sales/2001")` gives the response; all requests share one event loop."""

    def __init__(self, portal: Any, app: FastAPI, http: httpx.AsyncClient) -> None:
        self._portal, self.app, self.http = portal, app, http
        self.shop = app.state.shop

    def run(self, task: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        """Run an async function in the door's loop."""
        return self._portal.call(task, *args)

    def ask(self, method: str, path: str, **kw: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            return await self.http.request(method, path, **kw)

        return self.run(send)

    def get(self, path: str, **kw: Any) -> httpx.Response:
        return self.ask("GET", path, **kw)

    def open(self, sku: str = "2001", stock: int = 100) -> httpx.Response:
        return self.ask("PUT", f"/sales/{sku}", json={"stock": stock})

    def press(self, user: str, sku: str = "2001", **kw: Any) -> httpx.Response:
        return self.ask("POST", f"/sales/{sku}/orders", params={"user": user}, **kw)

    def consumer(self, sku: str = "2001", **kw: Any) -> Consumer:
        """A consumer on the door's Redis and database that feeds its boards."""
        desk = self.shop.desk
        return Consumer(desk.redis, desk.engine, sku, board=desk.boards.on_order, **kw)


@contextlib.contextmanager
def open_door(redis_url: str, database_url: str, **settings: Any) -> Iterator[Door]:
    """A door in process."""
    settings = {"redis_timeout_ms": PATIENT_MS} | settings
    app = create_app(Settings(redis_url=redis_url, database_url=database_url, **settings))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    http = httpx.AsyncClient(transport=transport, base_url="http://shop", timeout=60)
    with start_blocking_portal() as portal:
        try:
            yield Door(portal, app, http)
        finally:
            portal.call(http.aclose)
            portal.call(app.state.shop.counter.redis.aclose)
            portal.call(app.state.shop.gate.client.aclose)
            app.state.shop.desk.close()


@contextlib.contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The app on a real socket of 127.0.0.1; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
