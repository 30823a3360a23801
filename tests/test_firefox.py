"""The page in Debian's Firefox: Python, Redis and an instrument answer there as in Chromium."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from page_host import engine, hosting
from stage_page import META, html, serve
from test_runner import lesson_page

DEEP = os.environ.get("RUSH_DEEP") == "1"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.skipif(not DEEP, reason="starts a second browser: one of RUSH_DEEP=1's tests"),
]
HERE = Path(__file__).parent / "firefox"
CELLS = [
    ("import lab\nr = lab.connect()", ()),
    ("%%redis\nSET stock 5\nDECR stock", ("transcript",)),
    ("lab.script('fixed_window')('limit:{1}', limit=1, window_ms=1000)", ()),
    ("import time\ntime.sleep(60)\nprint(r.ttl('stock'))", ()),
    ("lab.check('left', int(r.get('stock')), 4)", ("check",)),
]


def driver() -> str:
    """Node, with what drives Firefox beside reader.mjs, as package-lock.json pins it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not (node and npm):
        pytest.skip("what drives Firefox comes from npm: apt-get install npm")
    if not (HERE / "node_modules" / "puppeteer-core").is_dir():
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
            cwd=HERE,
            check=True,
        )
    return node


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict:
    """What one reader saw."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        pytest.skip("no firefox on PATH: apt-get install firefox-esr")
    node = driver()
    engine()
    home = tmp_path_factory.mktemp("home")  # no file of the reader's own profile is touched
    with hosting() as host:
        serve(host)
        stage = '<rush-stage day="2"><p>recorded</p></rush-stage>'
        host.pages |= {
            "/lesson": lesson_page(CELLS),
            "/day2.html": html(stage, "stage.mjs", META),
        }
        done = subprocess.run(
            [node, str(HERE / "reader.mjs"), firefox, host.url],
            env=os.environ | {"HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=500,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_cells_run_on_a_real_redis(seen):
    outputs = seen["outputs"]
    assert "is listening" in outputs["0"]
    assert outputs["1"].splitlines()[-1].endswith("(integer) 4")
    assert "allowed=1" in outputs["2"]
    assert "-1" in outputs["3"]
    assert outputs["4"].startswith("✔ left")


def test_the_stage_answers_and_can_be_broken(seen):
    assert "199 let in within one second. The limit is 100." in seen["broken"]
    assert seen["first"]


def test_nothing_complains(seen):
    assert seen["complaints"] == []
