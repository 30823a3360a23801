"""From `lua/NAME.lua` to a Python function that knows its own signature.

The comment at the top of each script is its signature: which keys it takes, which
arguments, what it answers. It is read here, so the Lua file stays the only copy.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import namedtuple
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.cluster import ClusterPipeline

from .signature import parse_header

LUA = Path(__file__).resolve().parents[2] / "lua"


def lua(name: str) -> str:
    """The text of `lua/NAME.lua`. FileNotFoundError lists the names that there are."""
    path = LUA / f"{name}.lua"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in LUA.glob("*.lua"))) or "none at all"
        raise FileNotFoundError(f"there is no script {name!r} in lua/; there is: {known}")
    return path.read_text(encoding="utf-8")


class Listing(NamedTuple):
    """Lua text that a notebook shows with its colours."""

    text: str

    def _repr_markdown_(self) -> str:
        return f"```lua\n{self.text}\n```"

    def __repr__(self) -> str:
        return self.text


def show_lua(name: str, lines: tuple[int, int] | None = None) -> Listing:
    """Show a script, or of it the lines a to b, counted from 1, both included."""
    text = lua(name).rstrip().splitlines()
    first, last = lines or (1, len(text))
    if not 1 <= first <= last <= len(text):
        raise ValueError(f"lua/{name}.lua has lines 1 to {len(text)}, not {first} to {last}")
    return Listing("\n".join(text[first - 1 : last]))


class Script:
    """A script as a function: keys by position, arguments by the names in its header.

    Called with an asyncio client it gives an awaitable; with a pipeline it queues the call,
    and the pipeline's result holds the raw reply, which `.reply(raw)` names.
    """

    def __init__(self, name: str, text: str, client: Any = None) -> None:
        self.name, self.text, self.client = name, text, client
        self.signature = parse_header(text, name)
        self.sha = hashlib.sha1(text.encode()).hexdigest()
        self._registered: tuple[Any, Any] = (None, None)

    def __repr__(self) -> str:
        return str(self.signature)

    def __call__(self, *keys: str | bytes, client: Any = None, **args: Any) -> Any:
        """Run the script. Raises TypeError for a call that its header does not allow."""
        if len(keys) != len(self.signature.keys):
            declared = ", ".join(key.name for key in self.signature.keys)
            raise TypeError(
                f"{self.name} takes {len(self.signature.keys)} key(s), {declared}: "
                f"got {len(keys)}. It is {self}"
            )
        values = self.signature.argv(args)
        client = self._default() if client is None else client
        if isinstance(client, (ClusterPipeline, AsyncClusterPipeline)):
            # It cannot load a script on the way, so it carries the text.
            return client.execute_command("EVAL", self.text, len(keys), *keys, *values)
        registered = self._on(client)
        if isinstance(client, AsyncPipeline) and (
            client.explicit_transaction or not client.watching
        ):
            client.scripts.add(registered)
            return client.evalsha(registered.sha, len(keys), *keys, *values)
        answer = registered(keys, values)
        if answer is client:
            return client
        return self._later(answer) if inspect.isawaitable(answer) else self.reply(answer)

    @cached_property
    def _reply_type(self) -> Any:
        reply = namedtuple("Reply", [name for name, _ in self.signature.reply])
        reply.__doc__ = f"What {self.name} answers."
        return reply

    def reply(self, raw: Any) -> Any:
        """Name a raw reply: an int stays an int, a list becomes Reply(allowed=1, …)."""
        if self.signature.is_integer:
            return int(raw)
        values = [v.decode() if isinstance(v, bytes) else v for v in raw]
        if len(values) != len(self.signature.reply):
            names = ", ".join(name for name, _ in self.signature.reply)
            raise ValueError(f"{self.name} answered {values}, its header says {names}")
        return self._reply_type(*values)

    async def _later(self, answer: Any) -> Any:
        return self.reply(await answer)

    def _on(self, client: Any) -> Any:
        """redis-py's own script object, which loads the text again after a NOSCRIPT."""
        known, registered = self._registered
        if known is not client:
            registered = client.register_script(self.text)
            self._registered = (client, registered)
        return registered

    def _default(self) -> Any:
        if self.client is None:
            from .connect import client

            self.client = client()
        return self.client


def script(name: str, client: Any = None) -> Script:
    """`lua/NAME.lua` as a function, on the lesson's server unless another client is given."""
    return Script(name, lua(name), client)
