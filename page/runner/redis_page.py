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

_redis = js.rushPage.redis  # engine.mjs: connect, feed, ready, take, close, tick
STEP_S = 0.001  # how far the clock moves at once while a connection waits for a reply
FOREVER_S = 3600.0  # a reply that has not come by then will never come: nobody else is here


class Wire:
    """One connection in memory."""

    def __init__(self) -> None:
        self.number = _redis.connect()

    def send(self, data) -> None:
        """Redis works the bytes off at once. Raises ConnectionResetError when it has hung up."""
        if self.number is None or not _redis.feed(self.number, js.Uint8Array.new(data)):
            raise ConnectionResetError(errno.ECONNRESET, "Redis has closed this connection")

    def ready(self) -> int:
        """Bytes that can be taken; -1 when none will come any more."""
        return -1 if self.number is None else _redis.ready(self.number)

    def take(self, most: int) -> bytes:
        return _redis.take(self.number, most).to_bytes()

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
        while (waiting := self._wire.ready()) == 0:
            if self._timeout == 0:
                raise BlockingIOError(errno.EWOULDBLOCK, "no reply yet")
            if time.monotonic() >= end:
                raise TimeoutError("timed out")
            page_clock.advance(STEP_S)
        return b"" if waiting < 0 else self._wire.take(size)

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
        self._loop, self._closing, self._asked = asyncio.get_running_loop(), False, False
        Writer._all.add(self)

    @classmethod
    def anybody_waits(cls) -> bool:
        """Whether a task waits for a reply; what has arrived meanwhile is handed out."""
        for writer in list(cls._all):
            writer._fetch()
        return any(writer.reader._waiter is not None for writer in cls._all)

    def write(self, data) -> None:
        if self._closing:
            raise ConnectionResetError(errno.ECONNRESET, "this connection is closed")
        self._wire.send(data)
        for writer in list(Writer._all):  # others may have been waiting for just this
            writer._fetch()

    def writelines(self, parts) -> None:
        self.write(b"".join(parts))

    def _fetch(self) -> None:
        waiting = self._wire.ready()
        if waiting > 0:
            self._loop.call_soon(self._deliver, self._wire.take(waiting))
        elif waiting < 0:
            Writer._all.discard(self)
            self._loop.call_soon(self._deliver, b"")

    def _deliver(self, data: bytes) -> None:
        if data and not self.reader._eof:
            self.reader.feed_data(data)
        elif not data:
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
