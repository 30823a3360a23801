"""The live page and the API's page in a real browser, against a door on a real socket."""

import httpx
import pytest
from doors import PATIENT_MS, served
from shop.app import create_app
from shop.consumer import Consumer
from shop.door.settings import Settings
from website import chromium as running

WAIT_MS = 30_000  # a busy machine; the page looks once a second

pytestmark = [pytest.mark.browser, pytest.mark.once]


@pytest.fixture(scope="module")
def chromium():
    with running() as browser:
        yield browser


@pytest.fixture
def shop(r, server, tmp_path):
    """A door where ten of twenty items are bought and five of these written; its address."""
    database = f"sqlite:///{tmp_path / 'shop.db'}"
    settings = Settings(
        redis_url=server.url,
        database_url=database,
        limit=20,
        window_ms=3_600_000,
        redis_timeout_ms=PATIENT_MS,
    )
    app = create_app(settings)
    with served(app) as url:
        desk = app.state.shop.desk
        with httpx.Client(base_url=url, timeout=60) as http:
            http.put("/sales/2001", json={"stock": 20})
            for n in range(10):
                http.post(f"/sales/2001/orders?user=u{n}")
            consumer = Consumer(
                desk.redis, desk.engine, "2001", batch=5, board=desk.boards.on_order
            )
            consumer.step()
            yield url, http, consumer


def watch(page) -> tuple[list[str], list[str]]:
    """What the page asks for, and what goes wrong in it."""
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.set_default_timeout(WAIT_MS)
    return asked, wrong


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (390, "dark")])
def test_the_live_page_shows_the_sale_and_follows_it(chromium, shop, width, scheme):
    url, http, consumer = shop
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked, wrong = watch(page)
    page.goto(url)
    page.wait_for_function("document.getElementById('stock').textContent === '10'")
    shown = {name: page.text_content(f"#{name}") for name in ("queued", "ordered", "lag")}
    assert shown == {"queued": "5", "ordered": "5", "lag": "5"}
    squares = page.eval_on_selector_all("#squares i", "all => all.map(one => one.className)")
    assert squares == ["ordered"] * 5 + ["in-flight"] * 5 + ["stock"] * 10
    assert page.text_content("#top") == "1sku:20015"
    assert page.text_content("#books") == "The books balance"
    assert page.locator("#gate rect").count() >= 1

    # The stock goes, the gate closes, the queue is drained: the page follows by itself.
    for n in range(10, 25):
        http.post(f"/sales/2001/orders?user=u{n}")
    consumer.drain()
    page.wait_for_function("document.getElementById('ordered').textContent === '20'")
    page.wait_for_function("document.getElementById('state').textContent.startsWith('Sold out')")
    told = page.get_attribute("#gate", "aria-label")
    assert told == "In the last minute 20 let in, 5 refused."
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
        "it scrolls sideways"
    )
    assert all(address.startswith((url, "data:")) for address in asked)
    assert wrong == []
    page.close()


def test_a_hole_in_the_books_is_shown_with_its_name(chromium, shop, r):
    url, _, _ = shop
    r.sadd("seckill:users:{2001}", "ghost")
    page = chromium.new_page()
    watch(page)
    page.goto(url)
    page.wait_for_function("document.getElementById('books').textContent.includes('do not')")
    assert "ghost: bought, but has no row" in page.text_content("#gaps")
    page.close()


def test_the_page_says_so_when_the_door_is_gone(chromium, shop):
    url, _, _ = shop
    page = chromium.new_page()
    watch(page)
    page.goto(url)
    page.wait_for_function("document.getElementById('stock').textContent === '10'")
    page.route("**/live*", lambda route: route.abort())
    page.wait_for_function("document.getElementById('state').textContent.includes('not answer')")
    page.unroute("**/live*")
    page.wait_for_function("document.getElementById('state').textContent === 'On sale.'")
    page.close()


def test_names_from_the_shop_are_text_and_never_markup(chromium, shop, r):
    url, _, _ = shop
    r.sadd("seckill:users:{2001}", "<img src=x onerror=alert(1)>")
    page = chromium.new_page()
    _, wrong = watch(page)
    page.goto(url)
    page.wait_for_selector("#gaps li")
    assert "<img" in page.text_content("#gaps") and page.locator("#gaps img").count() == 0
    assert wrong == []
    page.close()


def test_the_api_page_lists_every_route_and_sends(chromium, shop):
    url, http, _ = shop
    page = chromium.new_page()
    asked, wrong = watch(page)
    page.goto(f"{url}/docs")
    routes = http.get("/openapi.json").json()["paths"]
    count = sum(len(methods) for methods in routes.values())
    page.wait_for_function(f"document.querySelectorAll('details').length === {count}")
    press = page.locator("details", has=page.locator("summary", has_text="POST"))
    press.locator("summary").click()
    press.locator("input[name=sku]").fill("2001")
    press.locator("input[name=user]").fill("from-the-page")
    press.locator("button").click()
    page.wait_for_function("document.querySelector('pre:not([hidden])')")
    told = press.locator("pre").inner_text()
    assert told.startswith("202 ") and "ratelimit-policy" in told and '"queued"' in told
    assert all(address.startswith((url, "data:")) for address in asked)
    assert wrong == []
    page.close()
