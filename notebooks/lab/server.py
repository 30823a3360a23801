"""A Redis (or Valkey) of our own: private, empty, ready in an instant, gone when we go."""

import atexit
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import redis

from .binary import find_binary
from .clients import open_client
from .errors import LabError
from .info import name_of
from .process import Guarded, free_port

START_WITHIN = 10  # seconds; usual are 0.02, a machine that is very busy may need more
STOP_WITHIN = 5  # seconds to write what is not yet on disk


class Server:
    """A private server on a unix socket (mode 700), or on 127.0.0.1 with `tcp=True` or a `port`.

    `options` are further words of the server's command line, `directory` is where it keeps its
    data (made anew and removed unless given). Nothing is saved unless the options say so.
    Raises LabError if the server cannot be found or started.
    """

    def __init__(
        self,
        binary: str | os.PathLike | None = None,
        *,
        tcp: bool = False,
        port: int | None = None,
        options: Sequence[str] = (),
        directory: str | os.PathLike | None = None,
    ) -> None:
        self.binary = find_binary(binary).path
        self.options = tuple(map(str, options))
        self._wanted = port
        self._process = Guarded()
        self._kept = directory is not None
        self.directory = Path(directory).resolve() if self._kept else self._process.folder
        self._socket = None if tcp or port else self._process.folder / "socket"
        self.port = port or 0
        atexit.register(self.stop)
        try:
            self._start_on_a_free_port()
        except BaseException:  # Ctrl-C included
            self.stop()
            raise

    @property
    def url(self) -> str:
        """Where clients connect."""
        if self._socket:
            return f"unix://{quote(str(self._socket))}"
        return f"redis://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._process.child.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs (a paused one does)."""
        return self._process.alive

    def __repr__(self) -> str:
        return f"<{self.name} at {self.url}{'' if self.alive else ', not running'}>"

    def client(self, **kw) -> redis.Redis:
        """A client; `retries=0` turns redis-py's retries off."""
        return open_client(self.url, **kw)

    def pause(self) -> None:
        """Freeze the process (SIGSTOP): to its clients it looks like a cut cable."""
        self._process.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused process go on."""
        self._process.signal(signal.SIGCONT)

    def kill(self) -> None:
        """Pull the plug (SIGKILL). Returns when the process is gone."""
        self._process.signal(signal.SIGKILL)
        self._process.wait()

    def restart(self) -> None:
        """Start again, same folder, address and options: what was saved comes back."""
        self._end()
        self._start()

    def stop(self) -> None:
        """End the process and remove its folder. More than once does no harm."""
        atexit.unregister(self.stop)
        if self._kept:
            self._end()
        self._process.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def _end(self) -> None:
        """Ask the process to end, so that it writes what is pending; insist if it does not."""
        self._process.signal(signal.SIGTERM)
        self._process.signal(signal.SIGCONT)
        try:
            self._process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self.kill()

    def _start_on_a_free_port(self) -> None:
        if self._socket or self._wanted:
            return self._start()
        for _ in range(4):  # a port may go between our look and the server's
            self.port = free_port()
            with contextlib.suppress(PortTaken):
                return self._start()
        self.port = free_port()
        return self._start()

    def _start(self) -> None:
        if self._kept:  # the other one is there, or was removed with everything in it
            self.directory.mkdir(parents=True, exist_ok=True)
        where = ["--unixsocket", str(self._socket), "--unixsocketperm", "700"]
        self._process.run(
            [self.binary, "--port", str(self.port), "--bind", "127.0.0.1"]
            + (where if self._socket else [])
            + ["--save", "", "--appendonly", "no", "--daemonize", "no"]
            + ["--dir", str(self.directory), *self.options]
        )
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        """Until INFO names our own process: somebody else's server on our port will not do."""
        deadline = time.monotonic() + START_WITHIN
        with self.client(retries=0, socket_timeout=0.5) as r:
            while time.monotonic() < deadline and self.alive:
                try:
                    info = r.info("server")
                    if info["process_id"] == self.pid:
                        self.name = name_of(info)
                        return
                except (redis.ConnectionError, redis.TimeoutError):  # not yet, or still loading
                    pass
                time.sleep(0.002)
        words = self._process.last_words()
        if "listen" in words.lower() and not self._socket:
            raise PortTaken(f"Port {self.port} is taken: choose another, or leave the port out.")
        how = "did not start" if self.alive is False else f"did not answer in {START_WITHIN} s"
        raise LabError(f"{self.binary} {how}. Its last words: {words}")


class PortTaken(LabError):
    """Somebody else listens on this port."""
