"""The door: the shop over HTTP.

    cd notebooks && uvicorn shop.app:app

Settings come from the environment: REDIS_URL, LIMITER_REDIS_URL, DATABASE_URL, LIMIT, WINDOW_MS,
LIMITER, PER_USER_LIMIT, ZONE, FAIL_OPEN (door/settings.py says what each means).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import redis.asyncio
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from sqlalchemy import Engine
from starlette.concurrency import run_in_threadpool

from shop.connect import LOST
from shop.door import pages, troubles
from shop.door.counter import Counter
from shop.door.desk import Desk
from shop.door.gate import Gate
from shop.door.replies import (
    Already,
    Answer,
    Buyer,
    Invalid,
    Presser,
    Refusal,
    SaleState,
    Sku,
    Stock,
    answer,
)
from shop.door.settings import Settings
from shop.door.tally import Tally
from shop.sale import ALREADY, NOT_ON_SALE, SOLD_OUT, SaleError

CONNECTIONS = 64  # to each Redis; the next press waits for a free one


class Shop:
    """What the routes share. Nothing is connected before it is needed."""

    def __init__(self, settings: Settings, engine: Engine | None = None) -> None:
        self.settings = settings
        self.desk = Desk(settings, engine)
        self.counter = Counter(_client(settings.redis_url, settings))
        self.gate = Gate(_client(settings.limiters_url, settings), settings)
        self.tallies: dict[str, Tally] = defaultdict(Tally)


def _client(url: str, settings: Settings) -> redis.asyncio.Redis:
    """Sends each command once, and waits half a second at most unless told otherwise."""
    timeout_s = settings.redis_timeout_ms / 1000
    pool = redis.asyncio.BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
    )
    return redis.asyncio.Redis.from_pool(pool)


def create_app(settings: Settings | None = None, engine: Engine | None = None) -> FastAPI:
    """The door with these settings (default: the environment's). `app.state.shop` is the Shop."""
    shop = Shop(settings or Settings.read(), engine)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await shop.counter.redis.aclose()
        await shop.gate.client.aclose()
        await run_in_threadpool(shop.desk.close)

    app = FastAPI(title="Redis Rush", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.shop = shop
    troubles.install(app)
    add_press(app, shop)
    add_sales(app, shop)
    pages.add(app, shop)
    return app


def says(model: type, *codes: int) -> dict[int | str, dict[str, Any]]:
    """The same shape for several statuses, as FastAPI wants it for the OpenAPI page."""
    return {code: {"model": model} for code in codes}


ALWAYS = says(Invalid, 422) | says(Answer, 404, 503)


def add_press(app: FastAPI, shop: Shop) -> None:
    """The button."""

    @app.post(
        "/sales/{sku}/orders",
        status_code=202,
        response_model=Answer,
        responses=ALWAYS | says(Already, 409) | says(Answer, 410) | says(Refusal, 429),
    )
    async def press(request: Request, sku: Sku, user: Presser) -> JSONResponse:
        """Press the button: limited by sale and by person, then one atomic purchase."""
        if not await shop.counter.on_sale(sku):
            raise SaleError(sku)
        verdict = await shop.gate.ask(sku, user)
        count: Callable[[str], None] = shop.tallies[sku].add
        if verdict.closed:
            count("unavailable")
            return troubles.away(request, ConnectionError())
        headers, refused_by = verdict.headers, verdict.refused_by
        if refused_by:
            count(refused_by.refusal)
            wait = verdict.retry_after
            return answer(request, 429, refused_by.refusal, headers, retry_after=wait)
        order = {"Location": f"/sales/{sku}/orders/{quote(user, safe='')}"}
        try:
            code = (await shop.counter.buy(sku, user)).code
        except LOST:
            count("unknown")
            return answer(request, 503, "unknown", headers | order | troubles.SOON)
        if code == NOT_ON_SALE:
            raise SaleError(sku)
        if code == SOLD_OUT:
            count("sold_out")
            return answer(request, 410, "sold_out", headers)
        if code == ALREADY:
            count("already_bought")
            has = await run_in_threadpool(status_if_known, sku, user)
            return answer(request, 409, "already_bought", headers | order, order=has)
        count("queued")
        return answer(request, 202, "queued", headers | order)

    def status_if_known(sku: str, user: str) -> str:
        try:
            return shop.desk.status(sku, user)
        except troubles.DATABASE_AWAY:  # they have one all the same
            return "unknown"


def add_sales(app: FastAPI, shop: Shop) -> None:
    """A sale and its orders. Plain functions: FastAPI runs them in threads."""
    desk = shop.desk

    @app.put(
        "/sales/{sku}",
        response_model=Answer,
        responses=says(Answer, 201, 409, 503) | says(Invalid, 422),
    )
    def open_sale(request: Request, sku: Sku, given: Stock) -> JSONResponse:
        """Open a sale. Again with the same stock nothing changes; buyers are never reset."""
        try:
            opened = desk.open(sku, given.stock)
        except SaleError:
            return answer(request, 409, "other_stock")
        return answer(request, 201 if opened else 200, "opened")

    @app.get("/sales/{sku}", responses=ALWAYS)
    def read_sale(sku: Sku) -> SaleState:
        """How the sale stands."""
        return SaleState(sku=sku, **desk.standing(sku)._asdict())

    order = "/sales/{sku}/orders/{user}"

    @app.get(order, response_model=Answer, responses=ALWAYS)
    def read_order(request: Request, sku: Sku, user: Buyer) -> JSONResponse:
        """How a person's order stands: queued, ordered, paid, cancelled or failed."""
        status = desk.status(sku, user)
        return answer(request, 404 if status == "none" else 200, status)

    @app.delete(order, response_model=Answer, responses=ALWAYS | says(Answer, 409))
    def cancel_order(request: Request, sku: Sku, user: Buyer) -> JSONResponse:
        """Give the item back, once; again changes nothing. What is paid stays."""
        status = desk.cancel(sku, user)
        http = {"none": 404, "cancelled": 200, "failed": 200}.get(status, 409)
        return answer(request, http, status)


def __getattr__(name: str) -> Any:
    """`app` is made when uvicorn asks for it, so that importing this module reads no settings."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        globals()["app"] = made = create_app()
    except ValueError as error:
        raise SystemExit(f"The shop does not start: {error}") from None
    return made
