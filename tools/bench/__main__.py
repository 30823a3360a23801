"""`make bench`: the scripts beside the published limiters, side by side in one run.

    python -m tools.bench [--quick] [--write]

Starts servers of its own, one of each kind that is installed; prints the tables, and with --write
puts them between the marks on docs/performance.md, with the machine and the versions.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT)]

import redis  # noqa: E402
from lab.server import Server  # noqa: E402

from conftest import SERVERS  # noqa: E402
from tools.bench import bare, door, drain, measure, page  # noqa: E402
from tools.bench import contenders as who  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
SITE = ROOT / "site"
LIMITS = (10, 100, 10_000, 1_000_000)
CONSUMER = (
    "Draining the stream, beside the same inserts without a stream, a hundred orders a transaction. "
    "What it pays on top: it reads and acknowledges, and lowers what is left in the same transaction."
)
DOOR = (
    "Requests without a network, on one core in one process. The door asks Redis three times: does "
    "the limit allow, does the person's own limit allow, is there one left."
)
IN_PAGE = (
    "The published lesson in a browser, from the same machine: from the moment the stage comes into "
    "view to Redis’s first answer in it, and from a press on Run to the end of the first cell, Python "
    "and all. Median of {} visits each (least–most), with an empty cache and once more with a full one."
)
ALONE = (
    "What of that is the commands? A script that sends the same commands and gives a reply as long, "
    "but looks at nothing, is the least that these commands can cost; the rest is checks and "
    "arithmetic. Limit 100, a key that has been pressed before."
)
PEERS = ("limits", "throttled-py", "pyrate-limiter", "upstash-ratelimit", "redis")

Row = dict[tuple[int, str], measure.Figure]  # by limit and mode


def limiters(server: Server, limits: tuple[int, ...]) -> list[str]:
    """A table for each family: a row for each contender, a column for each limit."""
    client = server.client()
    families: dict[str, dict[str, Row]] = {}
    for limit in limits:
        print(f"  limit {limit:,}", end="", flush=True)
        started = time.perf_counter()
        client.flushdb()
        everybody = [*who.floor(client), *who.ours(client, limit), *who.peers(server.url, limit)]
        for figure in measure.measure(client, everybody, limit):
            one = figure.contender
            families.setdefault(one.family, {}).setdefault(one.name, {})[limit, figure.mode] = (
                figure
            )
        print(f": {time.perf_counter() - started:.0f} s", flush=True)
    client.flushdb()
    contenders = [*who.ours(client, 100), *who.peers(server.url, 100)]
    sizes = measure.bytes_per_key(client, contenders, 100)
    base = families["floor"]['EVALSHA "return 1"'][limits[1], "admit"].us
    lines = [f'× {base:.2f} µs, what `EVALSHA "return 1"` takes; letting in / refusing.']
    for family, rows in families.items():
        columns = [f"limit {limit:,}" for limit in limits] + ["bytes at 100"]
        lines += ["", f"| {family} | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
        for name, row in rows.items():
            size = sizes.get(f"{family}/{name}")
            shown = [*(_cell(row, limit) for limit in limits), f"{size:,}" if size else ""]
            lines.append(f"| {_title(name, row)} | {' | '.join(shown)} |")
    return lines


def _title(name: str, row: Row) -> str:
    goal = next(iter(row.values())).contender.goal
    return f"**{name}** (goal ≤ {goal})" if goal else f"**{name}**" if "/" in name else name


def _cell(row: Row, limit: int) -> str:
    both = [row[limit, mode].times for mode in ("admit", "refuse") if (limit, mode) in row]
    return " / ".join(f"{times:.1f}" for times in both)


def sale(server: Server) -> list[str]:
    """The table of the sale: bought, again, sold out, each as a multiple of the floor."""
    client = server.client()
    base = who.floor(client)[0]
    lines = ["| script | bought | goal | again | sold out | goal |", "|---|--:|--:|--:|--:|--:|"]
    for name, press, goal in who.sale(client):
        rounds: dict[str, list[float]] = {"bought": [], "again": [], "sold out": []}
        for _ in range(measure.LEAST):
            client.flushdb()
            client.set(who.SALE[0], measure.PRESSES)
            users = [f"u{i}" for i in range(measure.PRESSES)]
            others = [f"v{i}" for i in range(measure.PRESSES)]
            one = who.Contender("sale", name, press)
            floor_us = measure.one_round(client, base, users)
            for what, crowd in (("bought", users), ("again", users), ("sold out", others)):
                rounds[what].append(measure.one_round(client, one, crowd) / floor_us)
        bought, again, out = (f"{median(values):.1f}" for values in rounds.values())
        out_goal = f"≤ {who.SOLD_OUT_GOAL}" if name == "seckill" else ""
        lines.append(f"| **lua/{name}** | {bought} | ≤ {goal} | {again} | {out} | {out_goal} |")
    return lines


def from_python(server: Server) -> list[str]:
    """Decisions a second of one thread, client and all."""
    client = server.client()
    floor = [who.floor(client)[0], who.floor(client)[-1]]  # the script and the command
    everybody = [*floor, *who.ours(client, 10**6), *who.peers(server.url, 10**6)]
    everybody = [one for one in everybody if not one.asks]
    rates: dict[tuple[str, str], list[float]] = {}
    for _ in range(3):
        for one in everybody:
            started = time.perf_counter()
            for i in range(500):
                one.press(f"py:{one.title}:{i % 50}")
            rates.setdefault((one.family, one.name), []).append(
                500 / (time.perf_counter() - started)
            )
    lines = ["| limiter | by | decisions a second |", "|---|---|--:|"]
    lines += [f"| {family} | {name} | {median(r):,.0f} |" for (family, name), r in rates.items()]
    return lines


def silence(server: Server) -> list[str]:
    """One press after a long silence: microseconds with so many expired presses in the limiter."""
    client = server.client(socket_timeout=60)
    lines = ["| expired presses | sliding_window_log | sliding_window_ring |", "|--:|--:|--:|"]
    fill = {
        "sliding_window_log": "for i = 1, ARGV[1] do redis.call('ZADD', KEYS[1], 1, 'p' .. i) end",
        "sliding_window_ring": "for i = 1, ARGV[1] do redis.call('LPUSH', KEYS[1], '1') end",
    }
    for presses in (1_000, 10_000, 100_000, 1_000_000):
        took = []
        for name, script in fill.items():
            client.eval(script, 1, "old", presses)
            limiter = who.make(name, client, limit=presses, window_ms=1000)
            limiter.hit(f"warm:{name}")
            client.config_resetstat()
            limiter.hit("old")
            took.append(measure.server_us(client))
            client.delete("old")
        lines.append(f"| {presses:,} | {took[0]:,.0f} µs | {took[1]:,.0f} µs |")
    return lines


def report(quick: bool) -> str:
    """All tables, as Markdown."""
    limits = LIMITS[:2] if quick else LIMITS
    told = [
        f"Measured on {time.strftime('%Y-%m-%d')}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}; "
        + ", ".join(f"{name} {version(name)}" for name in PEERS)
        + "."
    ]
    for kind in ("redis-7.0", "valkey-9.1"):
        binary = SERVERS[kind]()
        if binary is None:
            print(f"{kind} is not installed: left out")
            continue
        with Server(binary, tcp=True) as server:
            print(server.name, flush=True)
            told += ["", f"### {server.name}", "", *limiters(server, limits)]
            told += ["", "The sale:", "", *sale(server)]
            told += ["", ALONE, "", *bare.table(server)]
            if kind == "redis-7.0":
                told += ["", "From Python, one thread:", "", *from_python(server)]
                told += ["", "One press after a long silence:", "", *silence(server)]
    print("the consumer", flush=True)
    told += ["", "### The consumer", "", *consumer(quick)]
    print("the door", flush=True)
    rates = asyncio.run(door.measure(requests=200 if quick else 1_000, rounds=5))
    told += ["", "### The door", "", DOOR, "", *door.table(rates)]
    print("the page", flush=True)
    told += ["", "### In the page", "", *in_page(3 if quick else 10)]
    return "\n".join(told) + "\n"


def in_page(visits: int) -> list[str]:
    """How soon the page that runs answers, or what is missing to say so."""
    if what := page.missing(SITE):
        print(f"  left out, {what}")
        return [f"Not measured: {what}."]
    return [IN_PAGE.format(visits), "", *page.table(SITE, visits)]


def consumer(quick: bool) -> list[str]:
    """Orders a second into each database that is installed, beside the same rows inserted alone."""
    lines = [
        CONSUMER,
        "",
        "| database | inserted alone | drained | share | goal |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in drain.rows(orders=2_000 if quick else 20_000):
        lines.append(
            f"| {row.database} | {row.inserted:,.0f}/s | {row.drained:,.0f}/s "
            f"| {row.share:.2f} | ≥ {row.goal} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two limits only")
    parser.add_argument(
        "--write", action="store_true", help="put the tables on docs/performance.md"
    )
    given = parser.parse_args()
    try:
        tables = report(given.quick)
    except redis.RedisError as error:
        print(f"The server went away ({error}): run this again.")
        return 1
    print(tables)
    if given.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- bench -->\n")
        _, _, after = rest.partition("<!-- /bench -->")
        PAGE.write_text(f"{before}<!-- bench -->\n{tables}<!-- /bench -->{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
