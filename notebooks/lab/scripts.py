"""From `lua/NAME.lua` to a Python function that knows its own signature.

The comment at the top of each script is its signature: which keys it takes, which
arguments, what it answers. It is read here, so the Lua file stays the only copy.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.cluster import ClusterPipeline

LUA = Path(__file__).resolve().parents[2] / "lua"

HEADER = re.compile(
    r"(?P<table>KEYS|ARGV|Reply)\[(?P<index>\d+)\] (?P<name>\w+)(?P<optional>\?)?"
    r"(?: \((?P<type>[^)]+)\))?(?: = (?P<default>[^:]+))?: (?P<meaning>.+)"
    r"|Reply (?P<reply>\w+): (?P<codes>.+)"
    r"|Always: (?P<always>.+)"
)


class Key(NamedTuple):
    """One KEYS entry: its name, its Redis type, what it holds."""

    name: str
    type: str
    meaning: str


class Argument(NamedTuple):
    """One ARGV entry. `default` is None when there is none; `optional` when it may be left out."""

    name: str
    default: int | str | None
    optional: bool
    meaning: str

    def __str__(self) -> str:
        if self.default is not None:
            return f"{self.name}={self.default}"
        return f"{self.name}?" if self.optional else self.name


@dataclass(frozen=True)
class Signature:
    """What a script's header declares. `reply` holds (name, meaning) pairs."""

    name: str
    rule: str
    keys: tuple[Key, ...]
    args: tuple[Argument, ...]
    reply: tuple[tuple[str, str], ...]
    is_integer: bool
    invariant: str

    def __str__(self) -> str:
        keys = ", ".join(key.name for key in self.keys)
        args = ", ".join(map(str, self.args))
        return f"{self.name}({keys}; {args})" if args else f"{self.name}({keys})"

    def argv(self, given: dict[str, Any]) -> list[Any]:
        """ARGV in the script's order. None counts as left out; defaults fill the gaps.

        Raises TypeError when an argument is unknown, or one without default is missing.
        """
        unknown = [name for name in given if name not in {arg.name for arg in self.args}]
        missing = [a.name for a in self.args if not a.optional and given.get(a.name) is None]
        for problem, names in (("does not know", unknown), ("still needs", missing)):
            if names:
                raise TypeError(f"{self.name} {problem} {', '.join(names)}. It is {self}")
        named = [i for i, arg in enumerate(self.args) if given.get(arg.name) is not None]
        sent = self.args[: named[-1] + 1] if named else ()
        blank = {arg.name: "" if arg.default is None else arg.default for arg in sent}
        return [blank[a.name] if given.get(a.name) is None else given[a.name] for a in sent]


def parse_header(text: str, name: str = "script") -> Signature:
    """The signature in the comment at the top of a Lua text.

    Raises ValueError when entries are not numbered 1, 2, 3 … or the reply is not described.
    """
    items = _items(text)
    found: dict[str, list[re.Match[str]]] = {"KEYS": [], "ARGV": [], "Reply": []}
    reply, invariant, rule = (), "", []
    for item in items:
        match = HEADER.fullmatch(item)
        if not match:
            rule.append(item)
        elif match["table"]:
            found[match["table"]].append(match)
            if int(match["index"]) != len(found[match["table"]]):
                raise ValueError(f"{name}: the header counts {item.split(':')[0]!r} out of order")
        elif match["reply"]:
            reply = ((match["reply"], match["codes"]),)
        else:
            invariant = match["always"]
    if bool(reply) == bool(found["Reply"]):
        raise ValueError(
            f"{name}: the header needs 'Reply[1] name: …' lines or one 'Reply name: …'"
        )
    return Signature(
        name=name,
        rule=" ".join(rule),
        keys=tuple(Key(m["name"], m["type"] or "", m["meaning"]) for m in found["KEYS"]),
        args=tuple(_argument(m) for m in found["ARGV"]),
        reply=reply or tuple((m["name"], m["meaning"]) for m in found["Reply"]),
        is_integer=bool(reply),
        invariant=invariant,
    )


def _items(text: str) -> list[str]:
    """The header's entries; a line that starts none of its own goes on the one before it."""
    items: list[str] = []
    fresh = True
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        words = line[2:].strip()
        if words and (fresh or re.match(r"(KEYS|ARGV|Reply)\[|Reply \w+:|Always:", words)):
            items.append(words)
        elif words:
            items[-1] += " " + words
        fresh = not words
    return items


def _argument(match: re.Match[str]) -> Argument:
    default = match["default"]
    if default is not None and re.fullmatch(r"-?\d+", default):
        default = int(default)
    optional = bool(match["optional"]) or default is not None
    return Argument(match["name"], default, optional, match["meaning"])


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
            return client.eval(self.text, len(keys), *keys, *values)
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
        if self._registered[0] is not client:
            self._registered = (client, client.register_script(self.text))
        return self._registered[1]

    def _default(self) -> Any:
        if self.client is None:
            from .connect import client

            self.client = client()
        return self.client


def script(name: str, client: Any = None) -> Script:
    """`lua/NAME.lua` as a function, on the lesson's server unless another client is given."""
    return Script(name, lua(name), client)
