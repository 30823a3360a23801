"""The day's moving instrument: `lab.stage(2)`.

In JupyterLab it is a widget on the kernel's live server. On the site the output is a
`<rush-stage day="2">`, which the page brings to life on its own Redis; what stands inside it, a
picture of a run on the recording's server, is what a page without that Redis shows.
"""

from __future__ import annotations

import sys
from typing import Any

from .errors import LabError

DAYS = range(10)  # the days that have an instrument


class Stage:
    """What `stage` returns; a notebook shows it as a widget, a page as HTML."""

    def __init__(self, day: int) -> None:
        from .stage_pictures import picture

        self.day = day
        self.picture = picture(day)  # drawn at once, so that trouble shows in this cell
        self._shown: Any = None

    def __repr__(self) -> str:
        return f"stage({self.day})"

    def _repr_html_(self) -> str:
        return f'<rush-stage day="{self.day}">{self.picture._repr_svg_()}</rush-stage>'

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if sys.platform == "emscripten":
            return bundle
        if self._shown is None:
            from .stage_widget import StageWidget

            self._shown = StageWidget(self.day)
        data, _ = self._shown._repr_mimebundle_()
        return data | bundle


def stage(day: int) -> Stage:
    """The instrument of one day, 0 to 9. LabError for a day that has none."""
    if day not in DAYS:
        raise LabError(f"Day {day} has no stage. The days {DAYS[0]} to {DAYS[-1]} have one each.")
    return Stage(day)
