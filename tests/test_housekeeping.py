"""What a newcomer needs to carry on: settings, hooks and the workflow are valid and do what they say."""

import configparser
import importlib
import re
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools"))
wheelhouse = importlib.import_module("wheelhouse")

pytestmark = pytest.mark.once

WORKFLOW = ROOT / ".github" / "workflows" / "pages.yml"
TARGETS = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
BINARY = {".png", ".wasm", ".ico", ".gz"}


def committed() -> list[Path]:
    """The text files that git knows, or would take with the next `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.is_file() and path.suffix not in BINARY]


def steps(workflow: dict) -> list[str]:
    """Every command that a workflow runs, one a line."""
    runs = (step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"])
    return [line.strip() for run in runs for line in run.splitlines()]


def check_workflow(path: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "github-workflows"]
    return subprocess.run([*command, str(path)], capture_output=True, text=True)


def test_the_workflow_follows_githubs_schema():
    done = check_workflow(WORKFLOW)
    assert done.returncode == 0, done.stdout


def test_a_workflow_with_a_misspelt_key_is_found(tmp_path):
    wrong = tmp_path / "pages.yml"
    wrong.write_text(WORKFLOW.read_text(encoding="utf-8").replace("runs-on:", "run-on:"))
    assert check_workflow(wrong).returncode == 1


def test_the_workflow_does_nothing_that_make_does_not():
    """Besides what Debian brings: make and its targets. What is published is what make site wrote."""
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    made = []
    for line in steps(workflow):
        command, *words = line.split()
        assert command in ("apt-get", "make"), line
        made += words if command == "make" else []
    assert set(made) <= set(TARGETS) and "site" in made
    uploads = [step["with"]["path"] for step in workflow["jobs"]["site"]["steps"] if "with" in step]
    assert uploads == ["site"]
    assert workflow["permissions"] == {"contents": "read"}


def test_the_packages_of_the_workflow_are_among_those_of_the_full_check():
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").split()
    text = WORKFLOW.read_text(encoding="utf-8")
    packages = re.search(r"install -y .*?recommends (.+)", text)[1].split()
    assert len(packages) > 5
    assert set(packages) - set(ci) <= {
        "ca-certificates"
    }  # checkout needs it, a bare image has none


def test_hooks_are_local_and_what_they_run_is_in_the_requirements():
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repo["repo"] for repo in settings["repos"]] == ["local"]
    hooks = settings["repos"][0]["hooks"]
    wanted = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("requirements*.txt"))
    assert len(hooks) >= 3
    for hook in hooks:
        program, *words = hook["entry"].split()
        assert hook["language"] == "system" and program.startswith(".venv/bin/"), hook["id"]
        tool = words[1] if program.endswith("/python") else Path(program).name
        assert re.search(rf"^{tool}\b", wanted, re.M), f"{hook['id']}: who installs {tool}?"


def editor_settings(path: Path) -> dict[str, str]:
    """What .editorconfig says of a file; later sections win, as in an editor."""
    parser = configparser.ConfigParser(inline_comment_prefixes="#")
    text = (ROOT / ".editorconfig").read_text(encoding="utf-8").partition("root = true")[2]
    parser.read_string(text)
    found: dict[str, str] = {}
    for pattern in parser.sections():
        inside = re.search(r"\{(.*)\}", pattern)
        names = (
            [pattern.replace(inside[0], one) for one in inside[1].split(",")]
            if inside
            else [pattern]
        )
        where = path.relative_to(ROOT).as_posix()
        if any(fnmatch(where if "/" in name else path.name, name) for name in names):
            found |= dict(parser[pattern])
    return found


def breaches(path: Path, raw: bytes) -> list[str]:
    """What in a file an editor with these settings would have written otherwise."""
    settings = editor_settings(path)
    text = raw.decode("utf-8")
    found = []
    if "\r" in text:
        found.append("a carriage return")
    if settings["insert_final_newline"] == "true" and text and not text.endswith("\n"):
        found.append("no line end at its end")
    if settings["trim_trailing_whitespace"] == "true" and re.search(r"[ \t]+$", text, re.M):
        found.append("blanks at a line's end")
    if settings["indent_style"] == "space" and re.search(r"^ *\t", text, re.M):
        found.append("a tab as indent")
    return found


def test_files_are_as_editorconfig_says():
    found = {str(p.relative_to(ROOT)): breaches(p, p.read_bytes()) for p in committed()}
    assert len(found) > 100
    assert not {name: what for name, what in found.items() if what}


@pytest.mark.parametrize(
    ("name", "raw", "what"),
    [
        ("a.py", b"x = 1\r\n", "a carriage return"),
        ("a.md", b"end", "no line end at its end"),
        ("a.lua", b"return 1 \n", "blanks at a line's end"),
        ("a.mjs", b"\tf()\n", "a tab as indent"),
    ],
)
def test_what_an_editor_would_have_written_otherwise_is_found(name, raw, what):
    assert what in breaches(ROOT / name, raw)


def test_a_makefile_keeps_its_tabs():
    assert breaches(ROOT / "Makefile", b"lab:\n\techo\n") == []


def test_contributing_names_only_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = [*re.findall(r"`((?:tests|tools|docs|notebooks|lua)/[\w./-]+\.\w+)`", text)]
    files += re.findall(r"\]\((?!https?:)([\w./-]+)\)", text)
    real = [name for name in files if "NAME" not in name and "NN" not in name]
    assert len(real) >= 6
    assert [name for name in real if not (ROOT / name).exists()] == []
    assert set(re.findall(r"\bmake ([a-z]+)", text)) <= set(TARGETS)


def test_every_target_of_the_makefile_runs_a_tool_that_is_there():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for tool in re.findall(r"\btools/\w+\.py", text):
        assert (ROOT / tool).is_file(), tool


def a_wheel(folder: Path, name: str, needs: str = "") -> None:
    """The smallest wheel there can be: one module, and perhaps one requirement."""
    info = f"{name}-1.0.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"SAYS = '{name}'\n")
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


def test_a_wheelhouse_installs_where_there_is_no_index(tmp_path, monkeypatch, capsys):
    """What a package needs comes along; then pip is called as tools/venv.py calls it."""
    index, house = tmp_path / "index", tmp_path / "wheelhouse"
    index.mkdir()
    a_wheel(index, "rushdoor", needs="rushhinge")
    a_wheel(index, "rushhinge")
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("rushdoor\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    assert wheelhouse.main([str(wanted), "--into", str(house)]) == 0
    assert "2 wheels" in capsys.readouterr().out

    monkeypatch.delenv("PIP_FIND_LINKS")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    there = ["--no-index", "--find-links", str(house), "--target", str(tmp_path / "there")]
    assert subprocess.run([*pip, *there, "-r", str(wanted)]).returncode == 0
    assert (tmp_path / "there" / "rushhinge.py").is_file()


def test_a_wheelhouse_that_is_not_complete_says_so(tmp_path, monkeypatch, capsys):
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("rushdoor\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert wheelhouse.main([str(wanted), "--into", str(tmp_path / "house")]) != 0
    assert "not complete" in capsys.readouterr().out
    assert wheelhouse.main([str(tmp_path / "none.txt")]) == 2
    assert "there is no" in capsys.readouterr().out
