r"""`%%redis` and `%%lua NAME`: a cell that speaks to the server as redis-cli does.

A line is split, and its reply written, as redis-cli does it, with one difference on purpose:
redis-cli shows 限流 as "\xe9\x99\x90\xe6\xb5\x81", here it stays "限流", because a reader should
recognise what went in. Bytes that are no text are escaped here as there.
"""

from __future__ import annotations

import sys
from typing import Any
from unicodedata import east_asian_width

from redis._parsers import _RESP2Parser
from redis.exceptions import ConnectionError, RedisError, ResponseError, TimeoutError

WIDE = 72  # columns of a transcript; a reply that would go past them stands below its command
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "b": b"\b", "a": b"\a"}
NAMED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a", "\b": "\\b"}
ENDLESS = {"MONITOR", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "SYNC", "PSYNC", "HELLO"}


class Status(bytes):
    """A simple reply such as OK or PONG, which redis-cli writes without quotes."""


class ErrorReply(bytes):
    """An error reply with its code, such as `WRONGTYPE Operation against …`."""


class _Replies(_RESP2Parser):
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


def run_redis(client: Any, text: str) -> str:
    """Run a cell of redis-cli lines and return the transcript.

    The lines share one connection of their own, so MULTI … EXEC works inside a cell and nothing
    is left over for the next one. Blank lines and lines that begin with # are kept out.
    Errors, a lost connection too, stand in the transcript; none is raised.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    width = max((w for w in map(_columns, lines) if w <= WIDE // 2), default=0)
    pool = client.connection_pool
    options = {k: v for k, v in pool.connection_kwargs.items() if not k.startswith("maint_")}
    options |= {"protocol": 2, "decode_responses": False, "parser_class": _Replies}
    connection = pool.connection_class(**options)
    try:
        return "\n".join(_row(line, _ask(connection, line), width) for line in lines)
    finally:
        connection.disconnect()


def _ask(connection: Any, line: str) -> Any:
    """The raw reply to one line, or what kept it from being answered."""
    try:
        words = split_line(line)
        if words[0].upper().decode(errors="replace") in ENDLESS:
            return ResponseError(f"{words[0].decode()} needs a redis-cli in a terminal of its own")
        connection.send_command(*words)
        return connection.read_response(disable_decoding=True)
    except ValueError as error:
        return Status(str(error).encode())
    except (ConnectionError, TimeoutError) as error:
        connection.disconnect()
        return Status(f"Could not get an answer from Redis: {error}".encode())
    except RedisError as error:
        return error


def _row(line: str, reply: Any, width: int) -> str:
    """`INCR door  → (integer) 1`, or the reply below when it is long or has several lines."""
    shown = format_reply(reply, 4)
    beside = f"{line}{' ' * (width - _columns(line))}  → {shown}"
    if "\n" not in shown and _columns(beside) <= WIDE:
        return beside
    return f"{line}\n  → {shown}"


def _columns(text: str) -> int:
    """How wide a text stands in a terminal: a Chinese character takes two columns."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def run_lua(client: Any, name: str, text: str) -> tuple[Any, str]:
    """Register a text as a script: redis-py's Script (None when it does not compile), a line.

    Blank lines around the text do not count, so the SHA is the same in every notebook front end.
    """
    if not name.isidentifier():
        return None, "Give the script a name that Python can use: %%lua my_script"
    registered = client.register_script(text.strip("\r\n"))
    try:
        client.script_load(registered.script)
    except RedisError as error:
        code = getattr(error, "status_code", None)
        return None, f"(error) {code + ' ' if code else ''}{error}"
    return registered, f"{name} is loaded: EVALSHA {registered.sha}"


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook `%%redis` and `%%lua NAME`; after `%%redis` may stand a client's name."""
    from .connect import client

    def redis_cell(line: str, cell: str) -> None:
        print(run_redis(shell.user_ns[line.strip()] if line.strip() else client(), cell))

    def lua_cell(line: str, cell: str) -> None:
        registered, told = run_lua(client(), line.strip(), cell)
        if registered is not None:
            shell.user_ns[line.strip()] = registered
        print(told)

    shell.register_magic_function(redis_cell, "cell", "redis")
    shell.register_magic_function(lua_cell, "cell", "lua")


def install() -> None:
    """Register the cells when an IPython runs; elsewhere do nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        load_ipython_extension(shell)
