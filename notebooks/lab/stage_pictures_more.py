"""The pictures of the first day and the last two: a talk with Redis, opening night, a failover."""

from __future__ import annotations

from html import escape

from . import charts
from .charts import Svg
from .charts.svg import frame, heading, path
from .connect import client
from .magics import run_redis
from .scripts import script
from .stage_pictures import NOON_MS, clean

KEYS = [f"stage:{name}:{{2001}}" for name in ("stock", "buyers", "orders")]
COPY = [key.replace("}", "-copy}") for key in KEYS]
ROWS, RING = "stage:rows:{2001}", "stage:limit:{2001}"
TALK = [
    'SET stage:greeting "noon is near"',
    "GET stage:greeting",
    "GET stage:nobody",
    "INCR stage:presses",
    "SET stage:ticket yours EX 60",
    "TTL stage:ticket",
    "INCR stage:greeting",
]
MINUTE_MS = 60_000  # so long that this machine cannot be too slow for it
MONO = "font:14px ui-monospace,Menlo,Consolas,monospace"


def _zero() -> Svg:
    """A few lines and their replies; the keys are the stage's own, and their prefix is not shown."""
    r, names = client(), [line.split()[1] for line in TALK]
    told = clean(lambda: [run_redis(r, line).split("→ ", 1)[1] for line in TALK], *names)
    body, y = heading("Ask Redis, and it answers")
    for line, reply in zip(TALK, told, strict=True):
        shown = line.replace("stage:", "")
        body += _mono(0, y + 14, f"> {shown}", "bold")
        body += _mono(14, y + 33, reply, "t-no" if reply.startswith("(error)") else "")
        y += 43
    said = "; ".join(f"{a.replace('stage:', '')}: {b}" for a, b in zip(TALK, told, strict=True))
    return frame(body + path(f"M0 {y + 2:.0f}h456", "axis"), y + 4, "Ask Redis", said, "stage")


def _mono(x: int, y: float, words: str, cls: str) -> str:
    return f'<text x="{x}" y="{y:.0f}" class="{cls}" style="{MONO}">{escape(words, quote=False)}</text>'


def _eight() -> Svg:
    """150 people in one moment: the door lets in 120, the script sells, some orders are written."""
    r, door, sell = client(protocol=2), script("sliding_window_ring"), script("seckill_enqueue")

    def night() -> tuple[int, int, int, int]:
        r.set(KEYS[0], 100)
        r.xgroup_create(KEYS[2], "orders", id="0", mkstream=True)
        inside = [
            k
            for k in range(150)
            if door(RING, limit=120, window_ms=MINUTE_MS, now_ms=NOON_MS).allowed
        ]
        codes = [sell(*KEYS, user=f"p{k}", sku="2001").code for k in inside]
        ((_, entries),) = r.xreadgroup("orders", "c", {KEYS[2]: ">"}, count=60)
        r.sadd(ROWS, *(fields["user"] for _, fields in entries))
        r.xack(KEYS[2], "orders", *(entry for entry, _ in entries))
        r.xdel(KEYS[2], *(entry for entry, _ in entries))
        return len(inside), codes.count(0), r.scard(ROWS), r.xlen(KEYS[2])

    inside, late, rows, queued = clean(night, *KEYS, ROWS, RING)
    title = f"150 press: {150 - inside} turned away, {rows + queued} sold, {late} too late"
    return charts.hundred(rows, queued, title=title, name="stage")


def _nine() -> Svg:
    """40 sold, the copy made, and both machines sell what they have left."""
    r, sell = client(), script("seckill_enqueue")

    def sold(keys: list[str], who: str) -> int:
        users = [f"{who}-{k}" for k in range(120 if who != "early" else 40)]
        return sum(sell(*keys, user=user, sku="2001").code == 1 for user in users)

    def night() -> tuple[int, int, int]:
        r.set(KEYS[0], 100)
        early = sold(KEYS, "early")
        for key, copied in zip(KEYS, COPY, strict=True):
            r.copy(key, copied)
        return early, sold(KEYS, "old"), sold(COPY, "new")

    parts = clean(night, *KEYS, *COPY)
    title = f"{' + '.join(map(str, parts))} = {sum(parts)} sold of 100"
    return charts.hundred(sum(parts), title=title, name="stage")


DAYS = {0: _zero, 8: _eight, 9: _nine}
