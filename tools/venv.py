"""Make .venv and install one list of requirements: `python3 tools/venv.py requirements.txt`.

Runs on the reader's own Python, so it uses the standard library alone and says in one sentence what is missing.
A folder `wheelhouse/` beside the Makefile (made by `make wheelhouse`) is used instead of the network.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"


def stop(sentence: str) -> None:
    sys.exit(f"redis rush: {sentence}")


def has_pip(python: Path) -> bool:
    return (
        python.exists()
        and not subprocess.run([str(python), "-c", "import pip"], capture_output=True).returncode
    )


def main(requirements: str) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 (an older Python may well run this file)
        stop(
            f"Python 3.11 or later is needed and this is {sys.version.split()[0]}: "
            "say which one to use, for example `make lab PYTHON=python3.12`."
        )
    python = VENV / "bin" / "python"
    if not has_pip(python):  # none, or one that was not finished
        print("redis rush: making .venv", flush=True)
        made = subprocess.run(
            [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True
        )
        if made.returncode:
            stop(
                "the virtual environment could not be made: on Debian and Ubuntu "
                f"`sudo apt install python3-venv` brings what is missing.\n{made.stdout}{made.stderr}"
            )
    wheels = ROOT / "wheelhouse"
    complete = (wheels / requirements).is_file()  # tools/wheelhouse.py writes it at its end
    source = ["--no-index", "--find-links", str(wheels)] if complete else []
    where = "the wheelhouse" if source else "the package index"
    print(f"redis rush: installing {requirements} from {where}, once", flush=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    if subprocess.run([*pip, *source, "-r", str(ROOT / requirements)]).returncode:
        stop(
            "the packages could not be installed: the lines above say which one; "
            "without internet, bring a folder made by `make wheelhouse` on another machine."
        )


if __name__ == "__main__":
    main(sys.argv[1])
