"""The stages of the first day and the last two: the prompt, opening night, the failover."""

import random
import re

import pytest
from lab.redis_cli import ErrorReply, RawReplies, Status, format_reply, split_line
from lab.stage import DAYS
from lab.stage_raw import typed
from lab.stage_widget import SCRIPTS
from page_host import ROOT
from stage_page import in_notebook, opened, staged, weight
from test_lab_magics import LINES
from test_stage import HEAVIEST, STAGE, in_node, played

pytestmark = [pytest.mark.once]
browser_test = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


LOG = """() => [...document.querySelector('rush-stage').shadowRoot.querySelectorAll('.terminal b')]
    .map(line => [line.textContent, line.parentElement.nextElementSibling.textContent])"""
ENTRY = re.compile(r"\b\d{13}-\d+\b")  # a stream's id is the time


def ask(day, line: str) -> str:
    """Write a line, send it, and read what then stands below it."""
    day.page.fill("rush-stage .ask input", line)
    day.hush()
    day.page.keyboard.press("Enter")
    day.wait()
    asked, shown = day.page.evaluate(LOG)[-1]
    assert asked == line.strip()
    return shown


def table(day) -> list[list[str]]:
    """The keys on show, with type and life."""
    rows = day.page.locator("rush-stage .keys tbody tr")
    return [rows.nth(k).locator("td").all_inner_texts() for k in range(rows.count())]


def lua(name: str) -> str:
    return (ROOT / "lua" / f"{name}.lua").read_text()


def seen(day, part: str = ".scene") -> str:
    """The words in a picture."""
    return day.page.locator(f"rush-stage {part}").text_content()


@pytest.fixture(scope="module")
def host():
    with staged() as one:
        yield one


def test_a_page_and_a_notebook_agree_on_each_days_instrument():
    stage, notebook = ((STAGE / name).read_text() for name in ("stage.mjs", "instruments.mjs"))
    page = dict(re.findall(r"^  (\d): \['\w+', '(\w+)'\],$", stage, re.M))
    assert page == dict(re.findall(r"^  (\d): \[(\w+), day\1\],$", notebook, re.M))
    assert list(map(int, page)) == list(DAYS) == list(SCRIPTS)


@browser_test
@pytest.mark.parametrize("day", [0, 8, 9])
def test_no_other_days_instrument_is_asked_for_and_the_weight_is_bounded(browser, host, day):
    host.asked.clear()
    with opened(browser, host, day) as one:
        one.wait()
    asked = {path.split("?")[0] for path in host.asked}
    assert "/stage/limiter.mjs" not in asked and "/stage/instruments.mjs" not in asked
    assert weight(host.asked) <= HEAVIEST


# ── Day 0: a line of redis-cli ──

TWIN = """const { format, splitLine } = await stage('redis_cli.mjs');
const hex = word => [...word].map(sign => sign.charCodeAt().toString(16).padStart(2, '0')).join('');
return { said: given.replies.map(reply => format(reply, given.indent)),
    split: given.lines.map(line => { try { return splitLine(line).map(hex) } catch (error) { return error.message } }) };"""


def raw_reply(dice: random.Random, depth: int = 0):
    """Any reply that RESP2 can carry, as the parser gives it."""
    kind = dice.randrange(6 if depth < 3 else 5)
    text = bytes(dice.choice(b"ab \\\"'\n\r\t\a\b\x00\x7f\x80\xe9\x99\x90\xf0\x9f\x8d\xb5\xc2\xa0\xe2\x80\xa8") for _ in range(dice.randrange(9)))  # fmt: skip
    if kind == 0:
        return None
    if kind == 1:
        return dice.choice([0, -1, 2**53 + 1, -(2**63)])
    if kind in (2, 3):
        return (Status, ErrorReply)[kind - 2](text)
    if kind == 4:
        return text
    return [raw_reply(dice, depth + 1) for _ in range(dice.randrange(13))]


def raw_connection(r):
    """Like `r`'s own, but its replies are raw."""
    pool = r.connection_pool
    options = {k: v for k, v in pool.connection_kwargs.items() if not k.startswith("maint_")}
    options |= {"protocol": 2, "decode_responses": False, "parser_class": RawReplies}
    return pool.connection_class(**options)


def answer(connection, line: str):
    connection.send_command(*split_line(line))
    return connection.read_response(disable_decoding=True)


def split(line: str):
    try:
        return [word.hex() for word in split_line(line)]
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("indent", [0, 4])
def test_replies_and_quotes_are_those_of_the_python_twin(r, indent):
    connection = raw_connection(r)
    asked = [answer(connection, line) for line in LINES if isinstance(split(line), list)]
    connection.disconnect()
    dice = random.Random(20260730)
    replies = [*asked, *(raw_reply(dice) for _ in range(400))]
    signs = "ab \\\\\"\"''xn0f\t限🍵"
    lines = [*LINES, *("".join(dice.choice(signs) for _ in range(dice.randrange(12))) for _ in range(600))]  # fmt: skip
    told = in_node(TWIN, {"replies": [typed(reply) for reply in replies], "indent": indent, "lines": lines})  # fmt: skip
    assert told["said"] == [format_reply(reply, indent) for reply in replies]
    assert told["split"] == [split(line) for line in lines]
    assert "Invalid argument(s)" in told["split"]


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
        assert "COPY seckill:orders:{2001} seckill:orders:{2001-copy} → 1" in day.text(
            ".facts .heard dd"
        )
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
    const users = player.play({ fresh: false, steps: [{ words: ['SMEMBERS', 'seckill:users:{2001}'] }, { words: ['SMEMBERS', 'rows:{2001}'] }] }).replies;
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
        assert day.text(".facts .pressed dd").endswith(": 500 let in")  # everybody, in the end
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
        day.page.evaluate("window.night = document.querySelector('rush-stage').instrument.night")
        day.page.click("rush-stage [data-act=attack]")
        day.wait("consumer is dead")
        assert day.page.evaluate("document.querySelector('rush-stage').instrument.night === night")
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


@browser_test
def test_the_lessons_lines_are_answered_in_the_page_as_by_redis_cli(browser, host, r):
    with opened(browser, host, 0) as day:
        assert "Redis is here" in day.wait()
        chips = day.page.locator("rush-stage .lines button")
        for k in range(chips.count()):
            day.hush()
            chips.nth(k).click()
            day.wait()
        log = day.page.evaluate(LOG)
        lines = [line for line, _ in log]
        assert lines == ["PING", *chips.all_inner_texts()]
        connection = raw_connection(r)
        for line, shown in log:
            right = format_reply(answer(connection, line))
            assert ENTRY.sub("ID", shown) == ENTRY.sub("ID", right), line
        connection.disconnect()
        kinds = "\n".join(shown for _, shown in log)
        for form in ("OK", "(nil)", "(integer) 1", '1) "lamp"', "(error) WRONGTYPE", "   2) 1) "):
            assert form in kinds
        assert day.visit.complaints == []


def test_every_line_on_offer_is_of_a_kind_that_the_lesson_teaches():
    book = (ROOT / "notebooks" / "day00_start_here.ipynb").read_text()
    for line in in_node("return (await stage('days/day0.mjs')).day0.lines;"):
        assert re.search(rf"\b{line.split()[0]} ", book), line


@browser_test
def test_a_key_with_sixty_seconds_is_seen_to_end(browser, host):
    with opened(browser, host, 0) as day:
        day.wait()
        ask(day, "SET ticket yours EX 60")
        ask(day, "SET gift yours")
        assert table(day) == [["gift", "string", "never ends"], ["ticket", "string", "60 s"]]
        assert "ticket ends in 59 s" in day.do("second", "passes")
        assert ask(day, "TTL ticket") == "(integer) 59"
        assert "ticket has ended; 1 key left" in day.do("minute", "passes")
        assert table(day) == [["gift", "string", "never ends"]]
        assert ask(day, "TTL ticket") == "(integer) -2"
        assert day.text(".facts .clock dd") == "1 min 1 s"
        day.do("reset", "is gone")
        assert table(day) == [["none"]]
        side = "cell => getComputedStyle(cell).textAlign"
        assert day.page.locator("rush-stage .keys td").evaluate(side) == "left"  # it is a word
        assert day.page.evaluate(LOG) == []


@browser_test
def test_the_keyboard_is_enough_and_a_phone_is_wide_enough(browser, host):
    with opened(browser, host, 0, **PHONE) as day:
        day.wait()
        field = day.page.locator("rush-stage .ask input")
        field.focus()
        for line in ("INCR a", "INCR b"):
            day.page.keyboard.type(line)
            day.hush()
            day.page.keyboard.press("Enter")
            day.wait()
        for key, shown in (("Up", "INCR b"), ("Up", "INCR a"), ("Down", "INCR b"), ("Up", "INCR a")):  # fmt: skip
            day.page.keyboard.press(f"Arrow{key}")
            assert field.input_value() == shown
        day.hush()
        day.page.keyboard.press("Enter")
        assert day.wait() == "INCR a: (integer) 2 2 keys."
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390
        ask(day, "SET " + "long" * 60 + " " + "x" * 200)
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390
        terminal = day.page.locator("rush-stage .terminal")
        assert terminal.evaluate("box => box.scrollWidth <= box.clientWidth")
        assert day.page.locator("rush-stage textarea").count() == 0  # no script here


@browser_test
def test_what_a_page_cannot_do_is_said_and_the_next_line_is_answered(browser, host):
    with opened(browser, host, 0) as day:
        day.wait()
        assert ask(day, 'GET "open') == "Invalid argument(s)"
        assert "terminal of its own" in ask(day, "SUBSCRIBE news")
        assert "here it is left out" in ask(day, "shutdown")
        assert "waits for somebody else" in ask(day, "BLPOP nobody 0")
        assert ask(day, "MULTI") == "OK"
        assert ask(day, "INCR n") == "QUEUED"
        assert ask(day, "EXEC") == "1) (integer) 1"
        assert ask(day, 'SET c "<b>&限"') == "OK"
        assert ask(day, "GET c") == '"<b>&限"'
        assert "found no end in 3 s" in ask(day, 'EVAL "while true do end" 0')
        assert ask(day, "GET c") == "(nil)"  # started anew, so empty
        ask(day, "SET ticket yours EX 60")
        assert "ticket has ended" in day.do("minute", "passes")


# ── In JupyterLab: the same three on the kernel's server ──


@browser_test
@pytest.mark.parametrize(
    ("day", "opening", "action", "said"),
    [
        (0, "Redis is here", "minute", "A minute passes"),
        (8, "500 people, 100 things", "attack", "100 sold, 100 rows, nobody twice"),
        (9, "160 sold of 100: 40 \\+ 60 \\+ 60", "mend", "100 rows for 100 things; 60 people"),
    ],
)
def test_the_kernels_server_gives_the_same_answers(browser, r, server, day, opening, action, said):
    heard = "words => new RegExp(words).test(document.querySelector('#out').shadowRoot?.querySelector('[role=status]').textContent)"
    r.set("lesson", "as it was", ex=1000)
    with in_notebook(browser, server, day) as (page, _):
        page.wait_for_function(heard, arg=opening)
        if day == 0:
            page.click("#out button[value='SET ticket yours EX 60']")
            page.wait_for_function(heard, arg="ticket ends in 60 s")
        page.click(f"#out [data-act={action}]")
        page.wait_for_function(heard, arg=said, timeout=60_000)
        if day == 0:
            assert "ticket has ended" in page.inner_text("#out .headline")
            page.click("#out [data-act=reset]")
            page.wait_for_function(heard, arg="is gone")
            assert list(r.scan_iter()) == ["lesson"]
        else:
            assert all(key.startswith("stage:") for key in r.scan_iter() if key != "lesson")
    assert r.get("lesson") == "as it was"
    assert r.ttl("lesson") > 950  # seconds of 1000: the minute that passed was not its own
