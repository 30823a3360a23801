r"""What redis-cli does with a line and with a reply, so that a cell can do the same.

One difference is on purpose: redis-cli shows 限流 as "\xe9\x99\x90\xe6\xb5\x81", here it stays
"限流", because a reader should recognise what went in. Bytes that are no text are escaped alike.
"""

from __future__ import annotations

from typing import Any

from redis._parsers import _RESP2Parser
from redis.exceptions import ConnectionError

ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "b": b"\b", "a": b"\a"}
NAMED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a", "\b": "\\b"}


class Status(bytes):
    """A simple reply such as OK or PONG, which redis-cli writes without quotes."""


class ErrorReply(bytes):
    """An error reply with its code, such as `WRONGTYPE Operation against …`."""


class RawReplies(_RESP2Parser):
    """RESP2 that still tells +OK from "OK" and keeps an error's code."""

    def _read_response(self, disable_decoding: bool = False, **how: Any) -> Any:
        line = self._buffer.readline(**how)
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return Status(rest)
        if kind == b"-":
            return ErrorReply(rest)
        if kind == b":":
            return int(rest)
        if kind not in (b"$", b"*"):
            raise ConnectionError(f"the server answered {line!r}, which is not RESP2")
        if rest == b"-1":
            return None
        if kind == b"$":
            return self._buffer.read(int(rest), **how)
        return [self._read_response(**how) for _ in range(int(rest))]


def split_line(line: str) -> list[bytes]:
    r"""One line's words, with redis-cli's quoting: "a\n\x00" and 'it''s as it stands'.

    Raises ValueError when a quote is not closed, or is followed by more than a space.
    """
    words: list[bytes] = []
    at, end = 0, len(line)
    while True:
        while at < end and line[at].isspace():
            at += 1
        if at == end:
            return words
        word = bytearray()
        while at < end and not line[at].isspace():
            if line[at] in "\"'":
                piece, at = _quoted(line, at + 1, line[at])
                word += piece
                break
            word += line[at].encode()
            at += 1
        words.append(bytes(word))


def _quoted(line: str, at: int, quote: str) -> tuple[bytes, int]:
    """The bytes inside a quote that opened before `at`, and the place after it."""
    word = bytearray()
    while at < len(line):
        char, following = line[at], line[at + 1 : at + 2]
        if char == quote:
            if following and not following.isspace():
                break
            return bytes(word), at + 1
        at += 1
        if char == "\\" and quote == "'" and following == "'":
            char, at = "'", at + 1
        elif char == "\\" and quote == '"' and following:
            digits = line[at + 1 : at + 3]
            at += 1
            if (
                following == "x"
                and len(digits) == 2
                and set(digits) <= set("0123456789abcdefABCDEF")
            ):
                word.append(int(digits, 16))
                at += 2
                continue
            word += ESCAPES.get(following, following.encode())
            continue
        word += char.encode()
    raise ValueError("Invalid argument(s)")


def format_reply(reply: Any, indent: int = 0) -> str:
    """A raw reply as redis-cli writes it; lines after the first are indented by `indent`."""
    if reply is None:
        return "(nil)"
    if isinstance(reply, int):
        return f"(integer) {reply}"
    if isinstance(reply, Status):
        return reply.decode(errors="replace")
    if isinstance(reply, (ErrorReply, Exception)):
        words = reply.decode(errors="replace") if isinstance(reply, bytes) else str(reply)
        return f"(error) {words}"
    if isinstance(reply, (bytes, str)):
        return _text(reply)
    if not reply:
        return "(empty array)"
    digits = len(str(len(reply)))
    inner = indent + digits + 2
    lines = (f"{i:>{digits}}) {format_reply(item, inner)}" for i, item in enumerate(reply, 1))
    return ("\n" + " " * indent).join(lines)


def _text(value: bytes | str) -> str:
    """A string in quotes: printable text as it is, the rest escaped as redis-cli does."""
    if isinstance(value, bytes):
        value = value.decode(errors="surrogateescape")
    shown = []
    for char in value:
        if char.isprintable() and char not in NAMED:
            shown.append(char)
        else:
            raw = char.encode(errors="surrogateescape")
            shown.append(NAMED.get(char) or "".join(f"\\x{byte:02x}" for byte in raw))
    return '"' + "".join(shown) + '"'
