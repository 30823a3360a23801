"""A server that is there and takes nothing for a while, brought about for real, in three ways."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import redis
from lab.server import Server

SOON_S = 30  # a busy machine; usual are 0.1


def _until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.005)


@contextlib.contextmanager
def _too_few_replicas(_server: Server, r: redis.Redis) -> Iterator[None]:
    """NOREPLICAS: the server is told to wait for a replica that does not exist."""
    r.config_set("min-replicas-to-write", 1)
    yield
    r.config_set("min-replicas-to-write", 0)


@contextlib.contextmanager
def _disk_full(server: Server, r: redis.Redis) -> Iterator[None]:
    """MISCONF: the last save failed. A folder stands where the file should go."""
    (server.directory / "dump.rdb").mkdir()
    r.config_set("save", "3600 1")
    r.bgsave()
    _until(lambda: r.info("persistence")["rdb_last_bgsave_status"] == "err", "a failed save")
    yield
    r.config_set("save", "")


@contextlib.contextmanager
def _busy(server: Server, r: redis.Redis) -> Iterator[None]:
    """BUSY: a script runs and runs."""
    r.config_set("lua-time-limit", 1)  # milliseconds until others are told

    def forever() -> None:
        with server.client(retries=0) as own, contextlib.suppress(redis.ResponseError):
            own.eval("while true do end", 0)

    def is_told() -> bool:
        try:
            return not r.ping()
        except redis.ResponseError as error:
            return str(error).startswith("BUSY ")

    thread = threading.Thread(target=forever)
    thread.start()
    _until(is_told, "a busy server")
    yield
    r.script_kill()
    thread.join()


REFUSALS = {"NOREPLICAS": _too_few_replicas, "MISCONF": _disk_full, "BUSY": _busy}


@contextlib.contextmanager
def refusing(server: Server, code: str) -> Iterator[Callable[[], None]]:
    """The server answers writes with this code until the block ends, or until what it gives is called."""
    with server.client(retries=0) as r, contextlib.ExitStack() as stack:
        stack.enter_context(REFUSALS[code](server, r))
        yield stack.close
