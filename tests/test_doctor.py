"""make doctor: a healthy machine gets ticks, and each trouble gets its cure."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import databases
import pytest
from lab.server import Server

from tools import doctor, programs

ROOT = Path(__file__).resolve().parents[1]


def test_on_this_machine_all_is_well_in_about_ten_lines():
    done = subprocess.run(
        [sys.executable, "tools/doctor.py"], cwd=ROOT, capture_output=True, text=True
    )
    *lines, last = done.stdout.splitlines()
    assert (done.returncode, done.stderr, last) == (0, "", "All is well: make lab."), done.stdout
    assert 9 <= len(lines) <= 12
    assert {line[0] for line in lines} <= {"✔", "·"}  # a missing browser is only a note


def test_one_trouble_is_marked_and_ends_with_status_1(monkeypatch, capsys):
    monkeypatch.setenv("REDIS_URL", "localhost")
    assert doctor.main() == 1
    out = capsys.readouterr().out.splitlines()
    assert [line[0] for line in out].count("✘") == 1
    assert out[-1] == "1 to mend first."


def test_an_old_python():
    assert doctor.python((3, 9, 2, "final", 0)).verdict == "cure"
    assert doctor.python((3, 11, 0, "final", 0)).verdict == "ok"


def test_no_virtual_environment(monkeypatch):
    assert doctor.environment().verdict == "ok"
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert "run make doctor" in doctor.environment().text


def test_a_package_that_is_missing_is_named(monkeypatch):
    known = doctor._version
    monkeypatch.setattr(
        doctor, "_version", lambda name: None if name == "anywidget" else known(name)
    )
    assert doctor.packages() == ("packages", "cure", "missing anywidget: run make lab")


def test_no_server_is_a_cure_and_with_redis_url_a_note(monkeypatch, tmp_path):
    monkeypatch.setenv("RUSH_SERVER", str(tmp_path / "missing"))
    assert [f.verdict for f in (doctor.program(), doctor.start(tcp=True))] == ["cure", "cure"]
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert [f.verdict for f in (doctor.program(), doctor.start(tcp=False))] == ["note", "note"]


def test_a_server_that_is_there_is_named():
    found = doctor.start(tcp=True)
    assert found.verdict == "ok" and "answered at redis://127.0.0.1:" in found.text
    assert " at /" in doctor.program().text


def test_redis_url_is_tried_and_left_as_it_was(monkeypatch):
    with Server(tcp=True) as somebody, somebody.client() as r:
        monkeypatch.setenv("REDIS_URL", somebody.url)
        assert doctor.redis_url().verdict == "ok"
        assert r.dbsize() == 0
        r.set("payroll", 1)
        assert "take an empty one" in doctor.redis_url().text
        assert r.keys() == ["payroll"]


@pytest.mark.parametrize(
    ("limits", "verdict", "words"),
    [
        ((1024, 4096), "ok", "1024 at once"),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), "ok", "at once"),
        ((256, resource.RLIM_INFINITY), "cure", "ulimit -n 1024"),
        ((256, 512), "cure", "at most 512: ask"),
    ],
)
def test_open_files(monkeypatch, limits, verdict, words):
    monkeypatch.setattr(resource, "getrlimit", lambda what: limits)
    found = doctor.open_files()
    assert found.verdict == verdict
    assert words in found.text


def test_a_proxy_must_leave_this_machine_out(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert doctor.proxy().text == "none"
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    assert "export no_proxy=127.0.0.1,localhost" in doctor.proxy().text
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    assert doctor.proxy().verdict == "ok"


def test_what_only_the_tests_need_is_a_note(monkeypatch):
    monkeypatch.setattr(programs.shutil, "which", lambda *_, **__: None)
    browser, databases = doctor.for_the_tests()
    assert (browser.verdict, databases.verdict) == ("note", "note")
    assert "no MariaDB and no PostgreSQL" in databases.text


def test_what_the_tests_start_is_what_the_doctor_finds(monkeypatch, tmp_path):
    """A browser of another name; a server of Debian's beside PATH; one without what makes its folder."""
    here = dict.fromkeys(("google-chrome", "mariadbd", "mariadb-install-db", "postgres"), tmp_path)

    def which(name, path=None):
        beside_path = path == "/usr/sbin" or name != "mariadbd"
        return str(here[name] / name) if name in here and beside_path else None

    monkeypatch.setattr(programs.shutil, "which", which)
    browser, found = doctor.for_the_tests()
    assert browser == ("browser", "ok", f"{tmp_path}/google-chrome")
    assert programs.database("MariaDB") == f"{tmp_path}/mariadbd"
    assert found.verdict == "note" and found.text.startswith("no PostgreSQL: ")
    monkeypatch.delenv("RUSH_POSTGRES_URL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt install postgresql"):
        databases.open_server("postgresql")


def test_a_terminal_that_is_not_utf_8_gets_its_ten_lines():
    done = subprocess.run(
        [sys.executable, "tools/doctor.py"],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"? Python ")


def test_a_check_that_lacks_a_package_is_a_finding(monkeypatch):
    def redis_url():
        import a_package_that_nobody_has  # noqa: F401

    monkeypatch.setattr(doctor, "redis_url", redis_url)
    assert "run make lab" in next(f.text for f in doctor.examine() if f.subject == "redis_url")


def test_a_check_that_breaks_is_a_finding(monkeypatch):
    def open_files():
        raise TypeError("an unexpected keyword argument 'nonsense'")

    monkeypatch.setattr(doctor, "open_files", open_files)
    (found,) = (f for f in doctor.examine() if f.subject == "open_files")
    assert found.verdict == "cure" and "'nonsense'" in found.text
