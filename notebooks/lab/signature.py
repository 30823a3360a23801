"""The comment at the top of a Lua script, read as its signature.

Which keys the script takes, which arguments with which defaults, what it answers and what always
holds afterwards: written once, in the Lua file, in the form that `HEADER` describes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

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
