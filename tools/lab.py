"""`make lab`: open JupyterLab on day 0. Each notebook's kernel finds or starts its own Redis."""

import json
import os
import sqlite3
import sys
import tempfile
from pathlib import Path

import nbformat
from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).resolve().parents[1]
NO_NEWS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}
KEPT = (  # each names a folder in which Jupyter or IPython keeps something
    *("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"),
    *("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"),
)


def command(extra: list[str]) -> list[str]:
    """The JupyterLab command line; as root it needs leave to run at all."""
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [
        *(sys.executable, "-m", "jupyterlab"),
        "--LabApp.news_url=None",  # nothing is asked of the internet
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={ROOT}",
        "--LabApp.default_url=/lab/tree/notebooks/day00_start_here.ipynb",
        *root,
        *extra,
    ]


def ask_no_news() -> None:
    """Answer JupyterLab's question about news, which would come from the internet, with no.

    Only in the course's own environment; another one's settings are not ours.
    """
    if Path(sys.prefix) == ROOT / ".venv":
        settings = Path(sys.prefix, "share", "jupyter", "lab", "settings", "overrides.json")
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(NO_NEWS), encoding="utf-8")


def find_room() -> None:
    """Where the home folder cannot be written, name folders that can: Jupyter does not start without."""
    try:
        for folder in (jupyter_data_dir(), jupyter_config_dir()):
            os.makedirs(folder, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
    except OSError as problem:
        room = Path(tempfile.mkdtemp(prefix="rush-jupyter-"))
        os.environ.update({name: str(room / name.lower()) for name in KEPT})
        print(
            f"redis rush: {problem}: JupyterLab keeps its settings in {room} this time", flush=True
        )


def trust() -> None:
    """Sign the recorded lessons, so that JupyterLab shows their pictures before a cell is run.

    Where the signatures cannot be kept, for example on a full disk, pictures wait for Run.
    """
    try:
        notary = NotebookNotary()
        for path in sorted((ROOT / "notebooks").glob("day*.ipynb")):
            notary.sign(nbformat.read(path, 4))
    except (OSError, sqlite3.Error):
        pass


if __name__ == "__main__":
    os.chdir(ROOT)
    ask_no_news()
    find_room()
    trust()
    argv = command(sys.argv[1:])
    if os.name == "nt":  # exec on Windows would detach the console
        import subprocess

        sys.exit(subprocess.call(argv))
    os.execv(argv[0], argv)
