"""shop.polite: nobody comes back early, nobody comes back together, nothing is bought twice."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from shop.polite import Patience, PoliteClient, told_s

NOON = datetime(2026, 7, 30, 4, 0, tzinfo=UTC)


def pressed(shop, **kw) -> tuple[httpx.Response, list[float]]:
    """One press at a shop that is a function of the request; gives the answer and the waits."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def go() -> httpx.Response:
        http = httpx.AsyncClient(transport=httpx.MockTransport(shop), base_url="http://shop")
        async with PoliteClient(http, Patience(rng=random.Random(8)), sleep=sleep, **kw) as client:
            return await client.press("2001", "u1")

    return asyncio.run(go()), waits


def answers(*replies):
    """A shop that gives these answers, or raises these errors, in turn; it notes the requests."""
    left, asked = list(replies), []

    def shop(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.raw_path.decode()}")
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    shop.asked = asked
    return shop


BUSY = httpx.Response(429, headers={"Retry-After": "3"})
BOUGHT = httpx.Response(202)
PRESS, ASK = "POST /sales/2001/orders?user=u1", "GET /sales/2001/orders/u1"


def test_refused_twice_it_waits_twice_and_gets_one():
    shop = answers(BUSY, BUSY, BOUGHT)
    answer, waits = pressed(shop)
    assert answer.status_code == 202
    assert all(3 <= wait <= 4 for wait in waits) and len(waits) == 2
    assert shop.asked == [PRESS] * 3


def test_twenty_who_were_told_one_second_all_wait_it_and_come_at_twenty_times():
    waits = [Patience().wait_s(0, told_s=1.0) for _ in range(20)]
    assert min(waits) >= 1.0 and max(waits) <= 2.0
    assert len(set(waits)) == 20


def test_the_same_answer_twice_gives_different_waits():
    _, waits = pressed(answers(*[BUSY] * 9, BOUGHT))
    assert len(set(waits)) == 9


@pytest.mark.parametrize("final", [202, 404, 409, 410, 422])
def test_what_is_decided_is_not_asked_again(final):
    answer, waits = pressed(answers(httpx.Response(final)))
    assert (answer.status_code, waits) == (final, [])


def test_without_a_word_the_waits_double_up_to_the_cap():
    calm = Patience(base_s=0.1, cap_s=1.0, rng=random.Random(8))
    for attempt, most in enumerate([0.1, 0.2, 0.4, 0.8, 1.0, 1.0]):
        waits = [calm.wait_s(attempt) for _ in range(200)]
        assert min(waits) >= 0 and max(waits) <= most
        # 200 even throws all below nine tenths of the most: 0.9 ** 200 = 7e-10, and it is seeded.
        assert max(waits) > 0.9 * most
    assert Patience().wait_s(10**6) <= 10.0


def test_after_the_last_try_the_last_answer_is_told():
    answer, waits = pressed(answers(BUSY, BUSY, BUSY), tries=3)
    assert (answer.status_code, len(waits)) == (429, 2)


def test_after_a_lost_reply_it_asks_before_it_presses():
    found = answers(httpx.ReadTimeout("lost"), httpx.Response(200, json={"status": "queued"}))
    assert pressed(found)[0].status_code == 200
    assert found.asked == [PRESS, ASK]
    not_heard = answers(httpx.ReadError("lost"), httpx.Response(404), BOUGHT)
    assert pressed(not_heard)[0].status_code == 202
    assert not_heard.asked == [PRESS, ASK, PRESS]


def test_a_shop_that_does_not_know_itself_is_asked_too():
    unsure = httpx.Response(503, headers={"Retry-After": "1", "Location": "/sales/2001/orders/u1"})
    shop = answers(unsure, httpx.Response(200))
    assert pressed(shop)[1][0] >= 1
    assert shop.asked == [PRESS, ASK]


def test_a_refusal_is_no_lost_reply():
    shop = answers(httpx.ConnectError("away"), httpx.Response(404), BUSY, BOUGHT)
    assert pressed(shop)[0].status_code == 202
    assert shop.asked == [PRESS, ASK, PRESS, PRESS]


def test_a_shop_that_never_answers_is_an_error_in_the_end():
    with pytest.raises(httpx.ConnectError):
        pressed(answers(*[httpx.ConnectError("away")] * 3), tries=3)


def test_a_name_with_a_sign_in_it_stays_one_name():
    shop = answers(httpx.ReadTimeout("lost"), httpx.Response(200))

    async def go() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(shop), base_url="http://shop")
        await PoliteClient(http, Patience(1e-6, 1e-6)).press("2001", "王&a=b")

    asyncio.run(go())
    assert shop.asked == [
        "POST /sales/2001/orders?user=%E7%8E%8B%26a%3Db",
        "GET /sales/2001/orders/%E7%8E%8B%26a%3Db",
    ]


@pytest.mark.parametrize(
    "header, seconds",
    [
        ("1", 1.0),
        (" 60 ", 60.0),
        ("0", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-1", None),
    ],
)
def test_retry_after_in_seconds(header, seconds):
    assert told_s(header) == seconds


@pytest.mark.parametrize("ahead_s, seconds", [(90, 90.0), (-90, 0.0)])
def test_retry_after_as_a_date(ahead_s, seconds):
    date = format_datetime(NOON + timedelta(seconds=ahead_s), usegmt=True)
    assert told_s(date, now=NOON) == seconds


def test_a_date_without_a_zone_is_utc():
    assert told_s("Thu, 30 Jul 2026 04:00:05 -0000", now=NOON) == 5.0


@pytest.mark.parametrize("wrong", [{"base_s": 0}, {"base_s": 2, "cap_s": 1}, {"spread_s": 0}])
def test_patience_that_would_not_spread_is_refused(wrong):
    with pytest.raises(ValueError, match="base_s"):
        Patience(**wrong)


def test_no_tries_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        PoliteClient(None, tries=0)
