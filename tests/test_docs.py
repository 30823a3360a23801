"""The pages that are not lessons say nothing that a cell, a script or a test does not show."""

import ast
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest
import redis
from lab.scripts import lua as script_text
from lab.scripts import script as script_of
from lab.signature import parse_header
from website import visit

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.append(str(DOCS / "_theme"))
import recorded  # noqa: E402  (the site's hook, loaded as MkDocs loads it)

pytestmark = pytest.mark.once

PAGES = sorted(DOCS.rglob("*.md"))
SCRIPTS = sorted(path.stem for path in (ROOT / "lua").glob("*.lua"))
LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+notebooks/(\w+)\.ipynb#(\w+)\)")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)*")
CITED_TEST = re.compile(r"`tests/(\w+\.py)::(\w+)`")
NAMED_CASE = re.compile(r"\b(?:test_([a-z]\d+)_|([FSBKXLNWR]\d{1,2})(?= and [FSBKXLNWR]\d|:))")
CASE = re.compile(r"^### ([A-Z]\d+) · [^\n]+ \{#([a-z]\d+)\}$(.*?)(?=^##|\Z)", re.M | re.S)


def of(text: str) -> set[str]:
    """The numbers in a text, as bare digits: 4,900 is 4900, −1 is -1. Days and names are none."""
    text = re.sub(r"\b[Dd]ays? \d+", "", text.replace("−", "-").replace("\N{NO-BREAK SPACE}", " "))
    return {found.replace(",", "") for found in NUMBER.findall(text)}


@cache
def cells(lesson: str) -> dict[str, dict]:
    book = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in book["cells"]}


def shown_by(cell: dict) -> str:
    """What a reader of the recorded cell sees: its prose, or its outputs."""
    if cell["cell_type"] == "markdown":
        return "".join(cell["source"])
    parts = []
    for out in cell["outputs"]:
        data = out.get("data", {})
        parts += ["".join(out.get("text", ""))]
        parts += ["".join(data[kind]) for kind in data if kind.startswith("text/")]
        parts += [re.sub(r"<[^>]+>", " ", "".join(data.get("image/svg+xml", "")))]  # its words
    return " ".join(parts)


def cited(page: Path) -> list[tuple[str, str, str]]:
    """(what the page says, lesson, cell) of each link into a cell."""
    return LINK.findall(page.read_text(encoding="utf-8"))


def test_every_number_linked_to_a_cell_is_in_what_it_recorded_and_always_will_be():
    links = [(page, *link) for page in PAGES for link in cited(page)]
    numbers = 0
    for page, said, lesson, ident in links:
        cell = cells(lesson).get(ident)
        assert cell, f"{page.name} points at {lesson}#{ident}, which is no cell"
        if cell["cell_type"] == "code":
            assert cell["execution_count"], f"{page.name}: {lesson}#{ident} was never run"
            varies = "nbval-ignore-output" in cell["metadata"].get("tags", ())
            assert not (varies and of(said)), f"{page.name}: {said!r} is another number next time"
        missing = of(said) - of(shown_by(cell))
        assert not missing, f"{page.name} says {said!r}, {lesson}#{ident} has no {missing}"
        numbers += len(of(said))
    assert numbers > 50, "nearly no number on the pages is linked to its cell"


def test_the_number_of_a_link_is_told_from_others():
    assert of("4,900 of 5,000, and −1 since day 5") == {"4900", "5000", "-1"}
    assert of("199") - of("stock 1990, u199, 19.9") == {"199"}


def test_every_test_that_a_page_names_exists():
    named = 0
    for page in PAGES:
        for file, name in CITED_TEST.findall(page.read_text(encoding="utf-8")):
            tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
            there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert name in there, f"{page.name}: tests/{file} has no {name}"
            named += 1
    assert named > 30


def faults() -> list[tuple[str, str, str]]:
    """(case, anchor, text) of each case on the page of faults."""
    return CASE.findall((DOCS / "faults.md").read_text(encoding="utf-8"))


def test_every_fault_has_a_cause_a_right_value_and_a_cell_or_a_test():
    cases = faults()
    assert len(cases) == (DOCS / "faults.md").read_text(encoding="utf-8").count("\n### ")
    assert len({case for case, _, _ in cases}) == len(cases) >= 60
    for case, anchor, text in cases:
        assert anchor == case.lower()
        for part in ("**Cause.**", "**Right.**", "**Shown.**"):
            assert text.count(part) == 1, f"{case} has no {part}, or two"
        shown = text.partition("**Shown.**")[2]
        assert LINK.search(shown) or CITED_TEST.search(shown), f"{case} is shown by nothing"


def test_every_case_that_a_test_names_is_told():
    names = {
        (match[1] or match[2]).upper()
        for path in sorted((ROOT / "tests").glob("test_*.py"))
        for match in NAMED_CASE.finditer(path.read_text(encoding="utf-8"))
        if path.name != Path(__file__).name
    }
    told = {case for case, _, _ in faults()}
    assert {"F1", "S12", "K12", "K15", "X14"} <= names, (
        "the tests name their cases in another way now"
    )
    assert names <= told, f"not told: {sorted(names - told)}"


def test_the_page_of_scripts_shows_every_file_of_lua_and_holds_no_copy():
    page = (DOCS / "scripts.md").read_text(encoding="utf-8")
    assert sorted(recorded.SCRIPT.findall(page)) == SCRIPTS
    assert "redis.call" not in page
    shown = recorded.expand(page)
    for name in SCRIPTS:
        text, signature = script_text(name), parse_header(script_text(name), name)
        assert f"```lua\n{text.rstrip()}\n```" in shown
        assert f"> {rule_of(name)}\n" in shown
        for argument in signature.args:
            assert f"`{argument.name}`" in shown


def rule_of(name: str) -> str:
    """The first sentence of a script's header, without the name of the pattern in front of it."""
    said = parse_header(script_text(name), name).rule
    first = re.fullmatch(r"[^:]+: (.+?\.)(?: .*)?", said)[1]
    return first[0].upper() + first[1:]


def test_lua_on_the_pages_compiles(r):
    """Each block of Lua that is not a script of ours runs or loads on the server."""
    blocks = [
        (page, block)
        for page in PAGES
        for block in re.findall(r"```lua\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    ]
    assert blocks
    for page, block in blocks:
        assert len(r.script_load(block)) == 40, page


def test_what_reading_lua_says_of_an_expression_is_what_the_server_answers(r):
    """Its tables: `expression` in the first column, `→ answer` in the second."""
    page = (DOCS / "reading-lua.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", page, re.M)
    assert len(rows) >= 15
    for expression, answer in rows:
        said = r.eval(f"return {expression.replace(chr(92) + '|', '|')}", 1, "stock", "two", "3")
        assert repr(said) == answer, expression


def test_a_cell_that_a_page_shows_is_a_cell_with_an_output():
    shown = 0
    for page in PAGES:
        for lesson, cell in recorded.CELL.findall(page.read_text(encoding="utf-8")):
            assert recorded.recorded(lesson, cell)
            shown += 1
    assert shown
    with pytest.raises(LookupError, match="which one is meant"):
        recorded.recorded("day04_token_bucket", "c000")


def test_every_term_of_the_glossary_is_in_three_languages():
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "| here |" not in line]
    term = re.compile(
        r"\| ([A-Za-z][\w -]*)<br>"
        r'<span lang="zh-Hant">[\u4e00-\u9fff]+</span> · <span lang="zh-Hans">[\u4e00-\u9fff]+</span>'
        r" \| [A-Z0-9][^|]+\. \|"
    )
    assert len(rows) >= 40
    assert not [row for row in rows if not term.fullmatch(row)]
    names = [term.fullmatch(row)[1].lower() for row in rows]
    assert names == sorted(names), "the terms stand in the order of the alphabet"


def test_every_chinese_term_of_the_lessons_is_in_the_glossary():
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    pair = re.compile(
        r'\*([^*]+)\*, <span lang="zh-Hant">([^<]+)</span> / <span lang="zh-Hans">([^<]+)</span>'
    )
    books = sorted((ROOT / "notebooks").glob("day0*.ipynb"))
    prose = "\n".join(
        shown_by(c) for b in books for c in cells(b.stem).values() if c["cell_type"] == "markdown"
    )
    found = pair.findall(prose)
    assert len(found) >= 5
    for english, hant, hans in found:
        for language, word in (("Hant", hant), ("Hans", hans)):
            assert f'<span lang="zh-{language}">{word}</span>' in page, f"{english}: {word}"


def test_the_set_up_page_quotes_the_sentences_that_the_course_says():
    """Each heading is a sentence, or its beginning; what stands between … is said word for word."""
    sources = [*(ROOT / "notebooks" / "lab").glob("*.py"), *(ROOT / "tools").glob("*.py")]
    code = " ".join(_texts(path) for path in sources)
    quoted = re.findall(r"^### (.+)$", (DOCS / "setup.md").read_text(encoding="utf-8"), re.M)
    assert len(quoted) >= 10
    for sentence in quoted:
        for part in filter(None, map(str.strip, re.sub(r"[`*]", "", sentence).split("…"))):
            assert part.rstrip(".") in code, f"nothing says {part!r}"


def _texts(path: Path) -> str:
    """The strings of a module as they would be said, with … where a value goes in."""
    said = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            said.append(
                "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said.append(node.value)
    return re.sub(r"\s+", " ", " ".join(said))


@pytest.mark.site
@pytest.mark.browser
def test_the_cheat_sheet_prints_on_one_sheet(site, browser):
    with visit(browser, site.url + "cheat-sheet/") as seen:
        sheet = seen.page.pdf(prefer_css_page_size=True)  # A4, by the site's print styles
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1


def test_every_item_of_the_production_list_has_its_day():
    page = (DOCS / "production.md").read_text(encoding="utf-8")
    items = re.findall(r"^- (\*\*.+?)(?=^- |^#|\Z)", page, re.M | re.S)
    assert len(items) == len(re.findall(r"^- ", page, re.M)) >= 20
    for item in items:
        assert re.search(r"\(\.\./notebooks/day0\d_\w+\.ipynb", item), item


def test_the_rights_on_the_production_list_run_every_script_and_no_more(server, r):
    page = (DOCS / "production.md").read_text(encoding="utf-8")
    words = re.search(r"ACL SETUSER (shop .+)", page)[1].split()
    r.execute_command("ACL SETUSER", *words)
    password = next(word[1:] for word in words if word.startswith(">"))
    try:
        with server.client(username="shop", password=password) as shop:
            ran = {name: run_once(shop, name) for name in SCRIPTS}
            assert len(ran) == 10 and set(ran.values()) == {1}, ran
            assert shop.xlen("seckill:orders:{2001}") == 1
            for refused in ("FLUSHALL", "KEYS *", "CONFIG GET save", "SCRIPT FLUSH", "GET other"):
                with pytest.raises(redis.exceptions.NoPermissionError):
                    shop.execute_command(*refused.split())
    finally:
        r.execute_command("ACL DELUSER", "shop")


def run_once(shop: redis.Redis, name: str) -> int:
    """Run a script with the smallest legal arguments; the first number of its reply, or its rank."""
    script = script_of(name, client=shop)
    sale = ["seckill:stock:{2001}", "seckill:users:{2001}", "seckill:orders:{2001}"]
    if name.startswith("seckill"):
        shop.set(sale[0], 1)
        shop.delete(sale[1])
        if name == "seckill_cancel":
            shop.sadd(sale[1], "1")  # the user that it is called with
        keys = sale[: len(script.signature.keys)]
    elif name == "leaderboard_add":
        keys = ["rank:{sales}:20260730", "rank:{sales}:2026-W31", "rank:{sales}:counted:20260730"]
    else:
        keys = [f"limit:{{2001}}:{name}"]
    needed = {arg.name: 1 for arg in script.signature.args if not arg.optional}
    reply = script(*keys, **needed)
    return reply if isinstance(reply, int) else reply[-1 if name == "leaderboard_add" else 0]


def test_every_newer_feature_has_its_version_and_its_source():
    page = (DOCS / "versions.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) >= 5
    for row in rows:
        assert re.search(r"\b(Redis|Valkey) \d+\.\d+", row), row
        assert "](https://" in row, row


def test_a_cell_of_a_lesson_has_a_time_limit_of_seconds_not_of_half_an_hour():
    """N4: nbval waits 2,000 s for a cell unless told otherwise."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 10 <= int(re.search(r"--nbval-cell-timeout=(\d+)", settings)[1]) <= 120
