"""The stage: its measures are the lesson's, its answers are the real server's, anybody can move it."""

import json
import random
import re
import subprocess

import pytest
from engine_node import NODE, ask
from lab.runs import Press, Run
from lab.stage_module import module
from page_host import BUILD, ROOT
from stage_page import META, html, in_notebook, opened, staged, weight

from tools.bench import page as bench

STAGE = ROOT / "page" / "stage"
SECOND_MS = 1000
HEAVIEST = 600_000  # bytes gzipped that a stage may ask for


def in_node(script: str, given=None):
    """What the script returns in Node, with `stage(name)` to import a module of the stage."""
    here = json.dumps(STAGE.as_uri() + "/")
    return ask(f"const stage = name => import(new URL(name, {here}).href);\n{script}", given)


# ── Measures, schedules, orders: the same numbers as in the lessons ──


def random_runs(count: int) -> list[list[tuple[int, bool]]]:
    """Runs with many presses at one moment, exactly one window apart, and none at all."""
    dice = random.Random(20260730)
    moments = [0, 1, 250, 999, 1000, 1001, 1250, 1999, 2000, 2500]
    return [
        sorted((dice.choice(moments), dice.random() < 0.7) for _ in range(dice.randrange(40)))
        for _ in range(count)
    ]


def test_the_worst_window_and_the_curve_are_those_of_the_lessons():
    runs = random_runs(80)
    told = in_node(
        """const { worst, curve } = await stage('measures.mjs');
        return given.flatMap(times => [250, 1000, 1750].map(w =>
            ({ half: worst(times, w), closed: worst(times, w, true), curve: curve(times, w) })));""",
        [[t for t, allowed in run if allowed] for run in runs],
    )
    answers = iter(told)
    for presses in runs:
        run = Run([Press(t, allowed, None) for t, allowed in presses])
        for window in (250, 1000, 1750):
            answer = next(answers)
            for name, closed in (("half", False), ("closed", True)):
                assert list(answer[name].values()) == list(run.worst(window, closed=closed))
            assert [(t / 1000, n) for t, n in answer["curve"]] == run.curve(window)


def test_a_schedule_survives_its_way_through_an_address():
    told = in_node(
        """const { readSchedule, writeSchedule, pressesOf, split } = await stage('schedule.mjs');
        return given.map(text => { const crowds = readSchedule(text);
            return [writeSchedule(crowds), pressesOf(crowds).length, writeSchedule(crowds.flatMap(split))] });""",
        ["1@0,99@900,100@1100", "20@0/150", "9999@9999", "rubbish,-3@5,2@1", "1@3000"],
    )
    assert told == [
        ["1@0,99@900,100@1100", 200, "1@0,50@900,49@1000,50@1100,50@1200"],
        ["20@0/150", 20, "10@0/150,10@1500/150"],
        ["400@3000", 400, "200@3000,200@2900"],
        ["3@5,2@1", 5, "2@5,1@105,1@1,1@101"],
        ["1@3000", 1, "1@3000"],
    ]


def test_every_order_of_two_buyers_is_there_once():
    told = in_node(
        """const { interleavings } = await stage('orders.mjs');
        return [interleavings(2, 2), interleavings(1, 1), interleavings(3, 4)];"""
    )
    assert sorted(map(tuple, told[0])) == sorted({tuple(order) for order in told[0]})
    assert [len(orders) for orders in told] == [6, 2, 35]  # n + m over n
    assert all(sum(order) == 4 and len(order) == 7 for order in told[2])


def test_lua_is_coloured_without_changing_a_letter():
    told = in_node(
        """const { paint } = await stage('lua.mjs');
        return given.map(source => paint(source).replace(/<[^>]*>/g, '').replace(/&#(\\d+);/g, (_, n) => String.fromCharCode(n)));""",
        scripts := [path.read_text() for path in sorted((ROOT / "lua").glob("*.lua"))],
    )
    assert told == scripts


# ── The real server, in Node: what the page plays ──

PLAYER = """
const { Player } = await stage('play.mjs');
const engine = await import(given.engine);
const player = await Player.start(engine);
const server = { key: name => name, play: job => ({ ...player.play(job), tookMs: 0 }) };
"""


def played(script: str, **given):
    return in_node(PLAYER + script, {"engine": (BUILD / "engine.mjs").as_uri(), **given})


def lua(name: str) -> str:
    return (ROOT / "lua" / f"{name}.lua").read_text()


@pytest.mark.parametrize(
    ("version", "bad", "orders"), [("set", 4, 6), ("decr", 4, 6), ("script", 0, 2)]
)
def test_four_of_six_orders_oversell_and_the_script_never_does(version, bad, orders):
    told = played(
        """const { Story } = await stage('orders.mjs');
        const { day5 } = await stage('days/day5.mjs');
        const out = [];
        for (const order of day5.orders(given.version)) out.push((await day5.tell(new Story(server, given.lua), order, given.version)).isBad);
        return out;""",
        version=version,
        lua=lua("seckill"),
    )
    assert (told.count(True), len(told)) == (bad, orders)


@pytest.mark.parametrize(
    ("version", "bad"),
    [
        ("commit", []),
        ("plain", [("board", 0, 3), ("ack", 0, 3)]),  # committed, then delivered again
        ("first", [("insert", 3, 0), ("commit", 3, 0)]),  # acknowledged, never written
    ],
)
def test_a_consumer_that_commits_first_may_die_anywhere(version, bad):
    told = played(
        """const { Story } = await stage('orders.mjs');
        const { day6 } = await stage('days/day6.mjs');
        const out = [];
        for (const point of day6.orders(given.version)) {
            const { lost, doubled, isBad, crashed, after } = await day6.tell(new Story(server, given.lua), point, given.version);
            out.push({ point, lost, doubled, isBad, crashed, after });
        }
        return out;""",
        version=version,
        lua=lua("seckill_enqueue"),
    )
    assert len(told) == 5
    assert [(t["point"], t["lost"], t["doubled"]) for t in told if t["isBad"]] == bad
    assert all(t["after"]["pending"] == 0 for t in told)
    if version == "commit":
        seen = {t["point"]: (len(t["crashed"]["rows"]), t["crashed"]["pending"]) for t in told}
        assert seen == {None: (3, 0), "insert": (0, 3), "commit": (0, 3), "board": (3, 3), "ack": (3, 3)}  # fmt: skip


def test_a_window_dies_at_its_own_millisecond_and_an_error_names_its_step():
    told = played(
        """const call = at => ({ at, words: ['EVALSHA', { script: 'main' }, 1, 'k', 1, 1000] });
        const scripts = { main: given.lua };
        const window = player.play({ scripts, clear: ['k'], steps: [0, 1000, 1001].map(call) });
        const wrong = player.play({ scripts, clear: ['k'], steps: [call(0), { words: ['NOPE'] }, call(1)] });
        const unread = player.play({ scripts: { main: 'local x = = 1' } });
        const time = player.play({ steps: [5, 7].map(at => ({ at, words: ['ECHO', { now: true }] })) });
        return [window.replies.map(r => r[0]), wrong.replies.length, wrong.fault.step, unread.fault.step, time.replies[1] - time.replies[0]];""",
        lua=lua("fixed_window"),
    )
    # PTTL 0 still stands: the counter lives through 1000 ms and is gone at 1001
    assert told == [[1, 0, 1], 1, 1, -1, 2]


# ── In JupyterLab ──


def test_the_modules_make_one_that_parses_and_exports_the_widget(tmp_path):
    if NODE is None:
        pytest.skip("no node on PATH: apt-get install nodejs")
    one = tmp_path / "widget.mjs"
    one.write_text(module())
    done = subprocess.run(
        [NODE, "--input-type=module", "-"],
        input=f"import({json.dumps(one.as_uri())}).then(m => console.log(typeof m.default.render))",
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "function", done.stderr


@pytest.mark.browser
def test_the_widgets_module_plays_on_the_kernels_server(browser, r, server):
    words = "Redis 7.0.15, this notebook's own server"
    with in_notebook(browser, server, 3, words) as (page, host):
        said = "document.querySelector('#out').shadowRoot?.querySelector('[role=status]').textContent.includes('{}')"
        page.wait_for_function(said.format("240 presses: 200 let in, 40 refused"))
        page.click("#out [data-act=attack]")
        page.wait_for_function(said.format("200 presses: 101 let in, 99 refused"))
        assert "The fixed window lets 199" in page.inner_text("#out .detail")
        assert page.inner_text("#out .facts .server dd") == words
        assert page.locator("#out [data-act=share]").count() == 0  # a notebook has no address
        assert all(key.startswith("stage:") for key in r.scan_iter())
        assert not [path for path in host.asked if path.startswith(("/stage/", "/engine/"))]


# ── In the page ──


@pytest.fixture(scope="module")
def host():
    with staged() as one:
        yield one


pytestmark = [pytest.mark.once]
browser_test = pytest.mark.browser


@browser_test
def test_day_2_lets_199_into_one_second_and_the_address_holds_the_schedule(browser, host):
    with opened(browser, host, 2) as day:
        day.wait()
        assert "199 let in within one second. The limit is 100." in day.do("attack", "199")
        assert day.let_in() == [1, 99, 100]
        assert "presses=1@0,99@900,100@1100" in day.page.url
        assert "199 of 199, and nobody can do better" in day.text(".score")
        day.page.check("rush-stage [value=clock]")
        assert "200 let in within one second" in day.do("attack", "^200")
        assert day.let_in() == [100, 100]
        assert day.visit.complaints == []
    with opened(browser, host, 2, address="#day=2&presses=1@0,60@950,100@1050&limit=60") as sent:
        assert "119 let in within one second. The limit is 60." in sent.wait("119")


@browser_test
def test_day_3_counts_any_second_and_shows_what_the_fixed_window_did(browser, host):
    with opened(browser, host, 3) as day:
        day.wait()
        assert "lets 199 of the same crowd" in day.do("attack", "200 presses")
        assert day.let_in() == [1, 99, 1]
        assert "at most 100 let in" in day.text("[role=status]")


@browser_test
def test_day_4_lets_a_burst_of_300_in_and_then_100(browser, host):
    with opened(browser, host, 4) as day:
        day.wait()
        assert "500 presses: 400 let in, 100 refused" in day.do("attack", "500 presses")
        assert day.let_in() == [300, 100]


@browser_test
def test_an_edited_script_decides_until_it_is_restored(browser, host):
    with opened(browser, host, 1) as day:
        assert "20 presses: 15 let in" in day.wait()
        assert "5 let in, and then nobody, for ever" in day.do("attack", "for ever")
        day.page.click("rush-stage .restore")
        assert "15 let in, 5 refused" in day.wait("15 let in")
        for text, line in (
            ("local x = = 1", "Line 1:"),
            ("local a = 1\nreturn redis.call('NOPE')", "Unknown Redis command"),
            ("return 'hello'", "The reply must begin with 1, let in, or 0, refused"),
        ):
            day.write(text)
            assert "The script did not work" in day.again("did not work")
            assert line in day.text(".fault")
        day.write("return {1, 0, 0}")
        assert "20 presses: 20 let in, 0 refused" in day.again("20 let in")
        assert day.text(".fault") == ""


@browser_test
def test_a_script_without_an_end_is_ended_and_redis_is_there_again(browser, host):
    with opened(browser, host, 1) as day:
        day.wait()
        day.write("redis.call('SET', KEYS[1], 1) while true do end")
        assert "found no end in 3 s, so Redis was ended and started anew" in day.again("no end")
        day.page.click("rush-stage .restore")
        assert "15 let in" in day.wait("15 let in")


@browser_test
def test_the_keyboard_alone_moves_splits_and_removes_crowds(browser, host):
    with opened(browser, host, 2, address="#day=2&presses=1@0,99@900,90@1300&limit=100") as day:
        day.wait()
        handle = day.page.locator("rush-stage [data-crowd='2']")
        handle.focus()
        for _ in range(2):
            day.page.keyboard.press("Shift+ArrowLeft")
        for _ in range(10):
            day.page.keyboard.press("+")
        day.wait("199 let in within one second")  # one press fewer, and 199 are let in altogether
        assert handle.get_attribute("aria-valuetext") == "at 1.1 s: 100 let in, 0 refused"
        day.page.keyboard.press("s")
        day.page.wait_for_function(
            "document.querySelector('rush-stage').instrument.crowds.length === 4"
        )
        day.page.keyboard.press("Delete")
        day.page.wait_for_function(
            "document.querySelector('rush-stage').instrument.crowds.length === 3"
        )
        focused = "document.querySelector('rush-stage').shadowRoot.activeElement.getAttribute('aria-label')"
        assert day.page.evaluate(focused) == "Moment of the next press"


@browser_test
def test_a_finger_drags_a_crowd_on_a_phone_and_nothing_sticks_out(browser, host):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, host, 2, address="#day=2&presses=50@500&limit=100", **phone) as day:
        day.wait()
        assert day.page.evaluate("document.documentElement.scrollWidth") == 390
        pill = day.page.locator("rush-stage [data-crowd='0'] .pill")
        pill.scroll_into_view_if_needed()
        spot = pill.bounding_box()
        x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
        touch = day.page.context.new_cdp_session(day.page)
        for kind, points in (("Start", [x]), ("Move", [x + 30]), ("Move", [x + 80]), ("End", [])):
            touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [{"x": at, "y": y} for at in points]})  # fmt: skip
        # the address follows when Redis has answered for the last place
        day.page.wait_for_function(r"/presses=50@1\d\d0/.test(location.hash)")


@browser_test
@pytest.mark.parametrize(
    ("day", "broken", "whole"),
    [
        (5, "4 of 6 orders go wrong", "All 2 orders sell the one item once"),
        (6, "2 of 4 ways to die", "It may die anywhere: nothing is lost"),
    ],
)
def test_a_slider_goes_through_all_orders_the_bad_ones_crossed(browser, host, day, broken, whole):
    with opened(browser, host, day) as one:
        one.wait()
        assert broken in one.do("attack", "of [46]")
        tiles = one.page.locator("rush-stage .tiles button")
        assert tiles.count() == {5: 6, 6: 5}[day]
        bad = one.page.locator("rush-stage .tiles button.bad path")  # a cross, not a colour alone
        assert bad.count() == int(broken[0])
        slider = one.page.locator("rush-stage .through input")
        slider.focus()
        one.page.keyboard.press("End")
        assert slider.get_attribute("aria-valuetext").startswith(
            f"{tiles.count()} of {tiles.count()}"
        )
        assert whole in one.do("mend", whole[:12])
        assert one.page.locator("rush-stage .tiles button.bad").count() == 0


@browser_test
def test_day_7_counts_each_sale_once_and_an_edited_script_is_found_out(browser, host):
    with opened(browser, host, 7) as day:
        day.wait("Press a member")
        day.page.click("rush-stage .ranks button[value=Chen]")
        assert "Chen has 1 points now, rank 1" in day.wait("Chen has")
        assert "Every sale came twice, and the board stands at 1" in day.do("attack", "twice")
        day.write(lua("leaderboard_add").replace("seen = read(", "seen = 0 * read("))
        day.again("same sales")
        assert "2 points on the board, and 1 were earned" in day.do("attack", "earned")


@browser_test
def test_nothing_of_the_engine_is_asked_for_before_the_stage_is_seen(browser, host):
    host.asked.clear()
    with opened(browser, host, 2, meta=META + "<style>h1 { margin-bottom: 3000px }</style>") as day:
        day.page.wait_for_load_state("networkidle")
        day.page.wait_for_function(
            "document.querySelector('rush-stage').shadowRoot?.querySelector('.stage')"
        )
        assert [path for path in host.asked if path.startswith("/engine/")] == []
        day.page.locator("rush-stage").scroll_into_view_if_needed()
        day.wait()
        assert "/engine/redis.wasm" in host.asked


@browser_test
def test_without_an_engine_the_recorded_picture_stays_and_no_button_is_dead(browser, host):
    host.asked.clear()
    with opened(browser, host, 2, meta="", inside="199, as recorded") as day:
        day.page.wait_for_load_state("networkidle")
        assert day.page.inner_text("rush-stage") == "199, as recorded"
        assert day.page.locator("rush-stage button").count() == 0
        assert not [path for path in host.asked if path.startswith(("/engine/", "/lua/"))]


@browser_test
@pytest.mark.parametrize("day", [0, 2, 8])  # no script, a rival's script too, a script at the door
def test_an_engine_that_does_not_start_is_told_aloud(browser, day):
    with staged() as host:
        host.pages["/engine/engine.mjs"] = "throw new Error('no engine today')"
        with opened(browser, host, day) as one:
            assert one.wait() == "The real Redis could not be started here. no engine today"


@browser_test
def test_no_control_of_any_stage_is_called_run_and_all_have_a_name(browser, host):
    for number in range(10):
        with opened(browser, host, number) as day:
            day.wait()
            seen = day.page.locator("rush-stage").aria_snapshot()
            names = re.findall(r'- (?:button|slider|textbox|radio|spinbutton)(?: "([^"]*)")?', seen)
            assert len(names) >= 5
            assert all(names), (number, names, seen[:3000])
            assert not [name for name in names if name.lower().startswith("run")]


@browser_test
def test_motion_shows_the_crowd_land_and_ends_at_the_same_answer(browser, host):
    with opened(browser, host, 2, reduced_motion="no-preference") as day:
        day.wait()
        day.page.click("rush-stage [data-act=attack]")
        day.page.wait_for_function("document.querySelector('rush-stage').instrument.isPlaying")
        assert "199 let in" in day.wait("199 let in")
    with opened(browser, host, 2) as still:
        still.wait()
        still.page.evaluate(
            "() => { window.moved = 0; const raf = requestAnimationFrame; window.requestAnimationFrame = f => { moved++; return raf(f) } }"
        )
        still.do("attack", "199")
        assert still.page.evaluate("moved") == 0


@browser_test
def test_the_weight_is_bounded_and_the_bench_measures_the_first_answer(browser, host):
    below = '<div style="height: 3000px"></div><rush-stage day="2"></rush-stage>'
    host.pages["/below.html"] = html(below, "stage.mjs", META)
    host.asked.clear()
    with browser.new_context() as room:
        took = bench.stage_s(room.new_page(), f"{host.url}/below.html")
    asked = weight(host.asked)
    print(f"\nstage: {asked:,} bytes gzipped; first answer after {took:.2f} s (asked for: 0.5 s)")
    assert asked <= HEAVIEST
    assert 0 < took < 60
