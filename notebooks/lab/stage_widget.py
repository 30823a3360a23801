"""The stage in JupyterLab: an anywidget that plays its jobs on the kernel's live server."""

from typing import Any

import anywidget
import traitlets

from .connect import client, server_name
from .scripts import lua
from .stage_module import module, style
from .stage_player import Player

SCRIPTS = {
    0: [],
    1: ["fixed_window"],
    2: ["fixed_window"],
    3: ["sliding_window_log", "fixed_window"],
    4: ["token_bucket"],
    5: ["seckill"],
    6: ["seckill_enqueue"],
    7: ["leaderboard_add"],
    8: ["seckill_enqueue", "sliding_window_ring"],
    9: ["seckill_enqueue"],
}

CLOCK = {0: "; what you write, the cells below see"}
CLOCK |= dict.fromkeys((1, 2, 3, 4, 8), "; 100 of its milliseconds are 1 on the axis")


class StageWidget(anywidget.AnyWidget):
    """One day's stage. The page sends {"id", "job"}, the answer is the player's with that id."""

    _esm = module()
    day = traitlets.Int().tag(sync=True)
    css = traitlets.Unicode().tag(sync=True)
    scripts = traitlets.Dict().tag(sync=True)
    server = traitlets.Unicode().tag(sync=True)

    def __init__(self, day: int) -> None:
        texts = {name: lua(name) for name in SCRIPTS[day]}
        told = f"{server_name()}, this notebook's own{CLOCK.get(day, '')}"
        super().__init__(day=day, css=style(), scripts=texts, server=told)
        self._player: Player | None = None
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: dict[str, Any], buffers: Any) -> None:
        if self._player is None:
            self._player = Player(client)
        self.send({"id": message["id"], **self._player.play(message["job"])})
