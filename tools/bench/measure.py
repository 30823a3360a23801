"""Server microseconds per decision, as a multiple of the floor in the same round.

INFO commandstats counts what the server spent inside commands, so the client's own speed and the
network do not matter; whatever else a library sends for one decision is counted with it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import NamedTuple

import redis

from .contenders import Contender

OURS_TO_IGNORE = (
    "cmdstat_config",
    "cmdstat_info",
    "cmdstat_script",
    "cmdstat_client",
    "cmdstat_hello",
)
PRESSES = 300  # decisions in one round
LEAST, MOST = 7, 15  # rounds
SETTLED = 0.03  # a median that moved less than this in three rounds has settled


class Figure(NamedTuple):
    """One contender in one setting. `times` is a multiple of the floor, `us` server microseconds."""

    contender: Contender
    limit: int
    mode: str  # "admit" or "refuse"
    us: float
    times: float


def server_us(client: redis.Redis) -> float:
    """Microseconds spent in commands since the counters were set back, our own left out.

    A script's inner commands are in its own time and once more under their names, so where
    scripts ran, they alone count: no contender sends a script and a bare command in one request.
    """
    stats = client.info("commandstats")
    scripts = sum(s["usec"] for name, s in stats.items() if name.startswith("cmdstat_eval"))
    if scripts:
        return scripts
    return sum(s["usec"] for name, s in stats.items() if not name.startswith(OURS_TO_IGNORE))


def one_round(client: redis.Redis, contender: Contender, keys: Iterable[str]) -> float:
    """Microseconds of one decision, over the given keys; a second request is counted by itself."""
    us, keys = 0.0, list(keys)
    for request in filter(None, (contender.press, contender.asks)):
        client.config_resetstat()
        for key in keys:
            request(key)
        us += server_us(client) / len(keys)
    return us


def keys_for(mode: str, name: str, limit: int, number: int) -> Iterator[str]:
    """Keys that still let in, each pressed at most half its limit; or one key that is full."""
    each = max(1, min(limit // 2, PRESSES))
    for i in range(PRESSES):
        yield f"{name}:full" if mode == "refuse" else f"{name}:{number}:{i // each}"


def measure(client: redis.Redis, contenders: list[Contender], limit: int) -> list[Figure]:
    """Rounds in which everybody takes a turn, in a new order each time, until medians settle."""
    for contender in contenders:
        for _ in range(limit + 1 if limit <= 10_000 else 0):
            if contender.family != "floor":
                contender.press(f"{contender.title}:full")
    seen: dict[tuple[Contender, str], list[tuple[float, float]]] = defaultdict(list)
    modes = ("admit", "refuse") if limit <= 10_000 else ("admit",)
    dice = random.Random(limit)
    for number in range(MOST):
        for mode in modes:
            order = dice.sample(contenders, len(contenders))
            us = {c: one_round(client, c, keys_for(mode, c.title, limit, number)) for c in order}
            base = next(us[c] for c in contenders if c.family == "floor")
            for contender in contenders:
                seen[contender, mode].append((us[contender], us[contender] / base))
        if number >= LEAST and all(_settled([t for _, t in rows]) for rows in seen.values()):
            break
    return [
        Figure(contender, limit, mode, median(u for u, _ in rows), median(t for _, t in rows))
        for (contender, mode), rows in seen.items()
    ]


def _settled(values: list[float]) -> bool:
    """Whether the median has stopped moving."""
    medians = [median(values[:n]) for n in range(len(values) - 2, len(values) + 1)]
    return max(medians) - min(medians) <= SETTLED * medians[-1]


def bytes_per_key(client: redis.Redis, contenders: list[Contender], limit: int) -> dict[str, int]:
    """Bytes that a full limiter takes, all its keys together."""
    sizes = {}
    for contender in contenders:
        if contender.family == "floor":
            continue
        before = set(client.keys("*"))
        for _ in range(limit):
            contender.press(f"{contender.title}:bytes")
        new = set(client.keys("*")) - before
        sizes[contender.title] = sum(client.memory_usage(key, samples=0) or 0 for key in new)
        if new:
            client.delete(*new)
    return sizes
