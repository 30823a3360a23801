"""The stages of the first day and the last two: the prompt, opening night, the failover."""

import re

import pytest
from page_host import BUILD, ROOT, hosting
from stage_page import opened, serve
from test_stage import played

pytestmark = [pytest.mark.once]
browser_test = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def lua(name: str) -> str:
    return (ROOT / "lua" / f"{name}.lua").read_text()


def seen(day, part: str = ".scene") -> str:
    """The words in a picture."""
    return day.page.locator(f"rush-stage {part}").text_content()


@pytest.fixture(scope="module")
def host():
    if not (BUILD / "redis.wasm").exists():
        pytest.skip("the page's Redis is not built: run `make engine` first")
    with hosting() as one:
        serve(one)
        yield one


# ── Day 9: two machines that do not hear each other ──

NIGHT = """const { day9 } = await stage('days/day9.mjs');
const out = [];
for (const [cut, heard, guard] of given.nights) {
    const play = async job => { const told = server.play(job); if (told.fault) throw new Error(told.fault.message); return told; };
    out.push(await day9.tell(play, name => name, given.lua, { cut, heard, guard }));
}
return out;"""


def test_what_was_not_heard_of_is_sold_again_and_the_last_line_holds_at_every_cut():
    """Sold: what the old one had, all 100, and what the other has not heard of: 200 - heard."""
    nights = [
        [cut, heard, guard]
        for cut, heard in ((40, 40), (0, 0), (100, 100), (100, 0), (73, 41), (1, 1))
        for guard in ("unique", "last")
    ]
    told = played(NIGHT, nights=nights, lua=lua("seckill_enqueue"))
    for (cut, heard, guard), night in zip(nights, told, strict=True):
        assert (night["cut"], night["there"], night["here"]) == (cut, 100 - cut, 100 - heard)
        assert (night["old"]["left"], night["copy"]["left"]) == (0, 0)
        everybody = 200 - heard
        if guard == "last":
            assert (night["rows"], night["letters"], night["remaining"]) == (100, everybody - 100, 0)  # fmt: skip
        else:
            assert (night["rows"], night["letters"]) == (everybody, 0)


@browser_test
def test_160_of_100_are_sold_and_the_last_line_leaves_100_rows_and_60_apologies(browser, host):
    with opened(browser, host, 9) as day:
        assert day.wait().startswith("160 sold of 100: 40 + 60 + 60.")
        assert day.page.locator("rush-stage .scene path.over").count() == 1
        assert "160 rows" in seen(day)
        said = day.do("mend", "apology")
        assert said.startswith("100 rows for 100 things; 60 people get an apology.")
        assert "60 refused by themselves" in seen(day)
        assert day.page.locator("rush-stage .scene path.over").count() == 0
        counted = day.text(".facts .counted dd")
        for line in ("SCARD rows:{2001} → 100", "SCARD letters:{2001} → 60", "GET remaining:{2001} → 0"):  # fmt: skip
            assert line in counted
        assert "COPY orders:{2001} orders:{2001-copy} → 1" in day.text(".facts .heard dd")
        assert "160 sold of 100" in day.do("attack", "160")
        assert day.visit.complaints == []


@browser_test
def test_the_keyboard_cuts_the_line_earlier_and_nobody_hears_of_more_than_was_sold(browser, host):
    with opened(browser, host, 9, **PHONE) as day:
        day.wait()
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390
        cut, heard = (day.page.locator(f"rush-stage [name={name}]") for name in ("cut", "heard"))
        cut.focus()
        day.page.keyboard.press("Home")
        assert "200 sold of 100: 0 + 100 + 100" in day.wait("^200")
        heard.focus()
        day.page.keyboard.press("End")
        assert heard.input_value() == "0"
        cut.focus()
        day.page.keyboard.press("End")
        assert "100 sold of 100: 100 + 0 + 0" in day.wait("^100 sold")
        heard.focus()
        day.page.keyboard.press("ArrowLeft")
        assert "101 sold of 100: 100 + 0 + 1" in day.wait("^101")
        assert "Of the 100, 1 had not been heard of" in day.text(".detail")
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390


@browser_test
def test_an_edited_script_sells_on_both_machines_and_is_found_out(browser, host):
    with opened(browser, host, 9) as day:
        day.wait()
        day.write(lua("seckill_enqueue").replace("redis.call('DECR', stock_key)", ""))
        assert "280 sold of 100: 40 + 120 + 120" in day.again("^280")
        day.write("local x = = 1")
        assert "The script did not work" in day.again("did not work")
        assert "Line 1:" in day.text(".fault")
        day.do("reset", "^160")


# ── Day 8: the whole shop on one night ──

EVENING = """const { Night } = await stage('night.mjs');
const { worst } = await stage('measures.mjs');
const out = [];
for (const { plan, ...settings } of given.nights) {
    const night = new Night({ ...server, slow: 1 }, { sale: given.sale, ring: given.ring }, settings);
    await night.open();
    night.plan = plan;
    let balanced = 0, ticks = 0;
    while (!night.isOver && ticks < 1000) { await night.tick(); ticks++; balanced += night.balances; }
    const users = player.play({ fresh: false, steps: [{ words: ['SMEMBERS', 'buyers:{2001}'] }, { words: ['SMEMBERS', 'rows:{2001}'] }] }).replies;
    const { books, bought, late, again, deliveries, deaths, presses, refused } = night;
    out.push({ books, bought, late, again, deliveries, deaths, presses, refused, balanced, ticks, worst: worst(night.admitted, 1000).count, same: users.map(names => names.sort().join()).every((all, _, [first]) => all === first) });
}
return out;"""
EVENINGS = [
    {"people": people, "limit": limit, "stock": stock, "drain": drain, "plan": plan}
    for people, limit, stock, drain in (
        (500, 100, 100, 25),
        (1000, 50, 200, 10),
        (100, 300, 200, 100),
    )  # fmt: skip
    for plan in (None, "now", "middle")
]


def test_opening_night_sells_exactly_the_stock_and_the_books_balance_at_every_look():
    told = played(
        EVENING, nights=EVENINGS, sale=lua("seckill_enqueue"), ring=lua("sliding_window_ring")
    )
    for night, was in zip(EVENINGS, told, strict=True):
        sold = min(night["stock"], night["people"])
        assert was["balanced"] == was["ticks"] < 1000
        assert was["books"] == {"stock": night["stock"] - sold, "buyers": sold, "queued": 0, "pending": 0, "rows": sold, "waiting": 0}  # fmt: skip
        assert was["same"], "a row for each buyer and for nobody else"
        assert (was["bought"], was["late"]) == (sold, night["people"] - sold)
        assert was["worst"] <= night["limit"]
        assert was["presses"] - was["refused"] == night["people"]  # all are served in the end
        assert was["deaths"] == (night["plan"] is not None)
        assert was["deliveries"] == sold + was["again"]
        assert (was["again"] > 0) == (night["plan"] is not None)


@browser_test
def test_the_doors_open_and_a_hundred_of_five_hundred_get_one(browser, host):
    with opened(browser, host, 8) as day:
        assert "500 people, 100 things" in day.wait()
        assert "100 sold, 100 rows, nobody twice" in day.do("open", "nobody twice")
        assert "stock 0 + in queue 0 + ordered 100 = 100" in seen(day)
        assert "100 bought · 400 sold out · 0 coming back" in seen(day)
        assert day.text(".facts .busiest dd") == "100 let in"
        assert "SCARD buyers → 100 · XLEN orders → 0" in day.text(".facts .command dd")
        said = day.do("attack", "died once")
        assert "100 sold, 100 rows, nobody twice" in said
        assert "5 orders came again, and none is written twice" in said
        assert day.text(".facts .again dd") == "5 of 105"
        assert "500 people, 100 things" in day.do("reset", "Open the doors")
        assert day.visit.complaints == []


@browser_test
def test_the_consumer_dies_while_the_reader_watches_and_comes_back(browser, host):
    with opened(browser, host, 8, reduced_motion="no-preference", **PHONE) as day:
        day.wait()
        day.page.focus("rush-stage [name=people]")
        day.page.keyboard.press("Home")
        day.wait("^100 people")
        day.page.focus("rush-stage [data-act=open]")
        day.page.keyboard.press("Enter")
        day.page.wait_for_function("document.querySelector('rush-stage').instrument.isOpen")
        day.page.click("rush-stage [data-act=attack]")
        day.wait("consumer is dead")
        assert day.page.locator("rush-stage .scene path.no").count() == 1
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390
        assert "100 sold, 100 rows, nobody twice" in day.wait("nobody twice")
        assert "died once" in day.text(".detail")
        assert day.visit.complaints == []


@browser_test
def test_a_sale_that_forgets_the_queue_does_not_balance(browser, host):
    with opened(browser, host, 8) as day:
        day.wait()
        right = lua("seckill_enqueue")
        day.write(re.sub(r"'XADD', orders_key, '\*'.*?\)", "'TIME')", right).replace("type(entry_id) == 'table'", "false"))  # fmt: skip
        assert "The books do not balance: 0 of 100" in day.again("balance")
        assert "ordered 0 = 0, not 100" in seen(day)
        day.write("return redis.call('NOPE')")
        assert "The script did not work" in day.again("did not work")
        day.page.click("rush-stage .restore")
        assert "nobody twice" in day.wait("nobody twice")
