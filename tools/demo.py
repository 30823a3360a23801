"""The five-minute opening: 160 of a hundred sold, then exactly a hundred. `.venv/bin/python tools/demo.py`

Waits for Enter between its steps, so that a room can guess first; `--now` does not wait.
"""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "notebooks"))

STOCK, BUYERS = "seckill:stock:{2001}", "seckill:users:{2001}"
EARLY, LATE = 99, 61  # who came one by one, and who looked at the last cup in the same moment


def look_then_take(r) -> int:
    """Two commands for each buyer; the late ones all look before any of them takes. How many sold."""
    r.set(STOCK, 100)
    sold = 0
    for crowd in (*[1] * EARLY, LATE):
        saw = [int(r.get(STOCK)) for _ in range(crowd)]
        for left in saw:
            if left > 0:
                r.decr(STOCK)
                sold += 1
    return sold


def in_one_step(seckill: Callable[..., int]) -> int:
    """The same people, one script for each of them. How many sold."""
    return sum(seckill(STOCK, BUYERS, user=f"u{i}") == 1 for i in range(EARLY + LATE))


def main(wait: Callable[[str], object] = input) -> None:
    import lab

    r = lab.connect()
    print(f"\nA hundred cups, {EARLY + LATE} people. {EARLY} come one by one.")
    print(f"Then {LATE} look at the last cup in the same moment: 1 left.")
    wait("How many cups are sold? ")
    print(f"\n  {look_then_take(r)} sold of 100 · the stock says {r.get(STOCK)}")
    wait("\nThe same people again. Look and take are one step now. How many? ")
    lab.reset()
    r.set(STOCK, 100)
    print(f"\n  {in_one_step(lab.script('seckill'))} sold of 100 · the stock says {r.get(STOCK)}")
    print("\nThe step is lua/seckill.lua. Day 5 takes it apart.")


if __name__ == "__main__":
    from lab.errors import LabError

    sys.stdout.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows a ? instead
    try:
        main(print if "--now" in sys.argv[1:] else input)
    except LabError as problem:
        sys.exit(str(problem))
    except (EOFError, KeyboardInterrupt):
        sys.exit("\nStopped. With --now it does not wait for Enter.")
