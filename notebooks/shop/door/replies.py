"""The shapes of what the door says; the OpenAPI page is made from them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from .sentences import language_of, sentence

SKU = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
# What nobody sees: control characters, spaces, marks that turn the direction of writing; and U+FFFD,
# which every byte that is no UTF-8 becomes: two people would be one. U+200C and U+200D join letters.
UNSEEN = (
    r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffd"
)
# Anything else that stays one step of a path: no / ? # %, no dot in front.
USER = rf"^[^{UNSEEN}/?#%\\.][^{UNSEEN}/?#%\\]{{0,63}}$"

Sku = Annotated[str, Path(pattern=SKU, description="What is sold.", examples=["2001"])]
Buyer = Annotated[str, Path(pattern=USER, description="Who bought.", examples=["u1001"])]
Presser = Annotated[str, Query(pattern=USER, description="Who presses.", examples=["u1001"])]


class Stock(BaseModel):
    """What a sale is opened with."""

    stock: int = Field(strict=True, ge=0, le=2**31 - 1, description="How many there are.")


class Answer(BaseModel):
    """A code for the program, a sentence for the person."""

    status: str
    message: str


class Refusal(Answer):
    """429: too many, or too often."""

    retry_after: int = Field(ge=1, description="Seconds; the Retry-After header says the same.")


class Already(Answer):
    """409: this person has one."""

    order: str = Field(description="How that order stands: queued, ordered, paid, ...")


class Invalid(Answer):
    """422: what is wrong, and where."""

    errors: list[dict[str, Any]]


class SaleState(BaseModel):
    """How a sale stands."""

    sku: str
    stock: int
    queued: int = Field(description="Bought, and not yet acknowledged by the consumer.")
    ordered: int = Field(description="Rows that hold an item.")
    lag: int = Field(description="Bought, and not yet delivered to a consumer.")


class Line(BaseModel):
    """One line of a board. Equal scores share a rank."""

    rank: int
    member: str
    score: int


class Board(BaseModel):
    """The best of a day or of a week."""

    zone: str
    key: str
    items: list[Line]


class Second(BaseModel):
    """One second at the gate."""

    at: int = Field(description="Seconds since 1970.")
    admitted: int
    refused: int


class Live(BaseModel):
    """What the live page draws."""

    sku: str
    sales: list[str]
    state: SaleState
    parts: dict[str, int] | None = Field(description="The bar of the books; null above 10,000.")
    gaps: list[str]
    seconds: list[Second]
    top: list[Line]


class Health(BaseModel):
    """What the shop leans on, each "ok" or "away"."""

    status: str
    redis: str
    limiter: str
    database: str


def answer(
    request: Request, http: int, code: str, headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    """The body with the sentence in the person's language, and the headers that say which."""
    language = language_of(request.headers.get("accept-language", ""))
    body = {"status": code, "message": sentence(code, language)} | more
    spoken = {"Content-Language": language, "Vary": "Accept-Language"}
    return JSONResponse(body, http, spoken | (headers or {}))
