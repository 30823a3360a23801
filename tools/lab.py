"""`make lab`: open JupyterLab on day 0. Each notebook's kernel finds or starts its own Redis."""

import os
import sqlite3
import sys
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).resolve().parents[1]


def command(extra: list[str]) -> list[str]:
    """The JupyterLab command line; as root it needs leave to run at all."""
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [
        *(sys.executable, "-m", "jupyterlab"),
        "--LabApp.news_url=None",  # nothing is asked of the internet, and no question in the way
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={ROOT}",
        "--LabApp.default_url=/lab/tree/notebooks/day00_start_here.ipynb",
        *root,
        *extra,
    ]


def trust() -> None:
    """Sign the recorded lessons, so that JupyterLab shows their pictures before a cell is run.

    Where the signatures cannot be kept, for example in a read-only home, pictures wait for Run.
    """
    try:
        notary = NotebookNotary()
        for path in sorted((ROOT / "notebooks").glob("day*.ipynb")):
            notary.sign(nbformat.read(path, 4))
    except (OSError, sqlite3.Error):
        pass


if __name__ == "__main__":
    os.chdir(ROOT)
    trust()
    argv = command(sys.argv[1:])
    if os.name == "nt":  # exec on Windows would detach the console
        import subprocess

        sys.exit(subprocess.call(argv))
    os.execv(argv[0], argv)
