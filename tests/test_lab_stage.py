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
    for day, said in ((2, "199 let in within one second"), (5, "4 of 6 orders"), (6, "0 pending")):
        first, second = stage(day)._repr_mimebundle_(), stage(day)._repr_mimebundle_()
        assert first["text/plain"] == f"stage({day})"
        assert first["text/html"] == second["text/html"]
        assert (
            first["text/html"].startswith(f'<rush-stage day="{day}"><svg')
            and said in first["text/html"]
        )
    assert r.keys("stage:*") == []
    with pytest.raises(RuntimeError, match="Day 9 has no stage. The days 1 to 7 have one each"):
        stage(9)


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
