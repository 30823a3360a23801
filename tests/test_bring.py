"""Bring your own script: the cases are right, our scripts pass them, known faults are found and shrunk."""

import json

import pytest
from engine_node import ask
from page_host import BUILD, ROOT
from stage_page import META, Stage, html, staged
from website import Visit

STAGE = ROOT / "page" / "stage"
CASES = json.loads((STAGE / "cases.json").read_text())
pytestmark = [pytest.mark.once]

START = """
const { Player } = await stage('play.mjs');
const { check, readHeader, smallest } = await stage('suite.mjs');
const { SAMPLES } = await stage('samples.mjs');
const player = await Player.start(await import(given.engine));
const play = job => player.play(job);
"""


def in_node(script: str, **given):
    here = json.dumps(STAGE.as_uri() + "/")
    given |= {"engine": (BUILD / "engine.mjs").as_uri(), "cases": CASES}
    return ask(f"const stage = name => import(new URL(name, {here}).href);\n{START}{script}", given)


def lua(name: str) -> str:
    return (ROOT / "lua" / f"{name}.lua").read_text()


def test_every_case_says_what_its_model_says():
    told = in_node(
        """const { models, expand } = await stage('models.mjs');
        return Object.entries(given.cases).filter(([kind]) => kind !== 'seckill').flatMap(([kind, cases]) => cases.map(each => {
            const presses = expand(each.presses);
            const right = models[kind](each, presses);
            return [kind, each.id, each.presses.map((_, g) => right.filter((r, k) => r && presses[k].group === g).length), each.in];
        }));"""
    )
    assert len(told) == sum(len(cases) for kind, cases in CASES.items() if kind != "seckill")
    assert [case for case in told if case[2] != case[3]] == []


@pytest.mark.parametrize(
    ("name", "kind", "least"),
    [
        ("fixed_window", "window", 12),
        ("sliding_window_log", "log", 11),
        ("sliding_window_ring", "log", 11),
        ("sliding_window_counter", "counter", 6),
        ("token_bucket", "bucket", 10),
        ("gcra", "bucket", 10),
        ("seckill", "seckill", 7),
    ],
)
def test_our_own_scripts_pass_every_case_and_say_how_they_are_called(name, kind, least):
    told = in_node(
        """const told = readHeader(given.lua);
        const results = await check(play, given.cases, { lua: given.lua, ...told });
        return { kind: told.kind, count: results.length, wrong: results.filter(r => !r.isRight) };""",
        lua=lua(name),
    )
    assert told["kind"] == kind
    assert (
        told["count"] == least
    )  # the cases that fit its arguments, and the one about strange keys
    assert told["wrong"] == []


@pytest.mark.parametrize(
    ("sample", "faults"),
    [
        ("INCR, and EXPIRE at the first", {"dead"}),
        ("INCR, and EXPIRE each time", {"knocking", "renewed", "reopens", "two-windows"}),
        ("a sorted set of times", {"same-moment", "boundary", "again", "knocking", "edge", "life"}),
        ("a bucket that rounds", {"drip", "knocking", "life", "minted", "edge", "between"}),
        ("stock first, questions later", {"oversold", "one-more", "greedy", "restocked", "not-on-sale", "as-text"}),
    ],
)  # fmt: skip
def test_each_sample_has_the_faults_that_it_is_known_for(sample, faults):
    told = in_node(
        """const results = await check(play, given.cases, SAMPLES[given.sample]);
        return results.filter(r => !r.isRight).map(r => r.given.id);""",
        sample=sample,
    )
    assert set(told) == faults


def test_the_smallest_timeline_is_as_small_as_can_be():
    told = in_node(
        """const given_case = given.cases.log.find(each => each.id === 'same-moment');
        const log = { ...SAMPLES['a sorted set of times'] };
        const { expand } = await stage('models.mjs');
        const found = await smallest(play, log, given_case, expand(given_case.presses));
        const bucket = given.cases.bucket.find(each => each.id === 'drip');
        const second = await smallest(play, SAMPLES['a bucket that rounds'], bucket, expand(bucket.presses));
        return [found, second];"""
    )
    # limit 3: the fourth press of one millisecond gets in; one press fewer and nothing is wrong
    assert [(p["t"], p["got"], p["right"]) for p in told[0]] == [(0, True, True)] * 3 + [
        (0, True, False)
    ]
    # four leave one token, the next takes it and half a drop is lost, so the last misses its own
    assert [(p["t"], p["got"], p["right"]) for p in told[1]][-1][1:] == (False, True)
    assert len(told[1]) == 6


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("return undefined_name", "Script attempted to access nonexistent global"),
        ("if redis.call('GET', KEYS[1]) > 5 then return 1 end return 0", "attempt to compare"),
    ],
)
def test_an_error_of_the_script_is_the_fault_of_its_case(script, said):
    told = in_node(
        """const results = await check(play, given.cases, { lua: given.brought, kind: 'window', keys: 'k', args: '$limit $window_ms', reading: 'positive' });
        return results.filter(r => !r.isRight).map(r => r.error);""",
        brought=script,
    )
    assert told and all(said in error for error in told[:1])


def test_a_key_that_was_not_given_is_found():
    told = in_node(
        """const results = await check(play, given.cases, { lua: "redis.call('SET', 'elsewhere', 1) " + given.lua, kind: 'window', keys: 'k', args: '$limit $window_ms', reading: 'positive' });
        return results.at(-1);""",
        lua=lua("fixed_window"),
    )
    assert not told["isRight"] and told["error"] == "It wrote elsewhere."


def test_an_unknown_name_is_answered_with_those_that_there_are():
    told = in_node(
        """try { await check(play, given.cases, { lua: 'return 1', kind: 'window', keys: 'k', args: '$limt', reading: 'positive' }); }
        catch (error) { return error.message; }"""
    )
    assert told.startswith("$limt is not known here. There is $limit, $window_ms")


@pytest.fixture(scope="module")
def host():
    with staged() as one:
        yield one


@pytest.mark.browser
def test_a_reader_brings_a_script_sees_its_fault_mends_it(browser, host):
    host.pages["/bring.html"] = html("<rush-bring>needs the engine</rush-bring>", "bring.mjs")
    with browser.new_context(viewport={"width": 390, "height": 844}) as room:
        visit = Visit(room.new_page())
        visit.page.goto(f"{host.url}/bring.html")
        page = Stage(visit, "rush-bring")
        visit.page.locator("rush-bring select[name=sample]").wait_for()
        assert not [path for path in host.asked if path.startswith("/engine/")]
        assert visit.page.get_by_placeholder("Paste your Lua script here.").input_value() == ""
        visit.page.select_option("rush-bring select[name=sample]", "INCR, and EXPIRE at the first")
        assert page.wait("fault").startswith("1 fault in 10 cases.")
        fault = visit.page.locator("rush-bring [data-case=dead]")
        assert "Fault:" in fault.inner_text() and "refuses for ever" in fault.inner_text()
        mended = page.page.input_value("rush-bring textarea").replace(
            "if count == 1 then", "if redis.call('TTL', KEYS[1]) == -1 then"
        )
        page.write(mended)
        assert page.again("fault").startswith("No fault in 10 cases.")
        page.write("local x = = 1")
        assert "Line 1:" in page.again("could not")
        page.write("redis.call('SET', KEYS[1], 1) while true do end")
        assert "found no end in 3 s" in page.again("no end")
        visit.page.select_option("rush-bring select[name=sample]", "gcra")
        assert page.wait("token bucket").startswith("No fault in 10 cases.")
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 390
        assert visit.complaints == []


@pytest.mark.browser
def test_without_an_engine_the_page_says_what_it_needs(browser, host):
    host.pages["/bare.html"] = html("<rush-bring>needs the engine</rush-bring>", "bring.mjs", "")
    with browser.new_context() as room:
        visit = Visit(room.new_page())
        visit.page.goto(f"{host.url}/bare.html", wait_until="networkidle")
        assert visit.page.inner_text("rush-bring") == "needs the engine"
        assert META not in visit.page.content()
