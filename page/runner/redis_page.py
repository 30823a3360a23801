"""redis-py without sockets: its two connect steps give a wire to the Redis of the page.

`redis.Redis(...)`, `redis.from_url(...)` and `redis.asyncio` then work as they stand: scripts,
pipelines, WATCH, blocking commands, publish and subscribe. Only the way to the server is new.
"""

import asyncio
import errno
import time

import js
import page_clock
import redis.asyncio.connection
import redis.connection
from pyodide.ffi import to_js

_redis = js.rushPage.redis  # engine.mjs: connect, feed, ready, take, close, tick
STEP_S = 0.001  # how far the clock moves at once while a connection waits for a reply
FOREVER_S = 3600.0  # a reply that has not come by then will never come: nobody else is here


class Wire:
    """One connection in memory."""

    def __init__(self) -> None:
        self.number = _redis.connect()

    def send(self, data) -> None:
        """Redis works the bytes off at once. Raises ConnectionResetError when it has hung up."""
        if self.number is None or not _redis.feed(self.number, to_js(bytes(data))):
            raise ConnectionResetError(errno.ECONNRESET, "Redis has closed this connection")

    def take(self, most: int | None = None) -> bytes | None:
        """Up to `most` of the waiting bytes, b"" when there are none, None when none will come."""
        if self.number is None:
            return None
        taken = _redis.take(self.number) if most is None else _redis.take(self.number, most)
        data = taken.to_bytes()
        return data if data or _redis.ready(self.number) == 0 else None

    def close(self) -> None:
        if self.number is not None:
            _redis.close(self.number)
            self.number = None


class Socket:
    """As much of a socket as redis-py uses. A wait moves the page's clock."""

    def __init__(self, timeout: float | None) -> None:
        self._wire, self._timeout = Wire(), timeout

    def sendall(self, data) -> None:
        self._wire.send(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        patience_s = FOREVER_S if self._timeout is None else self._timeout
        end = time.monotonic() + patience_s
        while (data := self._wire.take(size)) == b"":
            if self._timeout == 0:
                raise BlockingIOError(errno.EWOULDBLOCK, "no reply yet")
            if time.monotonic() >= end:
                raise TimeoutError("timed out")
            page_clock.advance(STEP_S)
        return data or b""

    def recv_into(self, buffer, nbytes: int = 0, flags: int = 0) -> int:
        data = self.recv(nbytes or len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def settimeout(self, timeout: float | None) -> None:
        self._timeout = timeout

    def gettimeout(self) -> float | None:
        return self._timeout

    def setblocking(self, blocking: bool) -> None:
        self._timeout = None if blocking else 0

    def setsockopt(self, *_) -> None:
        pass

    def getpeername(self) -> tuple[str, int]:
        return "page", self._wire.number or 0

    getsockname = getpeername

    def fileno(self) -> int:
        return -1

    def shutdown(self, how: int) -> None:
        pass

    def close(self) -> None:
        self._wire.close()


class Writer:
    """An asyncio connection. Its replies arrive one turn of the loop later, as if they had
    travelled, so that other tasks run in between and races are races."""

    _all: set["Writer"] = set()

    def __init__(self) -> None:
        self._wire, self.reader = Wire(), asyncio.StreamReader()
        self._loop, self._closing = asyncio.get_running_loop(), False
        self._arriving = 0  # replies on their way to the reader
        Writer._all.add(self)

    @property
    def _blocked(self) -> bool:
        """Whether a task waits for a reply that Redis has not written yet."""
        return self.reader._waiter is not None and not self._arriving

    @classmethod
    def anybody_waits(cls) -> bool:
        """Whether a task waits for Redis; what has been written meanwhile is handed out."""
        cls._serve()
        return any(writer._blocked for writer in cls._all)

    @classmethod
    def _serve(cls) -> None:
        """Others may have been waiting for just what one connection did."""
        for writer in [one for one in cls._all if one._blocked]:
            writer._fetch()

    def write(self, data) -> None:
        if self._closing:
            raise ConnectionResetError(errno.ECONNRESET, "this connection is closed")
        self._wire.send(data)
        self._fetch()
        self._serve()

    def writelines(self, parts) -> None:
        self.write(b"".join(parts))

    def _fetch(self) -> None:
        data = self._wire.take()
        if data is None:
            Writer._all.discard(self)
        if data != b"":
            self._arriving += 1
            self._loop.call_soon(self._deliver, data or b"")

    def _deliver(self, data: bytes) -> None:
        self._arriving -= 1
        if self.reader._eof:
            return
        if data:
            self.reader.feed_data(data)
        else:
            self.reader.feed_eof()

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            Writer._all.discard(self)
            self._wire.close()
            self.reader.feed_eof()

    abort = close

    def is_closing(self) -> bool:
        return self._closing

    async def wait_closed(self) -> None:
        pass

    @property
    def transport(self) -> "Writer":
        return self

    def get_extra_info(self, name: str, default=None):
        return default


def _connect(self) -> Socket:
    return Socket(self.socket_timeout)


async def _connect_async(self) -> None:
    self._writer = Writer()
    self._reader = self._writer.reader


def install(loop) -> None:
    """Every TCP or Unix connection of redis-py leads to the page's Redis from now on."""
    loop.anybody_waits = Writer.anybody_waits
    for name in ("Connection", "UnixDomainSocketConnection"):
        getattr(redis.connection, name)._connect = _connect
        getattr(redis.asyncio.connection, name)._connect = _connect_async
