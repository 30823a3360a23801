r"""%%redis and %%lua: a cell that answers as redis-cli does."""

import shutil
import subprocess
from importlib import import_module

import pytest
from IPython.core.interactiveshell import InteractiveShell
from lab import magics
from lab.magics import format_reply, run_lua, run_redis
from lab.redis_cli import ErrorReply, Status, split_line

# One line each, run in this order on an empty server, by redis-cli and by run_redis.
LINES = r"""
PING
SET door 1
GET door
GET nobody
INCR door
INCRBYFLOAT price 0.1
APPEND door ""
SET note "two words"
GET note
SET note 'single \' and \n as it stands'
GET note
SET raw "\x00\xff\x7f\a\b\t\r\n\\\" \q \xZZ \x"
GET raw
SET odd a"b"
GET odd
set lower case
EXPIRE door 60
TTL nobody
EXISTS door nobody
RPUSH line a b c d e f g h i j k
LRANGE line 0 -1
LRANGE line 5 1
LPUSH door 1
HSET card name Ann sku 2001
HGETALL card
HMGET card name colour sku
SADD set one
SMEMBERS set
ZADD board 3 a 1.5 b -inf c
ZRANGE board 0 -1 WITHSCORES
ZSCORE board b
ZSCORE board nobody
ZRANGE board 0 x
XADD orders 1-1 user 1 sku 2001
XADD orders 1-2 user 2 sku 2001
XRANGE orders - +
XREAD COUNT 1 STREAMS orders 0
XREAD STREAMS orders $
XGROUP CREATE orders g 0
XREADGROUP GROUP g c COUNT 1 STREAMS orders >
XPENDING orders g
EVAL "return {1, {2, {'x', {}}}, false, redis.status_reply('FINE'), redis.error_reply('ERR no')}" 0
EVAL "return redis.call('GET', KEYS[1])" 1 door
EVAL "return 3.99" 0
EVAL "return {1, 2, nil, 4}" 0
EVAL "retrun 1" 0
EVALSHA ffffffffffffffffffffffffffffffffffffffff 0
SCRIPT LOAD "return 1"
OBJECT ENCODING set
TYPE board
NOSUCH command
GET
SET door 1 NX
EXEC
WAIT 0 0
GET "unbalanced
GET 'unbalanced
GET "a"b
GEOADD map 2.35 48.85 paris
GEOPOS map paris nowhere
""".strip().splitlines()


def replies(client, lines: list[str]) -> list[str]:
    """What run_redis answers to each line, without the line and its indent."""
    told = [run_redis(client, line).split("→ ", 1)[1] for line in lines]
    return [reply.replace("\n    ", "\n") for reply in told]


def test_sixty_lines_get_the_words_that_redis_cli_gives(r):
    cli = shutil.which("redis-cli")
    if cli is None:
        pytest.skip("redis-cli is not installed: there is nothing to compare with")
    where = r.connection_pool.connection_kwargs
    address = ["-s", where["path"]] if "path" in where else ["-p", str(where["port"])]
    theirs = [
        subprocess.run(
            [cli, "--no-raw", *address], input=line, capture_output=True, text=True, timeout=10
        ).stdout.rstrip("\n")
        for line in LINES
    ]
    r.flushdb()
    r.script_flush()
    assert dict(zip(LINES, replies(r, LINES), strict=True)) == dict(zip(LINES, theirs, strict=True))


def test_short_replies_stand_beside_their_command_and_long_ones_below(r):
    assert run_redis(
        r,
        """
        # the door counts
        INCR door
        EXPIRE door 60

        RPUSH line a b
        LRANGE line 0 -1
        EVAL "return {{'x', {1}}, 2}" 0
        LPUSH door 1
        """,
    ) == (
        "INCR door       → (integer) 1\n"
        "EXPIRE door 60  → (integer) 1\n"
        "RPUSH line a b  → (integer) 2\n"
        "LRANGE line 0 -1\n"
        '  → 1) "a"\n'
        '    2) "b"\n'
        "EVAL \"return {{'x', {1}}, 2}\" 0\n"
        '  → 1) 1) "x"\n'
        "       2) 1) (integer) 1\n"
        "    2) (integer) 2\n"
        "LPUSH door 1\n"
        "  → (error) WRONGTYPE Operation against a key holding the wrong kind of value"
    )


def test_chinese_text_stays_readable_and_bytes_that_are_no_text_are_escaped(r):
    told = run_redis(r, 'SET 口号 "限流 \\xff"\nGET 口号')
    assert told.splitlines() == [
        'SET 口号 "限流 \\xff"  → OK',
        'GET 口号              → "限流 \\xff"',
    ]


def test_the_lines_of_one_cell_share_a_connection_and_the_next_cell_starts_fresh(r):
    told = run_redis(r, "MULTI\nINCR door\nINCR door\nEXEC\nMULTI\nINCR door")
    assert "→ 1) (integer) 1\n    2) (integer) 2\n" in told
    assert run_redis(r, "INCR door") == "INCR door  → (integer) 3"
    run_redis(r, "SELECT 1")
    assert run_redis(r, "GET door") == 'GET door  → "3"'


def test_the_replies_are_raw_whatever_the_client_decodes_or_speaks(r, server):
    for options in ({"decode_responses": False}, {"protocol": 3}, {"protocol": 2}):
        with server.client(**options) as client:
            told = run_redis(client, "HSET card a 1.0\nHGETALL card\nDEL card")
            assert '  → 1) "a"\n    2) "1.0"\n' in told


@pytest.mark.parametrize("line", ["MONITOR", "subscribe news", "HELLO 3"])
def test_a_command_whose_replies_never_end_is_sent_to_a_terminal(r, line):
    told = run_redis(r, f"{line}\nPING")
    assert "(error)" in told
    assert "needs a redis-cli in a terminal of its own" in told
    assert told.endswith("PING  → PONG") or told.split()[-1] == "PONG"


def test_a_lost_server_is_told_and_not_raised(server):
    from lab.server import Server

    with Server() as other:
        client = other.client(retries=0)
        assert run_redis(client, "PING") == "PING  → PONG"
        other.kill()
        told = run_redis(client, "PING\nPING")
        assert told.count("Could not get an answer from Redis: ") == 2


def test_nothing_to_run_says_nothing(r):
    assert run_redis(r, "\n  # only a remark\n") == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("SET  a\tb", [b"SET", b"a", b"b"]),
        (r'"\x41\n" 1', [b"A\n", b"1"]),
        (r"'\n'", [rb"\n"]),
        (r"'it\'s'", [b"it's"]),
        ('""', [b""]),
        ("限流", ["限流".encode()]),
    ],
)
def test_a_line_is_split_as_redis_cli_splits_it(line, words):
    assert split_line(line) == words


@pytest.mark.parametrize("line", ['"a', "'a", '"a"b', "'a'b", '"a\\"'])
def test_an_unbalanced_quote_is_invalid_arguments(line):
    with pytest.raises(ValueError, match=r"Invalid argument\(s\)"):
        split_line(line)


def test_a_reply_is_indented_as_asked_and_numbers_are_aligned():
    assert format_reply([1] * 10, 2).splitlines()[1::8] == [
        "   2) (integer) 1",
        "  10) (integer) 1",
    ]
    assert format_reply([[], None, Status(b"OK"), ErrorReply(b"ERR no")]) == (
        "1) (empty array)\n2) (nil)\n3) OK\n4) (error) ERR no"
    )


def test_what_is_nested_in_a_long_list_stands_under_its_own_number():
    told = format_reply([*range(9), ["a", "b"]]).splitlines()
    assert told[9:] == ['10) 1) "a"', '    2) "b"']


def test_lua_registers_the_text_and_tells_its_sha(r):
    script, told = run_lua(r, "swap", "return {KEYS[1], ARGV[1]}\n")
    assert script(keys=["a"], args=[1]) == ["a", "1"]
    assert told == f"swap is loaded: EVALSHA {r.script_load('return {KEYS[1], ARGV[1]}')}"


def test_lua_that_does_not_compile_is_told_and_not_raised(r):
    script, told = run_lua(r, "swap", "retrun 1")
    assert script is None
    assert told.startswith("(error) ERR Error compiling script")


def test_lua_wants_a_name_that_python_can_use(r):
    assert run_lua(r, "2 fast", "return 1") == (
        None,
        "Give the script a name that Python can use: %%lua my_script",
    )


@pytest.fixture
def shell(monkeypatch, r, server):
    """An IPython whose lessons stand on this test's server."""
    monkeypatch.setattr(import_module("lab.connect"), "client", server.client)
    shell = InteractiveShell()
    magics.load_ipython_extension(shell)
    return shell


def test_a_notebook_cell_prints_its_transcript(shell, capsys, r):
    shell.run_cell("%%redis\nSET door 1\nGET door").raise_error()
    assert capsys.readouterr().out == 'SET door 1  → OK\nGET door    → "1"\n'
    shell.user_ns["other"] = r
    shell.run_cell("%%redis other\nGET door").raise_error()
    assert capsys.readouterr().out == 'GET door  → "1"\n'


def test_a_cell_on_an_unknown_client_says_so(shell, capsys):
    result = shell.run_cell("%%redis nobody\nPING")
    assert isinstance(result.error_in_exec, NameError)
    assert "there is no client of that name" in str(result.error_in_exec)


def test_a_lua_cell_leaves_a_script_that_python_can_call(shell, capsys):
    shell.run_cell("%%lua twice\nreturn ARGV[1] * 2").raise_error()
    assert capsys.readouterr().out.startswith("twice is loaded: EVALSHA ")
    assert shell.ev("twice(args=[21])") == 42
    shell.run_cell("%%lua broken\nreturn (").raise_error()
    assert capsys.readouterr().out.startswith("(error) ERR Error compiling script")
    assert "broken" not in shell.user_ns
