"""`make site`: the published site in site/, built strictly, and what it can do, in a sentence.

The hook of the site copies what `make engine` built, where it is there. Without it the lessons show
their recorded outputs and have no Run buttons.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def summary(site: Path) -> str:
    """What stands in a built site: pages, and whether its cells run."""
    pages = sum(1 for _ in site.rglob("index.html"))
    engine = site / "page" / "engine"
    if not (engine / "redis.wasm").is_file():
        runs = "no engine here, so lessons show recorded outputs: `make engine` builds one"
    else:
        size = sum(f.stat().st_size for f in engine.rglob("*") if f.is_file())
        runs = f"cells run in the page ({size / 1e6:.0f} MB, asked for when somebody presses Run)"
    return f"{pages} pages in {site.name}/; {runs}."


def pack() -> None:
    """Where an engine is built, bring its copy of the course up to date: it takes a second."""
    built = ROOT / "page" / "engine" / "build"
    if (built / "redis.wasm").is_file():
        packer = ROOT / "page" / "runner" / "pack.py"
        subprocess.run([sys.executable, str(packer), str(built)], check=True)


def main() -> int:
    pack()
    site = ROOT / "site"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(
        [*build, *sys.argv[1:]], cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    if done.returncode == 0:
        print(summary(site))
        print(f"Look at it: python3 -m http.server -b 127.0.0.1 -d {site.name} 8000")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
