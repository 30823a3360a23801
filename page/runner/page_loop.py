"""The event loop of asyncio in the page: in order, fast, and never waiting.

What is ready runs first come, first served. When nothing is ready and only timers are left, the
page's clock jumps to the next one: asyncio.sleep(100) takes no time, and says that 100 s passed.
Between cells the clock runs as it does for the reader, so a task left behind does not race away.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from itertools import count

from page_clock import advance
from pyodide.ffi import create_once_callable
from pyodide.webloop import WebLoop
from pyodide_js._api import scheduleCallback

BATCH = 200  # callbacks in one turn of the browser's own loop
PATIENCE_S = 0.01  # how far the clock moves at once while somebody waits for Redis

_numbers = count()  # timers of the same moment keep their order


class PageLoop(WebLoop):
    """Pyodide's loop with a queue of its own and timers that the page's clock serves."""

    in_cell: bool  # a cell is running: its timers may move the clock
    anybody_waits: Callable[[], bool]  # whether a connection waits for a reply of Redis

    def adopt(self) -> None:
        """Become the loop that Pyodide has already started."""
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._called = False
        self.in_cell = False
        self.anybody_waits = lambda: False

    def call_soon(self, callback, *args, context=None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context=context)
        self._ready.append(handle)
        self._call()
        return handle

    def call_later(self, delay, callback, *args, context=None) -> asyncio.Handle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when, callback, *args, context=None) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context=context)
        if when != float("inf"):
            heapq.heappush(self._timers, (when, next(_numbers), handle))
            self._call()
        return handle

    def _call(self, after_s: float = 0) -> None:
        """Ask the browser for a turn."""
        if not self._called:
            self._called = True
            turn = create_once_callable(self._turn, _may_syncify=True)
            scheduleCallback(turn, after_s * 1000)

    def _turn(self) -> None:
        self._called = False
        self._install_running_loop()
        self._install_asyncgen_hooks()
        self._due()
        if not self._ready:
            self._idle()
        for _ in range(min(BATCH, len(self._ready))):
            handle = self._ready.popleft()
            if self._ready:
                self._call()  # first, since the handle itself may wait for another turn
            if not handle.cancelled():
                handle._run()
        if self._ready or self._timers or (self.in_cell and self.anybody_waits()):
            self._call(self._rest_s())

    def _due(self) -> None:
        """Timers whose time has come are ready; cancelled ones are forgotten."""
        while self._timers and (
            self._timers[0][2].cancelled() or self._timers[0][0] <= self.time() + 1e-6
        ):
            handle = heapq.heappop(self._timers)[2]
            if not handle.cancelled():
                self._ready.append(handle)

    def _idle(self) -> None:
        """Nothing to do at this moment: go to the next one at which there is."""
        if not self.in_cell:
            return
        until_s = self._timers[0][0] - self.time() if self._timers else None
        if self.anybody_waits():
            until_s = PATIENCE_S if until_s is None else min(until_s, PATIENCE_S)
        if until_s is not None:
            advance(max(0.0, until_s))
            self._due()

    def _rest_s(self) -> float:
        """Seconds until the next turn: none inside a cell, the reader's own time outside."""
        if self._ready or self.in_cell or not self._timers:
            return 0
        return min(max(0.0, self._timers[0][0] - self.time()), 1)


def install() -> PageLoop:
    """Turn Pyodide's running loop into one of these."""
    loop = asyncio.get_event_loop()
    loop.__class__ = PageLoop
    loop.adopt()
    return loop
