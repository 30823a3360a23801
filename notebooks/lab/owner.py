"""Who works in a database: a kernel, told apart from every other one, dead or alive."""

import os
import platform
from typing import NamedTuple

SAME_START = 60  # seconds; when a system's clock is set, start times seem to move with it


class Owner(NamedTuple):
    """One process on one machine. `start` (seconds since 1970) tells a reused number apart."""

    host: str
    pid: str
    start: str

    def __str__(self) -> str:
        return ":".join(self)

    @classmethod
    def this_kernel(cls) -> "Owner":
        import psutil

        began = psutil.Process().create_time()
        return cls(platform.node(), str(os.getpid()), f"{began:.0f}")

    @classmethod
    def read(cls, text: str) -> "Owner":
        """From a marker; what is missing is empty, and then nobody runs."""
        return cls(*([""] * 3 + text.rsplit(":", 2))[-3:])

    def runs(self) -> bool:
        """Whether that very process still runs on this machine."""
        import psutil

        try:
            process = psutil.Process(int(self.pid))
            same = abs(process.create_time() - float(self.start)) < SAME_START
            return same and process.status() != psutil.STATUS_ZOMBIE
        except (psutil.NoSuchProcess, ValueError):
            return False
        except psutil.AccessDenied:
            return True
