"""A client that a busy shop likes: it waits as long as it was told, and never in step with others.

async with PoliteClient(httpx.AsyncClient(base_url="http://127.0.0.1:8000")) as client:
    answer = await client.press("2001", "u1001")
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import quote

import httpx

BUSY = (429, 502, 503, 504)  # answers that may be different later
LOST = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)


class Patience:
    """How long to wait before the next try, in seconds.

    Told a time, it waits that long and up to `spread_s` more: jitter is added, never taken away,
    and it should be as long as the queue takes to pass. Told nothing, it doubles from `base_s` to
    `cap_s`, and takes a random part of that.
    """

    def __init__(
        self,
        base_s: float = 0.1,
        cap_s: float = 10.0,
        spread_s: float = 1.0,
        rng: random.Random | None = None,
    ) -> None:
        if not (0 < base_s <= cap_s and spread_s > 0):
            raise ValueError(
                "0 < base_s <= cap_s and a spread_s above 0 are needed: got "
                f"{base_s}, {cap_s} and {spread_s}."
            )
        self.base_s, self.cap_s, self.spread_s = base_s, cap_s, spread_s
        self.rng = rng or random.Random()

    def wait_s(self, attempt: int, told_s: float | None = None) -> float:
        """Seconds after the attempt of that number, from 0."""
        if told_s is not None:
            return told_s + self.rng.uniform(0, self.spread_s)
        return self.rng.uniform(0, min(self.cap_s, self.base_s * 2 ** min(attempt, 60)))


def told_s(header: str | None, now: datetime | None = None) -> float | None:
    """Retry-After in seconds from now: a number or an HTTP date; None when absent or unreadable."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)  # "-0000" says UTC too
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


class PoliteClient:
    """Presses the button until the shop has decided, at most `tries` times."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        patience: Patience | None = None,
        tries: int = 20,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        if tries < 1:
            raise ValueError(f"tries is {tries}: at least 1 is needed.")
        self.http, self.patience, self.tries, self.sleep = (
            http,
            patience or Patience(),
            tries,
            sleep,
        )

    async def __aenter__(self) -> PoliteClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def press(self, sku: str, user: str) -> httpx.Response:
        """The shop's last answer to this user's press.

        When a reply is lost, the order is asked for before the button is pressed again: what was
        bought is not bought twice. Raises the last transport error when no try was answered.
        """
        sale = f"/sales/{quote(sku, safe='')}/orders"
        order, ask_first = f"{sale}/{quote(user, safe='')}", False
        for attempt in range(self.tries):
            last = attempt == self.tries - 1
            try:
                if ask_first:
                    answer = await self.http.get(order)
                    if answer.status_code == 404:
                        ask_first = False
                if not ask_first:
                    ask_first = True  # until an answer says that this press is done with
                    answer = await self.http.post(sale, params={"user": user})
                    ask_first = answer.status_code in BUSY and "location" in answer.headers
            except LOST:
                if last:
                    raise
                await self.sleep(self.patience.wait_s(attempt))
                continue
            if answer.status_code not in BUSY or last:
                break
            told = told_s(answer.headers.get("retry-after"))
            await self.sleep(self.patience.wait_s(attempt, told))
        return answer
