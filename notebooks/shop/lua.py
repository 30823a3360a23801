"""From a file in lua/ to a callable on a redis-py client.

    buy = register(client, "seckill")
    buy(keys=["seckill:stock:{2001}", "seckill:users:{2001}"], args=["u1001"])   # 1

The client may be plain or of a cluster, synchronous or asyncio (then the call is awaited), and a
pipeline may be handed in as `client=`. A server that has lost its scripts is given them again.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "lua"


@cache
def load(name: str) -> str:
    """The text of lua/NAME.lua. Raises FileNotFoundError, with the names there are."""
    path = FOLDER / f"{name}.lua"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.lua"))) or "none"
        raise FileNotFoundError(f"There is no {path}. Scripts in that folder: {known}.")
    return path.read_text(encoding="utf-8")


def register(client: Any, name: str) -> Any:
    """lua/NAME.lua as `script(keys=[...], args=[...], client=None)`: the script's raw reply.

    It is sent as EVALSHA, and once as a whole when the server answers NOSCRIPT. NOSCRIPT comes
    before anything has run, so this second sending is no second press.
    """
    return client.register_script(load(name))
