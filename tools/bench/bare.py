"""What a script's commands cost alone: the least that any script with these commands could take.

The commands are not written down here. MONITOR watches one press of the real script, and a bare
script sends the same commands with the same arguments, gives a reply as long, and looks at nothing.
What the real script takes beyond that is its checks and its arithmetic.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import NamedTuple

import redis
from lab.server import Server
from redis.commands.core import Script

from . import contenders as who
from . import measure

LIMIT = 100


class Case(NamedTuple):
    """One outcome of one script, which `press(name)` brings about.

    `names(turn)` are the presses of a round: keys of a limiter, users of a sale. `keys` are those
    of the sale; a limiter's only key is the name. `reply` is Lua, as long as the real one.
    """

    script: str
    outcome: str
    goal: float | None
    press: who.Press
    names: Callable[[int], Iterable[str]]
    reply: str
    keys: tuple[str, ...] = ()
    stock: int = 0


def cases(client: redis.Redis) -> Iterator[Case]:
    """The usual press of each limiter whose presses are alike, and three of the sale."""
    for one in who.ours(client, LIMIT):
        if one.goal:  # the log has none, and a member of its own for each press
            title = one.title

            def names(turn: int, title: str = title) -> Iterable[str]:
                return measure.keys_for("admit", title, LIMIT, turn)

            yield Case(one.name, "let in", one.goal, one.press, names, "{1, 50, 0}")
    (_, plain, goal), (_, queued, queued_goal) = who.sale(client)

    def users(turn: int) -> Iterable[str]:
        return (f"{turn}:{i}" for i in range(measure.PRESSES))

    two, three, plenty = who.SALE[:2], who.SALE, 10**6
    yield Case("lua/seckill", "bought", goal, plain, users, "1", two, plenty)
    yield Case("lua/seckill", "sold out", who.SOLD_OUT_GOAL, plain, users, "0", two)
    name = "lua/seckill_enqueue"
    yield Case(name, "bought", queued_goal, queued, users, "{1, 'id'}", three, plenty)


def watched(client: redis.Redis, press: who.Press, name: str) -> list[list[str]]:
    """The commands that one press sends from inside its script, each with its arguments."""
    inside = []
    with client.monitor() as monitor:
        press(name)
        client.ping()
        while True:
            # time, database, origin, then the command, each word in quotes
            _, _, origin, *command = shlex.split(monitor.connection.read_response())
            if command == ["PING"]:
                return inside
            if origin == "lua]":
                inside.append(command)


def bare(commands: list[list[str]], keys: tuple[str, ...], name: str, reply: str) -> str:
    """A script that sends these commands and replies; `name` is its argument, or its only key."""
    spelled = {key: f"KEYS[{i}]" for i, key in enumerate(keys or [name], start=1)}
    spelled.setdefault(name, "ARGV[1]")
    calls = (
        f"redis.call({', '.join(spelled.get(word, repr(word)) for word in command)})"
        for command in commands
    )
    return "\n".join([*calls, f"return {reply}"])


def caller(script: Script, keys: tuple[str, ...]) -> who.Press:
    """A press of a bare script: on the sale's keys, or on the press's own."""
    return lambda name: script(list(keys) or [name], [name])


def table(server: Server) -> list[str]:
    """A row for each case: its commands alone and the script, as multiples of the floor."""
    client = server.client()
    lines = [
        "| script | its commands | alone | the script | goal |",
        "|---|---|--:|--:|--:|",
    ]
    for case in cases(client):
        commands, alone, script = _measured(client, case)
        names = ", ".join(command[0] for command in commands)
        lines.append(
            f"| **{case.script}**, {case.outcome} | {names} | {alone:.1f} | {script:.1f} "
            f"| ≤ {case.goal} |"
        )
    return lines


def _measured(client: redis.Redis, case: Case) -> tuple[list[list[str]], float, float]:
    """What one press sends; medians of those commands alone and of the script, by turns."""
    open_up(client, case, ["watched"])
    commands = watched(client, case.press, "watched")
    script = client.register_script(bare(commands, case.keys, "watched", case.reply))
    turns = {
        "floor": who.floor(client)[0].press,
        "alone": caller(script, case.keys),
        "script": case.press,
    }
    times: dict[str, list[float]] = {what: [] for what in turns}
    for turn in range(measure.LEAST):
        us = {}
        for what, press in turns.items():
            names = list(case.names(turn))
            open_up(client, case, names)
            us[what] = measure.one_round(client, who.Contender("bare", what, press), names)
        for what, value in us.items():
            times[what].append(value / us["floor"])
    return commands, median(times["alone"]), median(times["script"])


def open_up(client: redis.Redis, case: Case, names: list[str]) -> None:
    """A sale with its stock; or limiters that each had a press, since the usual is not the first."""
    client.flushdb()
    if case.keys:
        client.set(who.SALE[0], case.stock)
        return
    for name in dict.fromkeys(names):
        case.press(name)
