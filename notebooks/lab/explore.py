"""A picture with sliders: ipywidgets where a kernel runs, HTML that the page brings to life."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Slider(NamedTuple):
    """A whole number from `low` to `high`, starting at `value`; `play` adds a play button."""

    value: int
    low: int
    high: int
    step: int = 1
    play: bool = False


_open: dict[str, Exploration] = {}


class Exploration:
    """What `explore` returns: a notebook shows it as widgets, a page as HTML."""

    def __init__(self, fn: Callable[..., Any], sliders: dict[str, Slider]) -> None:
        self.fn, self.sliders = fn, sliders
        self.id = str(len(_open) + 1)
        self.first = self.picture()  # drawn at once, so that a mistake in fn shows in this cell
        _open[self.id] = self

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={s.value}" for name, s in self.sliders.items())
        return f"explore({getattr(self.fn, '__name__', 'fn')}, {told})"

    def picture(self, values: dict[str, int] | None = None) -> str:
        """The function's result as HTML, with each slider's value or its first one."""
        start = {name: slider.value for name, slider in self.sliders.items()}
        return _as_html(self.fn(**(start | (values or {}))))

    def _repr_html_(self) -> str:
        declared = [{"name": name} | s._asdict() for name, s in self.sliders.items()]
        sliders = html.escape(json.dumps(declared), quote=True)
        return (
            f'<div class="rush-explore" data-rush-explore="{self.id}" '
            f'data-rush-sliders="{sliders}">'
            f'<div class="rush-explore-picture">{self.first}</div></div>'
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if sys.platform != "emscripten":
            bundle |= self._widgets()._repr_mimebundle_() | bundle
        return bundle

    def _widgets(self) -> Any:
        import ipywidgets as w

        shown = w.HTML(self.first)
        controls, rows = {}, []
        for name, s in self.sliders.items():
            limits = {"value": s.value, "min": s.low, "max": s.high, "step": s.step}
            controls[name] = w.IntSlider(**limits, description=name, continuous_update=True)
            row = [controls[name]]
            if s.play:
                row.append(w.Play(**limits, interval=200))
                w.jslink((row[1], "value"), (row[0], "value"))
            rows.append(w.HBox(row))

        def redraw(_: Any) -> None:
            shown.value = self.picture({name: c.value for name, c in controls.items()})

        for control in controls.values():
            control.observe(redraw, "value")
        return w.VBox([*rows, shown])


def explore(fn: Callable[..., Any], **sliders: tuple) -> Exploration:
    """Draw fn(**values) again whenever a slider moves.

    fn       returns text, HTML, or an object with _repr_svg_ or _repr_html_
    sliders  name=(value, low, high), with a step as a fourth number if it is not 1, and the
             word "play" last for one that should also run by itself
    Raises ValueError for a slider that starts outside its own limits.
    """
    read = {}
    for name, given in sliders.items():
        numbers = [n for n in given if n != "play"]
        slider = Slider(*numbers)._replace(play="play" in given)
        if not slider.low <= slider.value <= slider.high or slider.step < 1:
            raise ValueError(f"{name} must be (value, low, high[, step]), value within: {given}")
        read[name] = slider
    return Exploration(fn, read)


def update(id: str, values: dict[str, int]) -> str:
    """The picture of one exploration as HTML for new slider values; the page calls this."""
    if id not in _open:
        raise KeyError(f"no exploration {id!r} in this session: run its cell again")
    return _open[id].picture({name: int(value) for name, value in dict(values).items()})


explore.update = update


def _as_html(result: Any) -> str:
    """HTML of a figure, or of text: text that begins with < is HTML already."""
    for name in ("_repr_svg_", "_repr_html_"):
        draw = getattr(result, name, None)
        if draw is not None and (drawn := draw()) is not None:
            return drawn
    words = str(result)
    return words if words.lstrip().startswith("<") else f"<pre>{html.escape(words)}</pre>"
