"""Databases for the tests: SQLite, and private MariaDB and PostgreSQL servers in a temporary folder.

RUSH_MARIADB_URL and RUSH_POSTGRES_URL name servers to use instead, as SQLAlchemy URLs of somebody
who may create databases. A module asks for the fixtures with pytest_plugins = ["databases"].
"""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.process import Guarded
from lab.server import free_port
from shop import tables
from sqlalchemy import Engine, create_engine, exc, text

from tools import programs

DEEP = os.environ.get("RUSH_DEEP") == "1"
REAL = ("mariadb", "postgresql")
EVERYDAY = ("sqlite", *REAL) if DEEP else ("sqlite",)
START_WITHIN_S = 60  # a busy machine; usual are 2


def _as(user: str) -> list[str]:
    """The words before a command that must not run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


class Private:
    """A private server on 127.0.0.1, as a non-root user; its data goes with it."""

    kind: str
    owner: str  # the Debian package's user, when we are root
    stop_signal = signal.SIGTERM

    def __init__(self) -> None:
        self.process = Guarded()
        self.port = free_port()
        self.folder = self.process.folder
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            user = pwd.getpwnam(self.owner)
            self.folder.chmod(0o711)
            for path in (self.data, self._run_folder()):
                os.chown(path, user.pw_uid, user.pw_gid)
        self._install()
        self.start()

    def _run_folder(self) -> Path:
        path = self.folder / "run"
        path.mkdir(exist_ok=True)
        return path

    def _setup(self, *words: str) -> None:
        """Run a program of the installation to its end."""
        done = subprocess.run(
            [*_as(self.owner), *words], capture_output=True, text=True, cwd=self.data
        )
        assert done.returncode == 0, f"{words[0]} failed: {done.stderr or done.stdout}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        self.process.run([*_as(self.owner), *self._command()])
        engine = create_engine(self.admin_url, pool_pre_ping=True)
        deadline = time.monotonic() + START_WITHIN_S
        while True:
            try:
                with engine.connect():
                    return engine.dispose()
            except exc.DBAPIError:
                words = self.process.last_words()
                assert self.process.alive, f"{self.kind} did not start: {words}"
                assert time.monotonic() < deadline, f"{self.kind} did not answer: {words}"
                time.sleep(0.05)

    def stop(self) -> None:
        """Shut down in order, every connection cut; returns when it is gone."""
        self.process.signal(self.stop_signal)
        self.process.wait(START_WITHIN_S)

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        self.process.signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        self.process.close()


class MariaDB(Private):
    kind, owner = "mariadb", "mysql"

    @property
    def admin_url(self) -> str:
        return f"mariadb+pymysql://root@127.0.0.1:{self.port}/mysql"

    def _install(self) -> None:
        self._setup(
            *(programs.find("mariadb-install-db"), "--no-defaults", f"--datadir={self.data}"),
            *("--auth-root-authentication-method=normal", "--skip-test-db"),
        )

    def _command(self) -> list[str]:
        return [
            *(
                programs.find("mariadbd"),
                "--no-defaults",
                f"--datadir={self.data}",
                f"--port={self.port}",
            ),
            *("--bind-address=127.0.0.1", f"--socket={self._run_folder() / 'sql'}"),
            *(f"--pid-file={self._run_folder() / 'pid'}", "--innodb-buffer-pool-size=32M"),
        ]


class PostgreSQL(Private):
    kind, owner, stop_signal = "postgresql", "postgres", signal.SIGINT  # "fast" shutdown

    @property
    def admin_url(self) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    def _install(self) -> None:
        self._setup(
            *(programs.find("initdb"), "--pgdata", str(self.data), "--username=postgres"),
            *("--auth=trust", "--encoding=UTF8", "--no-sync", "--locale=C.UTF-8"),
        )

    def _command(self) -> list[str]:
        return [
            *(programs.find("postgres"), "-D", str(self.data), "-p", str(self.port)),
            *("-h", "127.0.0.1", "-k", str(self._run_folder())),
        ]


class Given:
    """Somebody's server, by its URL: never stopped."""

    def __init__(self, kind: str, url: str) -> None:
        self.kind, self.admin_url = kind, url

    def close(self) -> None:
        pass


def open_server(kind: str) -> Private | Given:
    """The server of one kind; skips with one sentence where it is not installed."""
    variable = {"mariadb": "RUSH_MARIADB_URL", "postgresql": "RUSH_POSTGRES_URL"}[kind]
    if url := os.environ.get(variable):
        return Given(kind, url)
    server = {"mariadb": MariaDB, "postgresql": PostgreSQL}[kind]
    if not programs.database(server.__name__):
        package = {"mariadb": "mariadb-server", "postgresql": "postgresql"}[kind]
        pytest.skip(f"{kind} is not installed: apt install {package}, or set {variable}.")
    return server()


class Database:
    """One fresh database of a test."""

    def __init__(self, kind: str, url: str, server: Private | Given | None = None) -> None:
        self.kind, self.url, self.server = kind, url, server
        self._engines: list[Engine] = []

    def engine(self) -> Engine:
        """A further engine on it, as a further process has."""
        self._engines.append(tables.connect(self.url))
        return self._engines[-1]

    def close(self) -> None:
        for engine in self._engines:
            engine.dispose()


def _fresh(kind: str, servers, folder: Path) -> Iterator[Database]:
    if kind == "sqlite":
        database = Database(kind, f"sqlite:///{folder / 'shop.db'}")
        yield database
        return database.close()
    server, name = servers(kind), f"rush_{uuid.uuid4().hex[:12]}"
    admin = create_engine(server.admin_url, isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    base, _, _ = server.admin_url.rpartition("/")
    database = Database(kind, f"{base}/{name}", server)
    yield database
    database.close()
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name}"))
    return admin.dispose()


@pytest.fixture(scope="session")
def servers():
    """servers("mariadb"): started when first asked for, ended with the run."""
    running: dict[str, Private | Given] = {}

    def get(kind: str) -> Private | Given:
        if kind not in running:
            running[kind] = open_server(kind)
        return running[kind]

    yield get
    for server in running.values():
        server.close()


@pytest.fixture(params=EVERYDAY)
def database(request, servers, tmp_path) -> Iterator[Database]:
    """A fresh database: SQLite every day, MariaDB and PostgreSQL too with RUSH_DEEP=1."""
    yield from _fresh(request.param, servers, tmp_path)


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.databases) for kind in REAL])
def real_database(request, servers, tmp_path) -> Iterator[Database]:
    """A fresh database on a real server, every day."""
    yield from _fresh(request.param, servers, tmp_path)


@pytest.fixture
def engine(database: Database) -> Engine:
    return database.engine()
