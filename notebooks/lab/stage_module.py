"""The stage's ES modules as one text: a widget's module cannot import its neighbours."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "page" / "stage"
IMPORT = re.compile(r"^import (?:\* as (\w+)|\{([^}]*)\}) from '([^']+)';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function)\*? (\w+))", re.M)


def _needs(path: Path) -> list[Path]:
    return [
        (path.parent / found[3]).resolve() for found in IMPORT.finditer(path.read_text("utf-8"))
    ]


def _in_order(path: Path, above: tuple[Path, ...] = ()) -> list[Path]:
    """Every module once, after those that it imports. ValueError for a circle of imports."""
    if path in above:
        raise ValueError(f"{path.name} imports itself by way of {above[-1].name}")
    found = [each for other in _needs(path) for each in _in_order(other, (*above, path))]
    return list(dict.fromkeys([*found, path]))


def _body(path: Path) -> str:
    """The module as a function that returns what it exports."""
    text = path.read_text("utf-8")
    names = [found[1] for found in EXPORT.finditer(text)]

    def given(found: re.Match[str]) -> str:
        other = (path.parent / found[3]).resolve()
        what = found[1] or "{" + found[2].replace(" as ", ": ") + "}"
        return f"const {what} = $modules[{other.name!r}];\n"

    text = EXPORT.sub("", IMPORT.sub(given, text))
    text, count = re.subn(r"^export default ", "const $default = ", text, flags=re.M)
    exports = ", ".join([*names, *(["default: $default"] if count else [])])
    return f"$modules[{path.name!r}] = (() => {{\n{text}\nreturn {{ {exports} }};\n}})();\n"


@cache
def module(name: str = "widget.mjs") -> str:
    """page/stage/NAME with all that it imports, as the text of one module."""
    start = (FOLDER / name).resolve()
    bodies = "".join(_body(path) for path in _in_order(start))
    return f"const $modules = {{}};\n{bodies}export default $modules[{start.name!r}].default;\n"


@cache
def style() -> str:
    """The stage's style sheet."""
    return (FOLDER / "stage.css").read_text("utf-8")
