"""`make wheelhouse`: everything that pip would fetch, in the folder wheelhouse/.

Where that folder lies beside the Makefile, tools/venv.py installs from it and asks no network. The wheels are for
machines like this one: the same system, processor and minor version of Python.
"""

import argparse
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def collect(requirements: Path, folder: Path) -> int:
    """Put a wheel of each requirement, and of all they need, into a folder; pip's exit status.

    `pip wheel` and not `pip download`: what is published as source only is built here, because a machine
    without a network cannot fetch the tools that build it.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    return subprocess.run([*pip, "--wheel-dir", str(folder), "-r", str(requirements)]).returncode


def summary(folder: Path) -> str:
    """What is in the folder, whom it fits, and what to do with it."""
    wheels = list(folder.glob("*.whl"))
    size = sum(wheel.stat().st_size for wheel in wheels)
    python = "{}.{}".format(*sys.version_info)
    return (
        f"{len(wheels)} wheels, {size / 1e6:.0f} MB, in {folder.name}/, "
        f"for {platform.system()} {platform.machine()} with Python {python}.\n"
        f"Copy {folder.name}/ beside the Makefile on the other machine; "
        "`make lab` installs from it there and asks no network."
    )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "requirements",
        nargs="?",
        type=Path,
        default=ROOT / "requirements.txt",
        help="default: requirements.txt; requirements-dev.txt also brings what `make test` needs",
    )
    parser.add_argument("--into", type=Path, default=ROOT / "wheelhouse", metavar="FOLDER")
    chosen = parser.parse_args(argv)
    if not chosen.requirements.is_file():
        print(f"redis rush: there is no {chosen.requirements}: name requirements-dev.txt, or none")
        return 2
    print(f"redis rush: gathering {chosen.requirements.name}, a few minutes", flush=True)
    if status := collect(chosen.requirements, chosen.into):
        print("redis rush: not complete: pip's lines above say which package; run it again")
        return status
    for name in {chosen.requirements.name, "requirements.txt"}:  # the second is in the first
        (chosen.into / name).write_text(name)  # complete: tools/venv.py looks for it
    print(summary(chosen.into))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("redis rush: stopped before it was complete: run it again")
