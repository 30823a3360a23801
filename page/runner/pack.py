"""Pack what Python in the page imports: `pack.py BUILD` adds Python, redis-py and the course to it.

Run it with the course's own Python (its site-packages are where redis-py comes from), after
build.sh. Archives hold the same bytes each time. They follow notebooks/lab, notebooks/shop and lua,
so pack again whenever those change: ten seconds, or one if nothing did.
"""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
STDLIB = "python_stdlib.zip"
ENGINE = ("redis.mjs", "redis.wasm", "engine.mjs")  # what build.sh has left
AT_START = ["site.zip", "course.zip"]
ARCHIVES = (*AT_START, "sqlalchemy.zip", "tzdata.zip")
MAKERS = [
    HERE / name for name in ("pack.py", "precompile.mjs", "precompile.py", "package-lock.json")
]
PAGE = (
    "cells.py",
    "imports_page.py",
    "ipython_page.py",
    "page_clock.py",
    "page_loop.py",
    "redis_page.py",
)
UNUSED = ("/mssql/", "/oracle/", "/testing/")


def python() -> tuple[Path, str]:
    """Where Pyodide's npm package is, as package-lock.json pins it, and its version."""
    pinned = json.loads((HERE / "package-lock.json").read_text())["packages"]
    version = pinned["node_modules/pyodide"]["version"]
    package = HERE / "node_modules" / "pyodide"
    manifest = package / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != version:
        words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run([program("npm"), *words], cwd=HERE, check=True)
    return package, version


def program(name: str) -> str:
    """Where a program of Node.js is; ends with a sentence when it is not there."""
    if found := shutil.which(name):
        return found
    sys.exit(f"make engine: Python for the page needs {name}: install it, then run it again.")


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


def write(archive: Path, files: dict[str, Path]) -> None:
    """A zip with sorted names and no dates."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, files[name].read_bytes())


def sources(to: Path, package: Path) -> None:
    """Write every archive of the page to `to`, as source, and the names that lessons import."""
    printer = Path(distribution("ipython").locate_file("IPython/lib/pretty.py"))
    terms = {f: p for f, p in installed("ipython").items() if "licenses/" in f}
    site = installed("redis") | terms | {"pretty.py": printer}
    course = {name: HERE / name for name in PAGE}
    for folder in ("lab", "shop"):
        course |= tree(ROOT / "notebooks" / folder, f"course/notebooks/{folder}", "*.py")
    course |= tree(ROOT / "lua", "course/lua", "*.lua")
    sql = installed(
        "sqlalchemy", lambda path: path.endswith(".py") and not any(part in path for part in UNUSED)
    )
    write(to / "site.zip", site)
    write(to / "course.zip", course)
    write(to / "sqlalchemy.zip", sql | installed("typing_extensions"))
    write(to / "tzdata.zip", installed("tzdata", lambda path: True))
    shutil.copyfile(package / STDLIB, to / STDLIB)
    (to / "imported.txt").write_text("\n".join(sorted(imported())), encoding="utf-8")


def imported() -> set[str]:
    """Every module that a cell of a lesson imports."""
    names = set()
    for lesson in (ROOT / "notebooks").glob("day*.ipynb"):
        for cell in json.loads(lesson.read_text(encoding="utf-8"))["cells"]:
            code = "".join(cell["source"])
            if cell["cell_type"] != "code" or code.startswith("%%"):
                continue
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.Import):
                    names |= {one.name for one in node.names}
                elif isinstance(node, ast.ImportFrom):
                    names.add(node.module)
    return names


def stamp(files: Iterable[Path]) -> str:
    """A hash of everything that the page's files are made from."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def licence(version: str) -> str:
    return (
        f"Pyodide {version} from the npm package pyodide. Mozilla Public License 2.0:\n"
        "https://www.mozilla.org/MPL/2.0/ . Its source: https://github.com/pyodide/pyodide .\n"
        "It contains CPython's standard library under the PSF licence, here partly as byte code.\n"
    )


def pack(build: Path) -> None:
    """Write BUILD/pyodide/, the archives and run.json, the list that the page loads by."""
    package, version = python()
    plan = build / "run.json"
    with tempfile.TemporaryDirectory(dir=build.parent, prefix=".pack") as room:
        plain, packed = Path(room) / "plain", Path(room) / "packed"
        for folder in (plain, packed):
            folder.mkdir()
        sources(plain, package)
        parts = [*sorted(plain.iterdir()), *(build / name for name in ENGINE), *MAKERS]
        made_from = stamp(parts)
        if plan.exists() and json.loads(plan.read_text()).get("made_from") == made_from:
            return
        node = [program("node"), HERE / "precompile.mjs", plain, packed]
        if subprocess.run(node).returncode:
            sys.exit("make engine: not compiled, see above; what was packed before is as it was.")
        for name in PYODIDE:
            shutil.copyfile(package / name, packed / name)
        (packed / "LICENCE.txt").write_text(licence(version), encoding="utf-8")
        (build / "pyodide").mkdir(exist_ok=True)
        for file in packed.iterdir():
            file.replace(build / (file.name if file.name in ARCHIVES else f"pyodide/{file.name}"))
    loaded = [*ENGINE, *AT_START, *(f"pyodide/{name}" for name in (*PYODIDE, STDLIB))]
    told = {
        "redis": (build / "redis.version").read_text().strip(),
        "pyodide": version,
        "bytes": {name: (build / name).stat().st_size for name in loaded},
        "archives": AT_START,
        "on_import": {"sqlalchemy": "sqlalchemy.zip", "tzdata": "tzdata.zip"},
        "made_from": made_from,
    }
    plan.write_text(json.dumps(told, indent=1) + "\n")
    print(f"Python {version} for the page: {build} ({sum(told['bytes'].values()):,} bytes in all)")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "redis.wasm").exists():
        sys.exit("usage: pack.py BUILD, a folder in which build.sh has built redis.wasm")
    pack(Path(sys.argv[1]).resolve())
