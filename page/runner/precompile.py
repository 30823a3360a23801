"""Replace modules in the page's archives by their byte code, so that a reader does not wait for it.

Runs in the page's own Python, see precompile.mjs: every archive of /from, packed as source, goes to
/to. What Python, redis-py, SQLAlchemy and the course import on the way to a lesson becomes a .pyc;
the other modules stay as they are, being half as large that way and seldom wanted.
"""

import importlib
import py_compile
import shutil
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

FROM, TO, WORK = Path("/from"), Path("/to"), Path("/work")
COURSE = Path("/home/pyodide")
HOMES = {"python_stdlib.zip": f"/lib/python3{sys.version_info.minor}.zip"}  # others: COURSE
AS_IT_STANDS = py_compile.PycInvalidationMode.UNCHECKED_HASH  # there is no source to compare with
DATE = (2026, 1, 1, 0, 0, 0)


def begun() -> None:
    """Import what a page and its lessons do."""
    for archive in FROM.glob("*.zip"):
        if archive.name not in HOMES:
            shutil.unpack_archive(archive, COURSE)
    sys.path[:0] = [str(COURSE), str(COURSE / "course/notebooks")]
    import cells  # noqa: F401  all of the page's own
    import imports_page  # noqa: F401
    import ipython_page
    import redis
    import redis_page  # noqa: F401
    import sqlalchemy

    ipython_page.install(ipython_page.Shell({}, print))
    redis.Redis().connection_pool.make_connection()  # looks up the version of redis-py
    sqlalchemy.create_engine("sqlite://").connect().close()
    ours = COURSE / "course/notebooks"
    files = sorted(file.relative_to(ours).with_suffix("").parts for file in ours.rglob("*.py"))
    modules = [".".join(parts).removesuffix(".__init__") for parts in files]
    for name in [*(FROM / "imported.txt").read_text().split(), *modules]:
        with suppress(ImportError):  # a server, a widget: what a page does not have
            importlib.import_module(name)


def compiled(archive: Path, wanted: set[str]) -> None:
    """Write /to/ARCHIVE: the files of /from/ARCHIVE, those that are `wanted` as byte code."""
    home, folder = HOMES.get(archive.name, str(COURSE)), WORK / archive.stem
    shutil.unpack_archive(archive, folder)
    files = {}
    for file in list(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if f"{home}/{name}" in wanted:
            code = file.with_suffix(".pyc")
            py_compile.compile(file, code, f"{home}/{name}", True, invalidation_mode=AS_IT_STANDS)
            files[f"{name}c"] = code.read_bytes()
        elif file.is_file():
            files[name] = file.read_bytes()
    with zipfile.ZipFile(TO / archive.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            packed.writestr(zipfile.ZipInfo(name, DATE), files[name], zipfile.ZIP_DEFLATED)


begun()
origins = {
    getattr(module.__spec__, "origin", None)
    for module in list(sys.modules.values())
    if hasattr(module, "__spec__")
}
for one in sorted(FROM.glob("*.zip")):
    compiled(one, origins)
