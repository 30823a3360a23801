"""`make site`: the published site in site/, built strictly, and what it can do, in a sentence.

The hook of the site copies what `make engine` built, where it is there. Without it the lessons show
their recorded outputs and have no Run buttons.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE, HALF = ROOT / "site", ROOT / "site.half"  # the second becomes the first when it is whole


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


def build(words: list[str]) -> int:
    """Build beside site/ and put it in its place when it is whole; mkdocs's exit status.

    What fails or is stopped leaves the site that was there as it was.
    """
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", *words, "--site-dir", str(HALF)]
    try:
        done = subprocess.run(mkdocs, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
        if done.returncode == 0:
            shutil.rmtree(SITE, ignore_errors=True)
            HALF.rename(SITE)
        return done.returncode
    finally:
        shutil.rmtree(HALF, ignore_errors=True)


def main() -> int:
    pack()
    if status := build(sys.argv[1:]):
        print("redis rush: not built, see the lines above; the site that was there is as it was")
        return status
    print(summary(SITE))
    print(f"Look at it: python3 -m http.server -b 127.0.0.1 -d {SITE.name} 8000")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nredis rush: stopped; the site that was there is as it was")
