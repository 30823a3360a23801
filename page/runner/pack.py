"""Pack what Python in the page imports: `pack.py BUILD` adds Python, redis-py and the course to it.

Run it with the course's own Python (its site-packages are where redis-py comes from), after
build.sh. Archives hold the same bytes each time. The course's archive follows notebooks/lab,
notebooks/shop and lua, so pack again whenever those change: it takes a second.
"""

import json
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PAGE = (
    "cells.py",
    "imports_page.py",
    "ipython_page.py",
    "page_clock.py",
    "page_loop.py",
    "redis_page.py",
)
UNUSED = ("/mssql/", "/oracle/", "/testing/")


def python(build: Path) -> str:
    """Pyodide's files from npm, as package-lock.json pins them; its version."""
    pinned = json.loads((HERE / "package-lock.json").read_text())["packages"]
    version = pinned["node_modules/pyodide"]["version"]
    package, target = HERE / "node_modules" / "pyodide", build / "pyodide"
    manifest = package / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != version:
        npm = shutil.which("npm")
        if npm is None:
            sys.exit(
                "make engine: Python for the page comes from npm: install npm, then run it again."
            )
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
            cwd=HERE,
            check=True,
        )
    target.mkdir(exist_ok=True)
    for name in PYODIDE:
        shutil.copyfile(package / name, target / name)
    (target / "LICENCE.txt").write_text(
        f"Pyodide {version}, unchanged, from the npm package pyodide. Mozilla Public License 2.0:\n"
        "https://www.mozilla.org/MPL/2.0/ . Its source: https://github.com/pyodide/pyodide .\n"
        "It contains CPython's standard library under the PSF licence.\n",
        encoding="utf-8",
    )
    return version


def installed(name: str, keep=lambda path: path.endswith(".py")) -> dict[str, Path]:
    """Archive path to file of what `keep` wants of an installed package, and its licences."""
    files = distribution(name).files or []
    return {
        str(file): Path(file.locate())
        for file in files
        if (keep("/" + str(file)) or "dist-info" in str(file))
        and file.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
        and ".." not in file.parts
        and file.suffix != ".pyc"
    }


def tree(folder: Path, at: str, pattern: str) -> dict[str, Path]:
    return {f"{at}/{path.relative_to(folder)}": path for path in folder.rglob(pattern)}


def write(archive: Path, files: dict[str, Path]) -> int:
    """A zip with sorted names and no dates; its size in bytes."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, files[name].read_bytes())
    return archive.stat().st_size


def pack(build: Path) -> None:
    """Write BUILD/pyodide/, the archives and run.json, the list that the page loads by."""
    version = python(build)
    printer = Path(distribution("ipython").locate_file("IPython/lib/pretty.py"))
    licence = {f: p for f, p in installed("ipython").items() if "licenses/" in f}
    site = installed("redis") | licence | {"pretty.py": printer}
    course = {name: HERE / name for name in PAGE}
    for folder in ("lab", "shop"):
        course |= tree(ROOT / "notebooks" / folder, f"course/notebooks/{folder}", "*.py")
    course |= tree(ROOT / "lua", "course/lua", "*.lua")
    sql = installed(
        "sqlalchemy", lambda path: path.endswith(".py") and not any(part in path for part in UNUSED)
    )
    write(build / "site.zip", site)
    write(build / "course.zip", course)
    write(build / "sqlalchemy.zip", sql | installed("typing_extensions"))
    write(build / "tzdata.zip", installed("tzdata", lambda path: True))
    loaded = ["redis.mjs", "redis.wasm", "engine.mjs", "site.zip", "course.zip"]
    loaded += [f"pyodide/{name}" for name in PYODIDE]
    told = {
        "redis": (build / "redis.version").read_text().strip(),
        "pyodide": version,
        "bytes": {name: (build / name).stat().st_size for name in loaded},
        "archives": ["site.zip", "course.zip"],
        "on_import": {"sqlalchemy": "sqlalchemy.zip", "tzdata": "tzdata.zip"},
    }
    (build / "run.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"Python {version} for the page: {build} ({sum(told['bytes'].values()):,} bytes in all)")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "redis.wasm").exists():
        sys.exit("usage: pack.py BUILD, a folder in which build.sh has built redis.wasm")
    pack(Path(sys.argv[1]).resolve())
