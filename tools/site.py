"""`make site`: the published site in site/, built strictly; the real Redis is put in where it was built.

MkDocs makes the pages. What `make engine` built is copied beside them afterwards, because MkDocs
empties site/ first. Without it the pages show their recorded outputs, and this says so.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "page" / "engine" / "build"
NEEDED = ("redis.wasm", "redis.mjs")


def built_engine(folder: Path = ENGINE) -> bool:
    """Whether `make engine` has left a whole engine in the folder."""
    return all((folder / name).is_file() for name in NEEDED)


def stage_engine(site: Path, folder: Path = ENGINE) -> str:
    """Copy the engine into a built site; the sentence that says what was done."""
    if not built_engine(folder):
        return "No engine here, so the lessons show recorded outputs: `make engine` builds one."
    target = site / "page" / "engine"
    shutil.copytree(folder, target, dirs_exist_ok=True)
    megabytes = sum(f.stat().st_size for f in target.rglob("*") if f.is_file()) / 1e6
    return f"The page's own Redis is in place ({megabytes:.1f} MB)."


def main() -> int:
    site = ROOT / "site"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--site-dir",
            str(site),
            *sys.argv[1:],
        ],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    if done.returncode:
        return done.returncode
    print(stage_engine(site))
    print(f"Open it with: {Path(sys.executable).name} -m http.server -d {site.name} 8000")
    return 0


if __name__ == "__main__":
    sys.exit(main())
