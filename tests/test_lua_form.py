"""Every script of lua/ has the same form, so that who has read one can read them all."""

import json
import re
from pathlib import Path

import pytest
import redis
from lab.scripts import LUA, Script, script

ROOT = LUA.parent
NAMES = sorted(path.stem for path in LUA.glob("*.lua"))
TYPES = {"string", "list", "set", "hash", "sorted set", "stream"}
TYPOGRAPHY = set("−×→·…≤≥–—“”‘’")
STANDARD = (
    "redis KEYS ARGV math string table tonumber tostring type pairs ipairs next unpack "
    "select error pcall assert cjson cmsgpack bit struct"
)
RESERVED = (
    "and break do else elseif end false for function if in local nil not or repeat return "
    "then true until while goto"
)
# A call that each script accepts, twice in a row; text arguments are the ones not all digits.
CALL = {
    "limit": 5, "window_ms": 1000, "press_id": "p", "capacity": 5, "refill_count": 1,
    "refill_period_ms": 1000, "user": "ann", "sku": "tea", "member": "tea", "points": 3,
    "event_id": "e", "day_ttl_s": 60, "week_ttl_s": 60, "cost": 1, "now_ms": 1_000_000,
}  # fmt: skip
NOT_WHOLE = ["", " 1", "1.5", "1e3", "0x10", "+1", "1-", "nan", "inf", str(2**53), "9" * 400]

every_script = pytest.mark.parametrize("name", NAMES)


def code_of(text: str) -> str:
    """The Lua without comments and with every string emptied. No script uses long brackets."""
    without_strings = re.sub(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", "''", text)
    return re.sub(r"--[^\n]*", "", without_strings)


def unknown_names(text: str) -> set[str]:
    """Names that a script reads or writes and has made local nowhere: its globals."""
    code = code_of(text)
    local = set()
    for names in re.findall(
        r"\blocal\s+(?!function\b)([\w ,]+)|\bfor\s+([\w ,]+?)\s*(?:=|\bin\b)", code
    ):
        local |= set(re.findall(r"\w+", " ".join(names)))
    for name, parameters in re.findall(r"\blocal\s+function\s+(\w+)\s*\(([^)]*)\)", code):
        local |= {name, *re.findall(r"\w+", parameters)}
    for parameters in re.findall(r"\bfunction\s*\(([^)]*)\)", code):
        local |= set(re.findall(r"\w+", parameters))
    used = set(re.findall(r"(?<![\w.:])(?<!\d)[A-Za-z_]\w*", code.replace("..", " ")))
    return used - local - set(STANDARD.split()) - set(RESERVED.split())


def command_words(text: str) -> list[str]:
    """The first argument of each redis.call that is written out."""
    return re.findall(r"redis\.p?call\(\s*['\"]([^'\"]+)", text)


@pytest.fixture
def ready(r):
    """ready(name): the script, its keys in one slot, and a sale that is open."""

    def make(name: str) -> tuple[Script, list[str]]:
        one = script(name, r)
        keys = [f"{key.name}:{{2001}}" for key in one.signature.keys]
        if "stock" in {key.name for key in one.signature.keys}:
            r.set("stock:{2001}", 3)
        return one, keys

    return make


def values(one: Script) -> list:
    return [CALL[arg.name] for arg in one.signature.args]


def everything(r: redis.Redis) -> dict[str, tuple[object, bool]]:
    """All keys: what each holds, and whether it lives for ever."""
    read = {
        "string": r.get,
        "list": lambda k: r.lrange(k, 0, -1),
        "set": r.smembers,
        "hash": r.hgetall,
        "zset": lambda k: r.zrange(k, 0, -1, withscores=True),
        "stream": r.xrange,
    }
    return {key: (read[r.type(key)](key), r.pttl(key) == -1) for key in r.scan_iter()}


def shown_in_lessons() -> set[str]:
    """Scripts that some lesson shows with lab.show_lua."""
    cells = [
        cell
        for path in sorted((ROOT / "notebooks").glob("day*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return set(re.findall(r"show_lua\(\s*[\"'](\w+)[\"']", code))


@every_script
def test_the_header_is_a_whole_signature(name):
    text, signature = (LUA / f"{name}.lua").read_text(encoding="utf-8"), script(name).signature
    assert re.match(r"-- \w[\w, ]*: \S", text), "the first line is `-- Name: the rule`"
    assert signature.rule.endswith((".", ":"))
    assert signature.keys, "a script touches a key, and KEYS names it"
    assert {key.type for key in signature.keys} <= TYPES
    assert signature.reply
    assert signature.invariant.endswith(".")
    assert "client" not in {arg.name for arg in signature.args}, "lab.script uses that word"


@every_script
def test_optional_arguments_come_last_so_that_they_may_be_left_out(name):
    optional = [arg.optional for arg in script(name).signature.args]
    assert optional == sorted(optional)


@every_script
def test_keys_and_arguments_are_used_as_declared(name):
    one = script(name)
    code = code_of(one.text)
    for table, declared in (("KEYS", one.signature.keys), ("ARGV", one.signature.args)):
        used = {int(n) for n in re.findall(rf"\b{table}\[(\d+)\]", code)}
        assert used == set(range(1, len(declared) + 1))
        lines = [set(re.findall(rf"\b{table}\b(?:\[\d+\])?", line)) for line in code.splitlines()]
        places = [entry for line in lines for entry in line]
        assert len(places) == len(declared), f"each {table} entry gets its name on one line"


@every_script
def test_commands_are_in_capitals(name):
    words = command_words(script(name).text)
    assert words
    assert [word for word in words if not re.fullmatch(r"[A-Z]+", word)] == []


@every_script
def test_no_name_is_global(name):
    assert unknown_names(script(name).text) == set()


@pytest.mark.parametrize(
    ("lua", "unknown"),
    [
        ("total = 1", {"total"}),
        ("local a = 1\nreturn a + total", {"total"}),
        ("local t = {x = total}\nreturn t.x", {"x", "total"}),
        ("local function f(a, b) return a .. b end\nreturn f", set()),
        ("for i, v in ipairs(KEYS) do return i + v end", set()),
        ("for i = 1, 3 do return i end -- total", set()),
        ("local s = 'total'\nreturn s:format(1e3)", set()),
        ("function f() end", {"f"}),
    ],
)
def test_the_search_for_globals_finds_them(lua, unknown):
    assert unknown_names(lua) == unknown


@every_script
def test_a_script_fits_on_a_screen_and_reads_in_any_editor(name):
    text = script(name).text
    lines = text.splitlines()
    code = [line for line in lines if line.strip() and not line.lstrip().startswith("--")]
    assert len(code) <= 52, "about forty lines; what needs more is two scripts"
    assert max(map(len, lines)) <= 100
    assert "\t" not in text
    assert text.endswith("\n")
    assert not any(line != line.rstrip() for line in lines)
    assert [c for c in text if not c.isascii() and c not in TYPOGRAPHY] == []


@every_script
def test_lower_snake_case_and_nothing_is_built_into_a_key(name):
    code = code_of(script(name).text)
    names = set(re.findall(r"\blocal\s+(?:function\s+)?(\w+)", code))
    assert {n for n in names if not re.fullmatch(r"[a-z][a-z0-9_]*", n)} == set()
    assert not re.search(r"KEYS\[\d+\]\s*\.\.", code)


@every_script
def test_a_script_touches_only_the_keys_it_is_given(name, r, ready, server):
    """An ACL user who may touch those keys and no other; both calls still succeed."""
    one, keys = ready(name)
    r.acl_setuser("narrow", enabled=True, nopass=True, commands=["+@all"], keys=keys, reset=True)
    try:
        with server.client(username="narrow", password="any") as narrow:
            with pytest.raises(redis.exceptions.NoPermissionError):
                narrow.get("another")
            for _ in range(2):
                one.reply(narrow.register_script(one.text)(keys, values(one)))
    finally:
        r.acl_deluser("narrow")


@every_script
def test_the_reply_is_what_the_header_says(name, ready):
    one, keys = ready(name)
    reply = one(*keys, **{arg.name: CALL[arg.name] for arg in one.signature.args})
    if one.signature.is_integer:
        assert re.search(rf"(^|, ){reply} \w", one.signature.reply[0][1]), "a code it explains"
    else:
        assert type(reply[0]) is int
        assert "allowed" not in reply._fields or reply._fields == (
            "allowed",
            "remaining",
            "retry_after_ms",
        )


@every_script
def test_each_missing_or_empty_argument_is_named_and_nothing_is_written(name, r, ready):
    one, keys = ready(name)
    before, good = everything(r), values(one)
    for i, arg in enumerate(one.signature.args):
        calls = [good[:i] + [""] + good[i + 1 :]] + ([] if arg.optional else [good[:i]])
        for sent in calls:
            with pytest.raises(redis.ResponseError, match=rf"\b{arg.name} must"):
                r.register_script(one.text)(keys, sent)
    assert everything(r) == before


@every_script
def test_what_is_no_whole_number_is_named_and_nothing_is_written(name, r, ready):
    one, keys = ready(name)
    before, good = everything(r), values(one)
    for i, arg in enumerate(one.signature.args):
        if isinstance(CALL[arg.name], int):
            negative = [] if "below 0" in arg.meaning else ["-1"]
            for bad in NOT_WHOLE + negative:
                with pytest.raises(redis.ResponseError, match=rf"\b{arg.name} must"):
                    r.register_script(one.text)(keys, good[:i] + [bad] + good[i + 1 :])
    assert everything(r) == before


@every_script
def test_a_key_of_another_type_is_named_and_nothing_is_written(name, r, ready):
    one, keys = ready(name)
    for key, declared in zip(keys, one.signature.keys, strict=True):
        ready(name)
        r.delete(key)
        if declared.type == "hash":
            r.set(key, "wrong")
        else:
            r.hset(key, "wrong", 1)
        before = everything(r)
        with pytest.raises(redis.ResponseError, match=rf"WRONGTYPE.*\b{declared.name}\b"):
            r.register_script(one.text)(keys, values(one))
        assert everything(r) == before
        r.delete(key)


@every_script
def test_a_lesson_shows_every_script(name):
    assert name in shown_in_lessons()


@every_script
def test_every_script_has_its_own_tests(name):
    assert (Path(__file__).parent / f"test_{name}.py").is_file()
