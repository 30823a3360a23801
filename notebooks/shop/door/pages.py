"""What people look at: the live page, the boards, the health, and the API's own page."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import redis.asyncio
from fastapi import FastAPI, Query, Response
from fastapi.responses import FileResponse
from sqlalchemy import exc, text
from starlette.concurrency import run_in_threadpool

from shop import books
from shop.sale import SaleError

from .replies import SKU, Answer, Board, Health, Invalid, Line, Live, SaleState, Second

if TYPE_CHECKING:
    from shop.app import Shop

HERE = Path(__file__).parent
REFUSED = {"too_many", "too_often"}
NOT_HEARD = {"unavailable", "unknown"}  # neither let in nor refused
WITHIN_S = 2.0  # longest that /health waits for one answer

Count = Annotated[int, Query(ge=1, le=100, description="How many lines.")]
Day = Annotated[date | None, Query(description="The day, as 2026-07-30; left out: today.")]
WhichSale = Annotated[str | None, Query(pattern=SKU, description="Left out: the newest one.")]


def add(app: FastAPI, shop: Shop) -> None:
    """Give the app these routes."""
    desk = shop.desk
    errors = {422: {"model": Invalid}, 503: {"model": Answer}}

    @app.get("/", include_in_schema=False)
    def live_page() -> FileResponse:
        return FileResponse(HERE / "dashboard.html")

    @app.get("/docs", include_in_schema=False)
    def api_page() -> FileResponse:
        return FileResponse(HERE / "docs.html")

    @app.get("/boards/day", responses=errors)
    def board_of_day(count: Count = 10, day: Day = None) -> Board:
        """The day's best."""
        return board(desk.boards.day_key(day or desk.boards.clock_ms()), count)

    @app.get("/boards/week", responses=errors)
    def board_of_week(count: Count = 10, day: Day = None) -> Board:
        """The best of the ISO week that holds the day."""
        return board(desk.boards.week_key(day or desk.boards.clock_ms()), count)

    def board(key: str, count: int) -> Board:
        return Board(zone=shop.settings.zone, key=key, items=lines(key, count))

    def lines(key: str, count: int) -> list[Line]:
        return [Line(**row._asdict()) for row in desk.boards.top(key, count)]

    @app.get("/live", responses=errors | {404: {"model": Answer}})
    def live(sku: WhichSale = None) -> Live:
        """All that the live page draws; seconds are those of this process."""
        sales = shop.counter.sales
        sku = sku or (sales[-1] if sales else "")
        if not sku:
            raise SaleError("no sale has been seen at this door yet")
        seen, standing = desk.books(sku), desk.standing(sku)
        tally = shop.tallies[sku].seconds() if sku in shop.tallies else []
        return Live(
            sku=sku,
            sales=sales,
            state=SaleState(sku=sku, **standing._asdict()),
            parts=parts(seen) if seen else None,
            gaps=[f"{gap.user or sku}: {gap.what}" for gap in (seen.gaps if seen else ())],
            seconds=[second(at, counts) for at, counts in tally],
            top=lines(desk.boards.day_key(desk.boards.clock_ms()), 10),
        )

    @app.get("/health", responses={503: {"model": Health}})
    async def health(response: Response) -> Health:
        """Who answers and takes what a press needs. 503 when anybody is away."""
        redis_, limiter, database = await asyncio.gather(
            answers(takes_writes(shop.counter.redis, "seckill:health")),
            answers(takes_writes(shop.gate.client, "limit:health")),
            answers(run_in_threadpool(ask_database)),
        )
        well = redis_ == limiter == database == "ok"
        response.status_code = 200 if well else 503
        status = "ok" if well else "away"
        return Health(status=status, redis=redis_, limiter=limiter, database=database)

    def ask_database() -> None:
        with desk.engine.connect() as connection:
            connection.execute(text("SELECT 1"))


async def takes_writes(client: redis.asyncio.Redis, key: str) -> None:
    """Write nothing to `key`. A replica, or a server whose memory is full, refuses even that."""
    await client.setrange(key, 0, "")


async def answers(asked) -> str:
    """ "ok", or "away" when nothing comes in time."""
    try:
        await asyncio.wait_for(asked, WITHIN_S)
        return "ok"
    except (redis.RedisError, exc.SQLAlchemyError, ImportError, TimeoutError):
        return "away"


def second(at: int, counts: dict[str, int]) -> Second:
    """One second's answers as let in and refused."""
    refused = sum(counts.get(code, 0) for code in REFUSED)
    admitted = sum(n for code, n in counts.items() if code not in REFUSED | NOT_HEARD)
    return Second(at=at, admitted=admitted, refused=refused)


def parts(seen: books.Books) -> dict[str, int]:
    """The bar of the books, in items: they sum to the initial stock when the books balance."""
    back = min(seen.returned, seen.stock)
    return {
        "ordered": seen.ordered,
        "in flight": seen.in_flight,
        "missing": max(seen.initial - seen.stock - seen.in_flight - seen.ordered, 0),
        "returned": back,
        "stock": seen.stock - back,
    }
