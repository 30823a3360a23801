"""Lines of a reader on the kernel's live server, with replies that a page can write as redis-cli does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis

from .redis_cli import ErrorReply, RawReplies, Status

WAITS = "This command waits for somebody else, and nobody comes here."
SCRIPTS = {b"EVAL", b"EVALSHA", b"FCALL"}


def typed(reply: Any) -> Any:
    """A raw reply as JSON: None, {"integer"}, {"status"}, {"error"}, {"text"} or a list of them.

    Bytes travel as text with one character a byte, numbers as text: JavaScript's have 53 bits.
    """
    if isinstance(reply, list):
        return [typed(item) for item in reply]
    if reply is None:
        return None
    if isinstance(reply, int):
        return {"integer": str(reply)}
    kind = {Status: "status", ErrorReply: "error"}.get(type(reply), "text")
    return {kind: reply.decode("latin-1")}


class RawLines:
    """Connections of a name each, so that a reader's MULTI and EXEC belong together."""

    def __init__(self, client: redis.Redis, end_script: Callable[[], str]) -> None:
        self._pool, self._end_script = client.connection_pool, end_script
        self._connections: dict[str, Any] = {}

    def ask(self, name: str, words: list[str]) -> Any:
        """The reply to one command on the connection of this name; nothing is raised."""
        sent = [word.encode("latin-1") for word in words]
        connection = self._connections.get(name) or self._open(name)
        try:
            connection.send_command(*sent)
            return typed(connection.read_response(disable_decoding=True))
        except redis.TimeoutError:
            self._close(name)
            return {"status": self._end_script() if sent[0].upper() in SCRIPTS else WAITS}
        except redis.ConnectionError as error:
            self._close(name)
            return {"status": f"Could not get an answer from Redis: {error}"}

    def _open(self, name: str) -> Any:
        kept = self._pool.connection_kwargs.items()
        options = {k: v for k, v in kept if not k.startswith("maint_")}
        options |= {"protocol": 2, "decode_responses": False, "parser_class": RawReplies}
        self._connections[name] = self._pool.connection_class(**options)
        return self._connections[name]

    def _close(self, name: str) -> None:
        self._connections.pop(name).disconnect()
