"""`%%redis` and `%%lua NAME`: a cell that speaks to the server as redis-cli does.

`run_redis` and `run_lua` do the work and need no IPython, so the page in the browser calls them.
"""

from __future__ import annotations

import sys
from typing import Any
from unicodedata import east_asian_width

from redis.exceptions import ConnectionError, RedisError, ResponseError, TimeoutError

from .redis_cli import RawReplies, Status, format_reply, split_line

WIDE = 72  # columns of a transcript; a reply that would go past them stands below its command
ENDLESS = {"MONITOR", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "SYNC", "PSYNC", "HELLO"}


def run_redis(client: Any, text: str) -> str:
    """Run a cell of redis-cli lines and return the transcript.

    The lines share one connection of their own, so MULTI … EXEC works inside a cell and nothing
    is left over for the next one. Blank lines and lines that begin with # are kept out.
    Errors, a lost connection too, stand in the transcript; none is raised.
    """
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    pool = client.connection_pool
    options = {k: v for k, v in pool.connection_kwargs.items() if not k.startswith("maint_")}
    options |= {"protocol": 2, "decode_responses": False, "parser_class": RawReplies}
    connection = pool.connection_class(**options)
    try:
        rows = [(line, format_reply(_ask(connection, line), indent=4)) for line in lines]
    finally:
        connection.disconnect()
    beside = [_columns(line) for line, reply in rows if "\n" not in reply]
    width = max((columns for columns in beside if columns <= WIDE // 2), default=0)
    return "\n".join(_row(line, reply, width) for line, reply in rows)


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


def _row(line: str, reply: str, width: int) -> str:
    """`INCR door  → (integer) 1`, or the reply below when it is long or has several lines."""
    beside = f"{line}{' ' * (width - _columns(line))}  → {reply}"
    if "\n" not in reply and _columns(beside) <= WIDE:
        return beside
    return f"{line}\n  → {reply}"


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
        name = line.strip()
        if name and name not in shell.user_ns:
            raise NameError(f"%%redis {name}: there is no client of that name; make it first")
        print(run_redis(shell.user_ns[name] if name else client(), cell))

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
