"""As much of IPython as a lesson uses: display, HTML, SVG, Markdown, cell magics, get_ipython."""

import sys
import types
from collections.abc import Callable
from typing import Any

import pretty  # IPython's own printer, so that results look as they do in Jupyter

MIME = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "text/markdown": "_repr_markdown_",
    "application/json": "_repr_json_",
    "text/latex": "_repr_latex_",
}


def bundle(thing: Any) -> dict[str, str]:
    """MIME type to text of one object, as Jupyter would store it."""
    data = {"text/plain": pretty.pretty(thing)}
    if isinstance(thing, type):
        return data
    for mime, method in MIME.items():
        draw = getattr(thing, method, None)
        if draw is not None and (drawn := draw()) is not None:
            data[mime] = drawn
    whole = getattr(thing, "_repr_mimebundle_", None)
    if whole is not None and (given := whole(include=None, exclude=None)) is not None:
        data |= given[0] if isinstance(given, tuple) else given
    return data


class Display:
    """What IPython.display's classes have in common: the data that they show."""

    method = "_repr_html_"

    def __init__(self, data: str | None = None, **_: Any) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"

    def __init_subclass__(cls) -> None:
        setattr(cls, cls.method, lambda self: self.data)


class HTML(Display):
    method = "_repr_html_"


class SVG(Display):
    method = "_repr_svg_"


class Markdown(Display):
    method = "_repr_markdown_"


class Shell:
    """What get_ipython() gives: the lesson's names and a place to register cell magics."""

    def __init__(self, names: dict[str, Any], emit: Callable[[str, dict], None]) -> None:
        self.user_ns, self.magics, self._emit = names, {}, emit

    def register_magic_function(self, run: Callable, kind: str = "line", name: str = "") -> None:
        """`run(line, text)` answers a cell that begins with %%name; line magics are for Jupyter."""
        if kind == "cell":
            self.magics[name or run.__name__] = run

    def run_cell_magic(self, name: str, line: str, text: str) -> Any:
        """Raises NameError for a magic that nobody has registered."""
        if name not in self.magics:
            known = ", ".join(f"%%{one}" for one in sorted(self.magics)) or "none"
            raise NameError(f"%%{name} cannot run in this page (it knows: {known})")
        return self.magics[name](line, text)

    def display(self, *things: Any, **_: Any) -> None:
        for thing in things:
            self._emit("display", bundle(thing))

    def clear_output(self, wait: bool = False) -> None:
        self._emit("clear", {})


def install(shell: Shell) -> None:
    """Make `from IPython.display import ...` and get_ipython() work."""
    top, display, core = (
        types.ModuleType(name) for name in ("IPython", "IPython.display", "IPython.core")
    )
    for one in (HTML, SVG, Markdown):
        setattr(display, one.__name__, one)
    display.display, display.clear_output = shell.display, shell.clear_output
    top.display, top.core, top.get_ipython = display, core, lambda: shell
    sys.modules |= {"IPython": top, "IPython.display": display, "IPython.core": core}
    shell.user_ns |= {"display": shell.display, "get_ipython": top.get_ipython}
