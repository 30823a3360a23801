"""`make test`: the whole suite, and with RUSH_DEEP=1 its long forms, on all four servers.

Everyday: one pass on whatever server is found. Deep: one pass with the long forms, then everything
that talks to Redis once more, in its everyday form, on each of the other servers. Exit status 0
only if every pass was green.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MATRIX = ("redis-7.0", "redis-6.2", "redis-8.2", "valkey-9.1")
NO_TESTS = 5  # pytest's status; right for a pass that a chosen file has nothing for, not for all
TALKS_TO_REDIS = "not browser and not site and not databases and not once"


def run(title: str, *arguments: str, deep: bool = False) -> int:
    """One pytest pass over two workers, its status; a notebook or a test file never splits over them."""
    print(f"\n== {title}", flush=True)
    started = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *arguments]
    environment = os.environ | {"RUSH_DEEP": "1" if deep else "0"}
    status = subprocess.run(command, cwd=ROOT, env=environment).returncode
    nothing = status == NO_TESTS and len(sys.argv) > 1
    colour = "nothing to run" if nothing else "RED" if status else "green"
    print(f"== {title}: {colour} in {time.perf_counter() - started:.0f} s", flush=True)
    return status


def lint() -> bool:
    """The formatter and the linter, notebooks included."""
    print("\n== the linter", flush=True)
    ruff = str(Path(sys.executable).with_name("ruff"))
    clean = all(
        subprocess.run([ruff, *how, "."], cwd=ROOT).returncode == 0
        for how in (("check", "-q"), ("format", "--check", "-q"))
    )
    print(f"== the linter: {'green' if clean else 'RED'}", flush=True)
    return clean


def main() -> int:
    deep = os.environ.get("RUSH_DEEP") == "1"
    given = sys.argv[1:]  # for example: python tools/suite.py tests/test_gcra.py
    for word in given:  # with workers pytest itself only says that no tests ran
        file = word.split("::")[0]
        if file.endswith((".py", ".ipynb")) and not (ROOT / file).exists():
            print(f"redis rush: there is no {file}: name one such as tests/test_gcra.py")
            return 2
    clean = lint()
    passes = []
    first, *others = MATRIX
    server = ("--server", first) if deep else ()
    passes.append(run("the suite", *server, "-m", "not browser", *given, deep=deep))
    passes.append(run("in the browser", *server, "-m", "browser", *given, deep=deep))
    if deep:
        for name in others:
            passes.append(run(f"{name}", "--server", name, "-m", TALKS_TO_REDIS, *given))
    if given and set(passes) == {NO_TESTS}:
        print(f"redis rush: no test is called {' '.join(given)}: is the name behind :: right?")
        return 2
    fine = {0, NO_TESTS} if given else {0}
    if not clean:
        print("redis rush: the linter found something, above: make lint says what")
    return 0 if clean and set(passes) <= fine else 1


if __name__ == "__main__":
    sys.exit(main())
