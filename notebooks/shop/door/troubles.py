"""What happens when something is away, or makes no sense: one body for every error."""

from __future__ import annotations

from typing import Any

import redis
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import exc
from starlette.exceptions import HTTPException

from shop.connect import not_now
from shop.sale import SaleError

from .gate import AWAY
from .replies import answer

DATABASE_AWAY = exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError
SOON = {"Retry-After": "1"}  # seconds


def away(request: Request, _error: Exception) -> JSONResponse:
    """503: Redis or the database does not answer."""
    return answer(request, 503, "unavailable", SOON)


def away_for_now(request: Request, error: Exception) -> JSONResponse:
    """503 when Redis takes nothing at the moment; any other refusal is a fault of ours."""
    if not not_now(error):
        raise error
    return away(request, error)


def not_on_sale(request: Request, _error: Exception) -> JSONResponse:
    """404: nobody has opened this sale."""
    return answer(request, 404, "not_on_sale")


PATTERNS = {  # a pattern in plain words, by the name of what must match it
    "user": "1 to 64 characters: no spaces, nothing invisible, none of / ? # % \\, and no dot in front",
    "sku": "1 to 64 letters, digits, dots, underscores or dashes; a letter or digit in front",
}


def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    """422: each error with its place; what was sent is not repeated."""
    errors = [
        {"where": ".".join(map(str, e["loc"])), "what": _plainly(e), "type": e["type"]}
        for e in error.errors()
    ]
    return answer(request, 422, "invalid", errors=errors)


def _plainly(error: dict[str, Any]) -> str:
    is_pattern = error["type"] == "string_pattern_mismatch"
    return PATTERNS.get(error["loc"][-1], error["msg"]) if is_pattern else error["msg"]


def other(request: Request, error: HTTPException) -> JSONResponse:
    """No such page, or no such method: the status and headers that the framework chose."""
    code = "not_found" if error.status_code == 404 else "invalid"
    return answer(request, error.status_code, code, dict(error.headers or {}))


def install(app: FastAPI) -> None:
    """Give the app these answers."""
    for kind in (*AWAY, *DATABASE_AWAY):
        app.add_exception_handler(kind, away)
    app.add_exception_handler(redis.ResponseError, away_for_now)
    app.add_exception_handler(SaleError, not_on_sale)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)
