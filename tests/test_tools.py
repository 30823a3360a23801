"""What make runs besides the tests: stopped, mistyped or without room, each says one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from tools import lab, record, site, suite, venv, wheelhouse

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.once


class Runs:
    """Stands in for subprocess.run: writes down each command, and ends with the status given for it."""

    def __init__(self, monkeypatch, *statuses: int) -> None:
        self.commands: list[list[str]] = []
        self._statuses = list(statuses)
        monkeypatch.setattr(subprocess, "run", self)

    def __call__(self, command, **_):
        self.commands.append(list(map(str, command)))
        status = self._statuses.pop(0) if self._statuses else 0
        return SimpleNamespace(returncode=status, stdout="", stderr="")

    def __contains__(self, word: str) -> bool:
        return any(word in command for command in self.commands)


# tools/venv.py


@pytest.fixture
def bare(tmp_path, monkeypatch) -> Path:
    """A course without .venv and wheelhouse."""
    monkeypatch.setattr(venv, "ROOT", tmp_path)
    monkeypatch.setattr(venv, "VENV", tmp_path / ".venv")
    (tmp_path / "requirements.txt").write_text("")
    return tmp_path


def with_python(folder: Path) -> None:
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").touch()


def test_an_environment_that_was_not_finished_is_made_anew(bare, monkeypatch):
    """python is there and pip is not: python3-venv was missing, or Ctrl-C came in between."""
    with_python(bare)
    runs = Runs(monkeypatch, 1)
    venv.main("requirements.txt")
    looked, made, installed = runs.commands
    assert looked[1:] == ["-c", "import pip"]
    assert made[1:] == ["-m", "venv", "--clear", str(bare / ".venv")]
    assert installed[-2:] == ["-r", str(bare / "requirements.txt")]


def test_an_environment_that_is_well_is_kept(bare, monkeypatch):
    with_python(bare)
    runs = Runs(monkeypatch)
    venv.main("requirements.txt")
    assert "venv" not in runs


def test_the_wheelhouse_is_used_when_it_is_complete_for_these_requirements(
    bare, monkeypatch, capsys
):
    """One that was stopped half way, or has not what the tests need, is passed over."""
    runs, house = Runs(monkeypatch), bare / "wheelhouse"
    house.mkdir()
    venv.main("requirements.txt")
    (house / "requirements.txt").touch()
    venv.main("requirements-dev.txt")
    assert "--no-index" not in runs
    venv.main("requirements.txt")
    assert "--no-index" in runs
    assert capsys.readouterr().out.splitlines()[-1].startswith("redis rush: installing require")


# tools/wheelhouse.py


def test_a_wheelhouse_is_marked_complete_at_its_end_only(tmp_path, monkeypatch, capsys):
    wanted, house = tmp_path / "requirements-dev.txt", tmp_path / "house"
    wanted.touch(), house.mkdir()
    for status, marks in ((1, []), (0, ["requirements-dev.txt", "requirements.txt"])):
        Runs(monkeypatch, status)
        assert wheelhouse.main([str(wanted), "--into", str(house)]) == status
        assert sorted(path.name for path in house.iterdir()) == marks
    assert "not complete" in capsys.readouterr().out


# tools/suite.py


def the_suite(monkeypatch, statuses: list[int], *words: str) -> tuple[int, Runs]:
    """Its status and what it ran, when the formatter is content and pytest ends like this."""
    monkeypatch.setattr(sys, "argv", ["suite.py", *words])
    monkeypatch.setenv("RUSH_DEEP", "0")
    runs = Runs(monkeypatch, 0, 0, *statuses)
    return suite.main(), runs


def test_a_mistyped_file_is_no_green_suite(monkeypatch, capsys):
    status, runs = the_suite(monkeypatch, [5, 5], "tests/test_gcar.py::test_x")
    assert (status, runs.commands) == (2, [])
    assert "there is no tests/test_gcar.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statuses", "words", "right"),
    [
        ([0, 0], [], 0),
        ([0, 5], [], 1),  # the whole suite always has something for the browser
        ([0, 5], ["tests/test_gcra.py"], 0),
        ([5, 0], ["tests/test_site.py"], 0),
        ([5, 5], ["tests/test_gcra.py::test_mistyped"], 2),
        ([1, 5], ["tests/test_gcra.py"], 1),
        ([5, 2], ["tests/test_site.py"], 1),
    ],
)
def test_a_pass_without_tests_is_well_unless_all_are(monkeypatch, capsys, statuses, words, right):
    assert the_suite(monkeypatch, statuses, *words)[0] == right
    assert ("is the name behind :: right?" in capsys.readouterr().out) == (right == 2)


# tools/site.py


@pytest.fixture
def built(tmp_path, monkeypatch) -> Path:
    """A site that was built before."""
    monkeypatch.setattr(site, "SITE", tmp_path / "site")
    monkeypatch.setattr(site, "HALF", tmp_path / "site.half")
    monkeypatch.setattr(site, "pack", lambda: None)
    monkeypatch.setattr(sys, "argv", ["site.py"])
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old.html").touch()
    return tmp_path


def mkdocs(monkeypatch, end) -> None:
    """Stands in for mkdocs: writes a page where it was told to, and then ends so."""

    def run(command, **_):
        folder = Path(command[command.index("--site-dir") + 1])
        folder.mkdir()
        (folder / "index.html").touch()
        if isinstance(end, BaseException):
            raise end
        return SimpleNamespace(returncode=end)

    monkeypatch.setattr(subprocess, "run", run)


def pages(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))


def test_a_new_site_takes_the_place_of_the_old_one(built, monkeypatch, capsys):
    mkdocs(monkeypatch, 0)
    assert (site.main(), pages(built)) == (0, ["site/index.html"])
    assert capsys.readouterr().out.startswith("1 pages in site/; ")


def test_a_build_that_fails_or_is_stopped_leaves_the_site_as_it_was(built, monkeypatch, capsys):
    mkdocs(monkeypatch, 1)
    assert (site.main(), pages(built)) == (1, ["site/old.html"])
    assert "is as it was" in capsys.readouterr().out
    mkdocs(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        site.main()
    assert pages(built) == ["site/old.html"]


# tools/record.py


def test_recording_a_lesson_that_is_not_there(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["record.py", str(tmp_path / "nosuch.ipynb")])
    assert record.main() == 2
    assert "nosuch.ipynb: name one such as notebooks/day00" in capsys.readouterr().out


# tools/demo.py


def run_demo(**kw) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "tools/demo.py"], cwd=ROOT, capture_output=True, text=True, **kw
    )


def test_the_demo_without_a_redis_is_one_sentence():
    done = run_demo(env=os.environ | {"REDIS_URL": "redis://127.0.0.1:1/0"}, input="\n\n")
    assert done.returncode == 1
    assert done.stderr.startswith("No Redis answers at 127.0.0.1:1: start it, ")
    assert len(done.stderr.splitlines()) == 1


def test_the_demo_without_a_keyboard_says_what_to_add():
    done = run_demo(stdin=subprocess.DEVNULL)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "With --now it does not wait" in done.stderr


# tools/lab.py


def test_a_home_that_cannot_be_written_is_replaced_and_lessons_are_trusted(
    monkeypatch, tmp_path, capsys
):
    """A file in the place of the home folder: not even root can write below it."""
    (tmp_path / "home").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(lab.tempfile, "tempdir", str(tmp_path))
    for name in lab.KEPT:
        monkeypatch.setenv(name, "")
    lab.find_room()
    (room,) = tmp_path.glob("rush-jupyter-*")
    assert {Path(os.environ[name]).parent for name in lab.KEPT} == {room}
    assert str(room) in capsys.readouterr().out

    lessons = tmp_path / "notebooks"
    lessons.mkdir()
    nbformat.write(nbformat.v4.new_notebook(), lessons / "day00.ipynb")
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    lab.trust()
    assert (room / "jupyter_data_dir" / "nbsignatures.db").is_file()


def test_a_home_that_can_be_written_is_used(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in lab.KEPT:
        monkeypatch.delenv(name, raising=False)
    lab.find_room()
    assert (capsys.readouterr().out, set(lab.KEPT) & set(os.environ)) == ("", set())


def test_jupyterlab_is_told_to_fetch_no_news_in_the_courses_own_environment_only(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "elsewhere"))
    lab.ask_no_news()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    lab.ask_no_news()
    (told,) = tmp_path.rglob("overrides.json")
    assert json.loads(told.read_text()) == lab.NO_NEWS
