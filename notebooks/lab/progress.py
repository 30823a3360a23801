"""A progress bar for long work: it appears after two seconds, in Jupyter only.

It leaves no text in a notebook's outputs, so a slow machine and a fast one record the same.
"""

import sys
from time import perf_counter

PATIENCE_S = 2.0


class Progress:
    """Counts work done; call it with how much is done so far."""

    def __init__(self, total: int, clock=perf_counter):
        self.total, self.clock = total, clock
        self.start = self.drawn = clock()
        self.bar = self.words = None

    def __call__(self, done: int) -> None:
        now = self.clock()
        if now - self.drawn < (0.2 if self.bar else PATIENCE_S):
            return
        self.drawn = now
        if self.bar is None and not self._draw():
            return
        self.bar.value = done
        self.words.value = self.line(done, now - self.start)

    def line(self, done: int, seconds: float) -> str:
        """What stands beside the bar: how far, and how much longer."""
        left = seconds / done * (self.total - done) if done else float("inf")
        wait = f"about {left:,.0f} s left" if done else "waiting for the first"
        return f"{done:,} of {self.total:,} · {wait}"

    def close(self) -> None:
        if self.bar:
            self.box.close()

    def _draw(self) -> bool:
        """Show the bar; False where there is no notebook to show it in."""
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython else None
        if not hasattr(shell, "kernel"):
            return False
        try:
            import ipywidgets as widgets
        except ImportError:
            return False
        self.bar = widgets.IntProgress(max=self.total)
        self.words = widgets.HTML()
        self.box = widgets.HBox([self.bar, self.words])
        # The view alone, without its text form: that is all that a front end needs.
        view = {"version_major": 2, "version_minor": 0, "model_id": self.box.model_id}
        shell.display_pub.publish({"application/vnd.jupyter.widget-view+json": view})
        return True
