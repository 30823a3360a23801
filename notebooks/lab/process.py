"""One child process that cannot outlive us, in a folder that goes with it."""

import os
import random
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from .errors import LabError

# The watchdog reads from a pipe whose other end only this Python holds. When Python goes, SIGKILL
# included, the pipe ends; then the watchdog kills the last process that it was told of.
WATCHDOG = """
while read -r line; do child=$line; done
kill -KILL "$child" 2>/dev/null
rm -rf -- "$1"
"""
# The child tells the watchdog its number before it becomes the program, so no moment is unguarded.
LAUNCH = 'echo $$; log=$1; shift; exec "$@" >>"$log" 2>&1'
NOBODY = "nobody"  # told to the watchdog when the child is gone: its number may be reused
LONGEST_SOCKET = 103 if sys.platform == "darwin" else 107  # bytes in a unix socket's path


def make_folder() -> Path:
    """A private folder with room for a socket's name: in TMPDIR, or in /tmp if that is too long."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="rush-"))
        if len(os.fsencode(folder / "socket")) > LONGEST_SOCKET:
            folder.rmdir()
            folder = Path(tempfile.mkdtemp(prefix="rush-", dir="/tmp"))
    except OSError:
        raise LabError(
            "No folder for temporary files can be written: "
            "free some space, or set TMPDIR to one that can."
        ) from None
    return folder


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody holds now, nor the one 10,000 above (the cluster bus).

    Both lie below 32,768, where systems begin to number outgoing connections: so nobody takes the
    port by accident while its server is down.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 22_000)
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            return port


class Guarded:
    """A guarded child. It has a session of its own, so Ctrl-C at the kernel does not reach it."""

    def __init__(self) -> None:
        self.folder = make_folder()
        self.log = self.folder / "log"
        self.child: subprocess.Popen | None = None
        self._ours = os.getpid()
        self._watchdog = subprocess.Popen(
            ["/bin/sh", "-c", WATCHDOG, "rush", self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # A forked copy of Python must not hold the pipe open.
        os.register_at_fork(after_in_child=self._watchdog.stdin.close)

    def run(self, argv: list[str]) -> None:
        """Start a program; the watchdog knows it from its first moment."""
        if self._watchdog.stdin.closed:
            raise LabError("This server was stopped, and its folder is gone: start a new one.")
        self.child = subprocess.Popen(
            ["/bin/sh", "-c", LAUNCH, "rush", self.log, *argv],
            stdin=subprocess.DEVNULL,
            stdout=self._watchdog.stdin,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def alive(self) -> bool:
        """Whether the child runs. A forked copy of Python cannot know, and leaves it to us."""
        if os.getpid() != self._ours:
            return True
        return self.child is not None and self.child.poll() is None

    def signal(self, number: int) -> None:
        """Send the child a signal, if it is ours and alive."""
        if self.alive and os.getpid() == self._ours:
            self.child.send_signal(number)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the child's end; raises subprocess.TimeoutExpired after `seconds`."""
        if self.child is not None:
            self.child.wait(seconds)
        if not self._watchdog.stdin.closed:
            self._watchdog.stdin.write(f"{NOBODY}\n".encode())
            self._watchdog.stdin.flush()

    def last_words(self) -> str:
        """The last line of the child's log, without its date."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1].split(" # ")[-1].split(" * ")[-1].strip() if lines else "it said nothing"

    def close(self) -> None:
        """End the child and the watchdog, and remove the folder. In a forked copy: nothing."""
        if os.getpid() != self._ours or self._watchdog.stdin.closed:
            return
        if self.alive:
            self.child.kill()
        if self.child is not None:
            self.child.wait()
        self._watchdog.stdin.close()
        self._watchdog.wait()  # it removes the folder
