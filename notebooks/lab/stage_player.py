"""Plays what a stage asks for on the kernel's live server.

A job is a dict: {"fresh", "scripts": {name: lua}, "clear": [keys], "steps": [{"at", "words"}]}.
`at` counts milliseconds from the beginning of the run. A word may be {"script": name} for a script's
SHA1 or {"now": True} for the time in ms since 1970. A live server's clock cannot be held, so between
two moments the keys lose what is left of the time in between (lab.pass_time): the stage asks for
windows a hundred times as long, and the milliseconds of this machine's own work do not count.
"keys" names more keys that lose it. With "raw", the name of a connection, words are bytes and
replies tell OK from "OK" (stage_raw.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import redis

from .clock import pass_time
from .stage_raw import RawLines

PATIENCE_S = 3  # for one command; a script that needs longer is killed
KILL_S = 10  # Redis listens to SCRIPT KILL only after its busy-reply-threshold, 5 s by default
NOON_MS = 1_785_412_800_000  # 30 July 2026, 12:00 UTC
MINUTE_MS = 60_000


class Player:
    """Plays jobs one after another. `open_client(**kw)` gives a new redis-py client."""

    def __init__(self, open_client: Callable[..., redis.Redis]) -> None:
        self._open = open_client
        self._client = open_client(protocol=2, socket_timeout=PATIENCE_S, retries=0)
        self._began_ms = NOON_MS
        self._at = 0
        self._keys: set[str] = set()
        self._lines = RawLines(self._client, self._end_script)

    def play(self, job: dict[str, Any]) -> dict[str, Any]:
        """{"shas", "replies", "fault", "tookMs"}; `fault` is {"step", "message"} of the first error,
        its step −1 when a script does not compile. Anything but an error of Redis is raised."""
        started = time.perf_counter()
        if job.get("fresh", True):
            self._began_ms, self._at = self._began_ms + MINUTE_MS, 0
            self._keys = set()
        shas: dict[str, str] = {}
        replies: list[Any] = []
        fault, step = None, -1
        try:
            for name, text in job.get("scripts", {}).items():
                shas[name] = self._client.script_load(text)
            if clear := job.get("clear", []):
                self._client.delete(*clear)
                self._keys.update(clear)
            self._keys.update(job.get("keys", []))
            for step, asked in enumerate(job.get("steps", [])):  # noqa: B007
                self._go_to(asked.get("at", 0))
                if raw := job.get("raw"):
                    replies.append(self._lines.ask(raw, asked["words"]))
                    continue
                replies.append(self._send([self._word(word, shas) for word in asked["words"]]))
        except redis.ResponseError as error:
            fault = {"step": step, "message": str(error)}
        except redis.TimeoutError:
            fault = {"step": step, "message": self._end_script()}
        took_ms = (time.perf_counter() - started) * 1000
        return {"shas": shas, "replies": replies, "fault": fault, "tookMs": took_ms}

    def _go_to(self, at_ms: int) -> None:
        if at_ms > self._at:
            for key in self._keys:
                pass_time(key, at_ms - self._at, client=self._client)
            self._at = at_ms

    def _word(self, word: Any, shas: dict[str, str]) -> Any:
        if not isinstance(word, dict):
            return word
        return shas[word["script"]] if "script" in word else self._began_ms + self._at

    def _send(self, words: list[Any]) -> Any:
        """One command and its reply as the wire has it: redis-py's own forms differ by version."""
        connection = self._client.connection_pool.get_connection()
        try:
            connection.send_command(*words)
            return connection.read_response()
        except redis.TimeoutError:
            connection.disconnect()
            raise
        finally:
            self._client.connection_pool.release(connection)

    def _end_script(self) -> str:
        with self._open(socket_timeout=KILL_S, retries=0) as other:
            try:
                other.script_kill()
            except redis.ResponseError as error:
                if "NOTBUSY" not in str(error):
                    return f"The script found no end and has written, so Redis cannot end it: restart the kernel. ({error})"
            except redis.TimeoutError:
                return "The script found no end, and Redis does not answer: restart the kernel."
        return f"The script found no end in {PATIENCE_S} s, so it was killed."
