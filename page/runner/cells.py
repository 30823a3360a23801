"""Run a lesson's cells as a notebook does: the last expression shown, await at the top, %% cells."""

import io
import json
import linecache
import re
import sys
import time
import traceback

import js
import page_clock
import page_loop
from ipython_page import Shell, bundle, install
from pyodide.code import eval_code_async

MAGIC = re.compile(r"%%(\w+)[ \t]*([^\n]*)\n?")
KEEP_S = 0.1  # printed text is handed on at least this often
KEEP_CHARS = 4096

names = sys.modules["__main__"].__dict__
_cell = None  # the number of the cell that runs


def emit(kind: str, data: dict) -> None:
    """Send one output to the page, after what was printed before it."""
    sys.stdout.flush()
    sys.stderr.flush()
    js.rushPage.emit(kind, _cell, json.dumps(data))


class Printed(io.TextIOBase):
    """stdout or stderr of the cell: gathered a little, so that ten thousand prints are a few messages."""

    def __init__(self, name: str) -> None:
        self.name, self._parts, self._size, self._since = name, [], 0, 0.0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not self._parts:
            self._since = time.monotonic()
        self._parts.append(text)
        self._size += len(text)
        if self._size > KEEP_CHARS or time.monotonic() - self._since > KEEP_S:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._parts:
            text = "".join(self._parts)
            self._parts, self._size = [], 0
            js.rushPage.emit("stream", _cell, json.dumps({"name": self.name, "text": text}))


def start() -> None:
    """Once, before the first cell: streams, the loop, redis-py, IPython's names."""
    global _shell, _loop
    sys.stdout, sys.stderr = Printed("stdout"), Printed("stderr")
    page_clock.install()
    _loop = page_loop.install()
    import redis_page

    redis_page.install(_loop)
    _shell = Shell(names, emit)
    install(_shell)


async def run(number: int, code: str, name: str) -> bool:
    """Run one cell; True when it went through. Outputs and errors go to the page as they come.

    number  what the page calls the cell; outputs carry it
    name    what tracebacks call it: "cell 7"
    """
    global _cell
    _cell, file = number, f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    _loop.in_cell = True
    try:
        if magic := MAGIC.match(code):
            value = _shell.run_cell_magic(magic[1], magic[2].strip(), code[magic.end() :])
        else:
            value = await eval_code_async(code, names, filename=file)
        if value is not None:
            names["_"] = value
            emit("display", bundle(value))
        return True
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a cell, not the page
        emit("error", _told(error))
        return False
    finally:
        _loop.in_cell = False
        emit("over", {})


def _told(error: BaseException) -> dict[str, str]:
    """Name, message, and the lines of the reader's own cells that led there, no others."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<cell")
    ]
    told = [f"{f.filename[1:-1]}, line {f.lineno}\n    {f.line}" for f in frames]
    if isinstance(error, SyntaxError):
        told = traceback.format_exception_only(error)[:-1]
    return {
        "ename": type(error).__name__,
        "evalue": str(error),
        "traceback": "\n".join(line.rstrip("\n") for line in told),
    }


def explore(id: str, values: str) -> str:
    """The picture of one exploration for the sliders' values (JSON), as HTML."""
    from lab.explore import update

    return update(id, json.loads(values))
