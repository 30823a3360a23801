"""Self-checks of the exercises: a sentence that says what is right, and what is not yet."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class Checked(NamedTuple):
    """The outcome of one check. `state` is "right", "not yet" or "not started"."""

    claim: str
    state: str
    got: Any


def check(claim: str, got: Any, want: Any, hint: str = "", *, says: str = "") -> None:
    """Print whether `got` is what the claim says. Never raises; the outcome is `check.last`.

    got   a value, or a function without arguments that makes it; `...` means not done yet
    want  the value it should be, or a function that judges it; `says` (or the function's
          docstring) puts that judgement into words: "at least 100"
    """
    trouble = ""
    if callable(got):
        got, trouble = _call(got)
    judged = callable(want)
    wanted = (says or _words(want)) if judged else _show(want)
    if inspect.iscoroutine(got):
        got.close()
        trouble = "it is a coroutine: put await in front of it"
    if not trouble and (got is ... or (got is None and want is not None)):
        state, line = "not started", f"Not started: {claim}."
    else:
        right = False
        if not trouble:
            right, trouble = _call(lambda: bool(want(got)) if judged else bool(got == want))
        state = "right" if right and not trouble else "not yet"
        line = f"✔ {claim}: {_show(got)}."
        if state == "not yet":
            line = f"Not yet. {claim}: {trouble or _show(got)}, and it should be {wanted}."
    if hint and state != "right":
        line += f" Hint: {hint}"
    check.last = Checked(claim, state, got)
    print(line)


check.last = None


def _call(function: Callable[[], Any]) -> tuple[Any, str]:
    """A function's value and no trouble, or None and its exception in words."""
    try:
        return function(), ""
    except Exception as error:
        words = str(error)
        return None, f"it raised {type(error).__name__}" + (f": {words}" if words else "")


def _words(want: Callable[[Any], Any]) -> str:
    """A judging function in words: its docstring's first line, or else its name."""
    told = inspect.getdoc(want) if inspect.isfunction(want) else ""
    if told:
        return told.splitlines()[0].rstrip(".")
    return f"as {getattr(want, '__name__', 'the check')} says"


def _show(value: Any) -> str:
    """repr, also for an object whose repr fails."""
    shown, trouble = _call(lambda: repr(value))
    return shown if not trouble else f"a {type(value).__name__} that cannot be shown"
