"""lab.stage: what a notebook records, and what the kernel's server answers to the instrument."""

from importlib import import_module

import pytest
from lab.stage import stage
from lab.stage_player import Player
from page_host import ROOT


def lua(name: str) -> str:
    return (ROOT / "lua" / f"{name}.lua").read_text()


def test_what_a_notebook_records_is_the_same_text_each_time(r, server, monkeypatch):
    monkeypatch.setattr(import_module("lab.connect"), "url", lambda: server.url)
    for day, said in (
        (0, "(error) ERR value is not an integer"),
        (2, "199 let in within one second"),
        (5, "4 of 6 orders"),
        (6, "0 pending"),
        (8, "150 press: 30 turned away, 100 sold, 20 too late"),
        (9, "40 + 60 + 60 = 160 sold of 100"),
    ):
        first, second = stage(day)._repr_mimebundle_(), stage(day)._repr_mimebundle_()
        assert first["text/plain"] == f"stage({day})"
        assert first["text/html"] == second["text/html"]
        assert (
            first["text/html"].startswith(f'<rush-stage day="{day}"><svg')
            and said in first["text/html"]
        )
    assert r.keys("stage:*") == []
    with pytest.raises(RuntimeError, match="Day 10 has no stage. The days 0 to 9 have one each"):
        stage(10)


def test_the_kernel_lets_199_through_as_well(r, server):
    player = Player(lambda **kw: server.client(decode_responses=True, **kw))
    steps = [
        {"at": at * 100, "words": ["EVALSHA", {"script": "main"}, 1, "stage:k", 100, 100_000]}
        for at, n in ((0, 1), (900, 99), (1100, 100))
        for _ in range(n)
    ]
    job = {"scripts": {"main": lua("fixed_window")}, "clear": ["stage:k"], "steps": steps}
    told = player.play(job)
    assert told["fault"] is None
    assert sum(reply[0] for reply in told["replies"]) == 200
    assert sum(reply[0] for reply in player.play(job)["replies"]) == 200  # and from the start again
    wrong = player.play({"scripts": {"main": "return 1"}, "steps": [{"words": ["NOPE"]}]})
    assert wrong["fault"]["step"] == 0 and "unknown command" in wrong["fault"]["message"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("while true do end", "found no end in 0.3 s, so it was killed"),
        ("redis.call('SET', KEYS[1], 1) while true do end", "has written, so Redis cannot end it"),
    ],
)
def test_a_script_without_an_end_is_killed_where_that_can_be(monkeypatch, script, said):
    from lab.server import Server

    monkeypatch.setattr("lab.stage_player.PATIENCE_S", 0.3)
    with Server() as own:  # the second one has to be killed with its script
        with own.client() as r:
            r.config_set("lua-time-limit", 50)
        player = Player(lambda **kw: own.client(decode_responses=True, **kw))
        words = ["EVALSHA", {"script": "main"}, 1, "stage:k"]
        told = player.play({"scripts": {"main": script}, "steps": [{"words": words}]})
        assert said in told["fault"]["message"]
        if "killed" in said:
            assert player.play({"steps": [{"words": ["ECHO", "here"]}]})["replies"] == ["here"]


def test_a_moment_is_the_same_for_every_step_and_goes_on_by_what_was_asked(r, server):
    player = Player(lambda **kw: server.client(decode_responses=True, **kw))
    steps = [{"at": at, "words": ["ECHO", {"now": True}]} for at in (0, 0, 700, 2500)]
    first, again, later, last = map(int, player.play({"steps": steps})["replies"])
    assert (again - first, later - first, last - first) == (0, 700, 2500)
    on = player.play({"fresh": False, "steps": [{"at": 2500, "words": ["ECHO", {"now": True}]}]})
    assert int(on["replies"][0]) == last


def test_a_readers_line_is_answered_as_redis_cli_would_and_nothing_is_raised(r, server):
    player = Player(lambda **kw: server.client(decode_responses=True, **kw))

    def ask(*words, name="line"):
        job = {"fresh": False, "raw": name, "steps": [{"words": list(words)}]}
        return player.play(job)["replies"][0]

    assert ask("SET", "k", "\xe9\x99\x90") == {"status": "OK"}
    assert ask("GET", "k") == {"text": "\xe9\x99\x90"}
    assert ask("INCR", "k") == {"error": "ERR value is not an integer or out of range"}
    assert ask("MULTI") == {"status": "OK"}
    assert ask("DBSIZE") == {"status": "QUEUED"}
    assert ask("DBSIZE", name="look") == {"integer": "1"}  # a connection of its own
    assert ask("EXEC") == [{"integer": "1"}]
    assert ask("GET", "nobody") is None


def test_time_passes_for_the_keys_that_are_named_and_for_no_others(r, server):
    player = Player(lambda **kw: server.client(decode_responses=True, **kw))
    r.set("mine", 1, ex=60)
    r.set("theirs", 1, ex=60)
    steps = [
        {"at": 61_000, "words": ["EXISTS", "mine"]},
        {"at": 61_000, "words": ["TTL", "theirs"]},
    ]
    told = player.play({"fresh": False, "raw": "look", "keys": ["mine"], "steps": steps})["replies"]
    assert told[0] == {"integer": "0"}
    assert int(told[1]["integer"]) > 50  # seconds; the machine would have to stand still for ten


def test_a_line_that_waits_is_given_up_and_a_script_without_an_end_is_killed(monkeypatch):
    from lab.server import Server

    monkeypatch.setattr("lab.stage_player.PATIENCE_S", 0.3)
    with Server() as own:
        with own.client() as r:
            r.config_set("lua-time-limit", 50)
        player = Player(lambda **kw: own.client(decode_responses=True, **kw))

        def ask(*words):
            return player.play({"raw": "line", "steps": [{"words": list(words)}]})["replies"][0]

        assert "waits for somebody else" in ask("BLPOP", "nobody", "0")["status"]
        assert "so it was killed" in ask("EVAL", "while true do end", "0")["status"]
        assert ask("PING") == {"status": "PONG"}
