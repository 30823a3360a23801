"""A loopback web host for the page's tests, and the browser that visits it."""

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tools.served import Quiet

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "page" / "engine" / "build"
FOLDERS = {
    "/engine/": BUILD,
    "/runner/": ROOT / "page" / "runner",
    "/stage/": ROOT / "page" / "stage",
}


class _Handler(Quiet):
    """Serves FOLDERS, and the host's own pages."""

    def __init__(self, *args, pages: dict[str, str], asked: list[str], **kw) -> None:
        self.pages, self.asked = pages, asked
        super().__init__(*args, **kw)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path not in self.pages:
            super().do_GET()
            return
        body = self.pages[self.path].encode()
        self.send_response(200)
        kind = "text/javascript" if self.path.endswith(".mjs") else "text/html; charset=utf-8"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path: str) -> str:
        for prefix, folder in FOLDERS.items():
            if path.startswith(prefix):
                inside = (folder / path.removeprefix(prefix).split("?")[0]).resolve()
                if inside.is_relative_to(folder.resolve()):
                    return str(inside)
        return str(ROOT / "no such file")


class Host:
    """The address of a running host, the pages it serves, and every path it was asked for."""

    def __init__(self, url: str, pages: dict[str, str], asked: list[str]) -> None:
        self.url, self.pages, self.asked = url, pages, asked


@contextmanager
def hosting() -> Iterator[Host]:
    """A host on a free port of loopback, gone when the block ends."""
    pages: dict[str, str] = {"/": "<!doctype html><title>page</title>", "/favicon.ico": ""}
    asked: list[str] = []
    handler = functools.partial(_Handler, pages=pages, asked=asked)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Host(f"http://127.0.0.1:{server.server_port}", pages, asked)
        server.shutdown()


def engine() -> Path:
    """The built engine with Python and the course packed as they are now.

    A missing engine skips, since `make engine` needs Debian's packages; RUSH_REQUIRE=1 forbids it.
    """
    if not (BUILD / "redis.wasm").exists():
        pytest.skip("the page's Redis is not built: run `make engine` first")
    subprocess.run(
        [sys.executable, ROOT / "page" / "runner" / "pack.py", BUILD],
        check=True,
        capture_output=True,
    )
    return BUILD
