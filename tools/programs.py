"""Where the programs are that only the tests need: one look-up for `make doctor` and for the tests."""

import shutil
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
DATABASES = {  # what the tests start of each, and what makes its folder
    "MariaDB": ("mariadbd", "mariadb-install-db"),
    "PostgreSQL": ("postgres", "initdb"),
}


def find(*names: str) -> str | None:
    """The first of these programs: on PATH, or where Debian and Ubuntu keep theirs, the newest."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parts[-2]))
    folders = [None, "/usr/sbin", *map(str, reversed(versions))]
    found = (shutil.which(name, path=folder) for name in names for folder in folders)
    return next(filter(None, found), None)


def browser() -> str | None:
    """A Chromium, or a browser made of it."""
    return find(*BROWSERS)


def database(kind: str) -> str | None:
    """The server of one kind, if all that the tests need of it is here."""
    server, *others = map(find, DATABASES[kind])
    return server if all(others) else None
