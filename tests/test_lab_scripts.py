"""lab.script: a Lua file as a function that knows its own signature."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from lab.scripts import LUA, Script, lua, script, show_lua
from lab.signature import parse_header

# Answers what it was sent, so that a test sees exactly which arguments arrived.
ECHO = """\
-- Echo: answer with what came,
-- over two lines.
--
-- KEYS[1] box (sorted set): where it would lie
-- ARGV[1] first: the first
-- ARGV[2] second?: may be left out, has no default
-- ARGV[3] third = 7: a number that
--   goes on in a second line
-- ARGV[4] fourth = blue: a word
-- Reply[1] count: how many arguments came
-- Reply[2] words: all of them, joined by commas
-- Always: nothing is written.
return {#ARGV, table.concat(ARGV, ',')}
"""
ONE = "-- One: answer one.\n-- KEYS[1] k (string): any\n-- Reply code: 1 always\nreturn 1"
FIXED = {"limit": 2, "window_ms": 60_000}


@pytest.fixture
def echo(r):
    return Script("echo", ECHO, r)


def test_a_script_is_called_by_its_own_names_and_answers_by_name(r):
    press = script("fixed_window", r)
    assert repr(press) == "fixed_window(counter; limit, window_ms, cost=1)"
    answers = [press("limit:{2001}", **FIXED) for _ in range(3)]
    assert repr(answers[0]) == "Reply(allowed=1, remaining=1, retry_after_ms=0)"
    assert [a.allowed for a in answers] == [1, 1, 0]
    assert 0 < answers[2].retry_after_ms <= 60_001  # PTTL + 1, at most the window + 1


def test_the_header_is_the_signature():
    signature = parse_header(ECHO, "echo")
    assert signature.rule == "Echo: answer with what came, over two lines."
    assert signature.keys == (("box", "sorted set", "where it would lie"),)
    assert [(a.name, a.default, a.optional) for a in signature.args] == [
        ("first", None, False),
        ("second", None, True),
        ("third", 7, True),
        ("fourth", "blue", True),
    ]
    assert signature.args[2].meaning == "a number that goes on in a second line"
    assert [name for name, _ in signature.reply] == ["count", "words"]
    assert signature.invariant == "nothing is written."
    assert str(signature) == "echo(box; first, second?, third=7, fourth=blue)"


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"first": 1}, "1"),
        ({"first": 1, "third": None}, "1"),
        ({"first": 1, "second": "x"}, "1,x"),
        ({"first": 1, "third": 0}, "1,,0"),
        ({"first": 1, "fourth": "red"}, "1,,7,red"),
        ({"fourth": "red", "second": None, "first": "限流"}, "限流,,7,red"),
    ],
)
def test_gaps_take_the_headers_defaults_and_trailing_ones_are_left_out(echo, given, sent):
    assert echo("box", **given) == (sent.count(",") + 1, sent)


@pytest.mark.parametrize(
    ("keys", "args", "words"),
    [
        (["box"], {"frist": 1}, "does not know frist"),
        (["box"], {"second": 1}, "still needs first"),
        (["box"], {"first": None}, "still needs first"),
        ([], {"first": 1}, "takes 1 key(s), box: got 0"),
        (["a", "b"], {"first": 1}, "takes 1 key(s), box: got 2"),
    ],
)
def test_a_wrong_call_is_a_type_error_that_shows_the_signature(echo, keys, args, words):
    with pytest.raises(TypeError) as refused:
        echo(*keys, **args)
    assert words in str(refused.value)
    assert "It is echo(box; first, second?, third=7, fourth=blue)" in str(refused.value)


def test_a_client_that_does_not_decode_gets_the_same_words(r, server, echo):
    with server.client(decode_responses=False) as raw:
        assert echo("box", client=raw, first="x") == echo("box", first="x") == (1, "x")


def test_a_one_integer_reply_is_an_int(r):
    answer = Script("one", ONE, r)("k")
    assert answer == 1
    assert type(answer) is int


def test_the_sha_is_the_servers_own_fingerprint_of_the_text(r):
    press = script("fixed_window")
    assert press.sha == r.script_load(press.text)
    assert press.text == (LUA / "fixed_window.lua").read_text(encoding="utf-8") == lua(press.name)


def test_a_forgotten_script_is_loaded_again(r, echo):
    assert echo("box", first=1).count == 1
    r.script_flush()
    assert echo("box", first=1).count == 1


def test_a_pipeline_queues_the_calls_and_loads_a_forgotten_script(r, echo):
    r.script_flush()
    with r.pipeline() as queue:
        for i in range(3):
            assert echo("box", client=queue, first=i) is queue
        assert len(queue.scripts) == 1  # one text is looked up once, however often it is called
        assert [echo.reply(raw) for raw in queue.execute()] == [(1, "0"), (1, "1"), (1, "2")]


def test_a_pipeline_that_watches_answers_at_once(r, echo):
    with r.pipeline() as queue:
        queue.watch("box")
        assert echo("box", client=queue, first=5) == (1, "5")


def test_an_asyncio_client_gives_an_awaitable_and_its_pipeline_queues(r, server, echo):
    async def asked() -> list:
        options = r.connection_pool.connection_kwargs
        kind = redis.asyncio.UnixDomainSocketConnection if "path" in options else None
        where = {"path": options["path"]} if kind else {k: options[k] for k in ("host", "port")}
        pool = redis.asyncio.ConnectionPool(
            connection_class=kind or redis.asyncio.Connection, **where
        )
        client = redis.asyncio.Redis(connection_pool=pool)
        try:
            await client.script_flush()
            alone = await echo("box", client=client, first="x")
            await client.script_flush()
            async with client.pipeline() as queue:
                assert echo("box", client=queue, first=1) is queue
                await echo("box", client=queue, first=2)
                queued = [echo.reply(raw) for raw in await queue.execute()]
            async with client.pipeline() as queue:
                await queue.watch("box")
                at_once = await echo("box", client=queue, first=3)
            return [alone, *queued, at_once]
        finally:
            await client.aclose()
            await pool.disconnect()

    assert asyncio.run(asked()) == [(1, "x"), (1, "1"), (1, "2"), (1, "3")]


@pytest.fixture(scope="module")
def cluster():
    from lab.cluster import Cluster

    with Cluster(masters=3) as one:
        yield one


def test_a_cluster_runs_a_script_where_its_keys_live_and_loads_it_there(cluster):
    echo = Script("echo", ECHO, cluster.client())
    keys = [f"box:{{{sku}}}" for sku in range(2001, 2010)]
    assert [echo(key, first=key) for key in keys] == [(1, key) for key in keys]


def test_a_cluster_pipeline_queues_calls_too(cluster):
    client, other = cluster.client(), script("fixed_window")
    client.script_flush()
    with client.pipeline() as queue:
        for _ in range(3):
            assert other("limit:{2001}", client=queue, **FIXED) is queue
        other("limit:{2002}", client=queue, **FIXED)
        allowed = [other.reply(raw).allowed for raw in queue.execute()]
    assert allowed == [1, 1, 0, 1]


def test_an_asyncio_cluster_and_its_pipeline_answer_too(cluster):
    echo = Script("echo", ECHO)
    port = cluster.client().get_default_node().port

    async def asked() -> list:
        async with redis.asyncio.RedisCluster(host="127.0.0.1", port=port) as client:
            await client.script_flush()
            alone = await echo("box:{2001}", client=client, first="x")
            queue = client.pipeline()
            assert echo("box:{2001}", client=queue, first=1) is queue
            echo("box:{2002}", client=queue, first=2)
            return [alone, *[echo.reply(raw) for raw in await queue.execute()]]

    assert asyncio.run(asked()) == [(1, "x"), (1, "1"), (1, "2")]


def test_one_script_serves_many_threads_on_two_clients(r, server):
    press = script("fixed_window")
    with server.client(db=1) as other, ThreadPoolExecutor(8) as crowd:
        other.flushdb()
        asked = [
            crowd.submit(
                press, "limit:{2001}", client=(r, other)[i % 2], limit=30, window_ms=60_000
            )
            for i in range(200)
        ]
        allowed = sum(one.result().allowed for one in asked)
        assert (allowed, r.get("limit:{2001}"), int(other.get("limit:{2001}"))) == (60, "30", 30)


def test_an_error_reply_is_raised_as_redis_py_raises_it(r):
    with pytest.raises(redis.ResponseError, match="limit must be"):
        script("fixed_window", r)("limit:{2001}", limit=-1, window_ms=1000)


def test_a_reply_of_another_length_than_the_header_says_is_told(echo):
    with pytest.raises(ValueError, match="echo answered .* its header says count, words"):
        echo.reply([1])


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(FileNotFoundError, match=r"no script 'fixed'.*fixed_window"):
        lua("fixed")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("-- Rule.\n-- KEYS[2] a (string): b\n-- Reply code: 1\n", "out of order"),
        ("-- Rule.\n-- KEYS[1] a (string): b\n-- Always: x\n", "the header needs"),
    ],
)
def test_a_header_that_cannot_be_a_signature_is_refused(header, words):
    with pytest.raises(ValueError, match=words):
        parse_header(header)


def test_show_lua_shows_the_file_in_a_lua_fence():
    shown = show_lua("fixed_window")
    assert repr(shown) == lua("fixed_window").rstrip()
    assert shown._repr_markdown_() == f"```lua\n{shown!r}\n```"


def test_show_lua_shows_a_part():
    assert (
        repr(show_lua("fixed_window", lines=(2, 3))).splitlines()
        == (lua("fixed_window").splitlines()[1:3])
    )
    with pytest.raises(ValueError, match="has lines 1 to"):
        show_lua("fixed_window", lines=(2, 999))
