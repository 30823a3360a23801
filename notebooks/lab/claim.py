"""Work on somebody's server without harming it: in one database, empty before and after."""

import contextlib
import os
import platform
from collections.abc import Iterator

import redis

from .clients import open_client
from .errors import LabError
from .info import name_of, version_of
from .owner import Owner
from .sweep import MARKER, clear

OWN = "or unset REDIS_URL, and the course starts a server of its own"
PATIENCE = 5  # seconds


class Claim:
    """The database of `given` (a redis-py URL), ours from now until `release`.

    It must be empty, or marked by us or by a kernel of this machine that is gone. Raises LabError,
    one sentence, if it is not, or if the server will not do; nothing has changed there then.
    """

    def __init__(self, given: str) -> None:
        self.url = given
        self._ours = os.getpid()
        self.owner = str(Owner.this_kernel())
        try:
            self._r = open_client(given, retries=0, socket_timeout=PATIENCE)
            self._r.connection_pool.make_connection()  # its words are checked here; nobody is called
        except (ValueError, TypeError) as problem:
            raise LabError(
                f"REDIS_URL cannot be read ({problem}): "
                "write it as redis://[:password@]host:port/database."
            ) from None
        where = self._r.connection_pool.connection_kwargs
        self._server = (
            where.get("path") or f"{where.get('host', 'localhost')}:{where.get('port', 6379)}"
        )
        self._place = f"Database {where.get('db', 0)} of {self._server}"
        with self._one_sentence():
            self._check_server()
        self.hold()

    def hold(self) -> None:
        """Make sure that the marker is ours, or put it there."""
        with self._one_sentence():
            owner = self._r.get(MARKER)
            if owner is None:
                self._mark_if_empty()
            elif owner != self.owner:
                self._succeed(owner)

    def release(self) -> None:
        """Leave the database as it was found: empty. Does nothing where it is not ours (any more)."""
        if os.getpid() != self._ours:  # a forked copy of the kernel
            return
        with contextlib.suppress(redis.RedisError, OSError):
            if self._r.get(MARKER) == self.owner:
                clear(self._r)
                self._r.unlink(MARKER)

    def _check_server(self) -> None:
        info = self._r.info()
        if version_of(info) < (6, 2):
            raise LabError(
                f"{self._server} is {name_of(info)}, and the course needs 6.2 or newer: name another, {OWN}."
            )
        if info.get("cluster_enabled"):
            raise LabError(
                f"{self._server} is a node of a cluster, and the course needs a server that stands alone: name another, {OWN}."
            )

    def _mark_if_empty(self) -> None:
        keys = self._r.dbsize()
        if keys == 0:
            with self._r.pipeline() as both:  # MULTI: nobody's key slips in between
                marked, keys = both.set(MARKER, self.owner, nx=True).dbsize().execute()
            if marked and keys == 1:
                return
            if marked:
                self._r.unlink(MARKER)
        raise LabError(
            f"{self._place} holds keys that are not the course's, and they stay as they are: take {self._another()}."
        )

    def _succeed(self, owner: str) -> None:
        """Take over from a kernel of this machine that is gone; leave everybody else alone."""
        other = Owner.read(owner)
        if other.host != platform.node():
            raise LabError(
                f"{self._place} is marked as in use by a kernel on {other.host or 'another machine'}: "
                f"take {self._another()}; if that kernel is gone, delete the key {MARKER}."
            )
        if other.runs():
            raise LabError(
                f"{self._place} is in use by another kernel, process {other.pid}: "
                f"take {self._another()}."
            )
        with self._r.pipeline() as change:
            change.watch(MARKER)
            if change.get(MARKER) != owner:
                raise redis.WatchError
            change.multi()
            change.set(MARKER, self.owner)
            change.execute()
        clear(self._r)

    def _another(self) -> str:
        """An empty database of the same server, as REDIS_URL is written (without the password)."""
        taken = self._r.info("keyspace")
        free = next((n for n in range(16) if f"db{n}" not in taken), None)
        if free is None:
            return f"an empty database on another server, {OWN}"
        where = self._r.connection_pool.connection_kwargs
        if "path" in where:
            return f"an empty one, REDIS_URL=unix://{where['path']}?db={free}, {OWN}"
        secret = ":…@" if where.get("password") else ""
        scheme = self.url.split(":")[0]
        return f"an empty one, REDIS_URL={scheme}://{secret}{self._server}/{free}, {OWN}"

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """Whatever redis-py raises, the reader sees what it means and what to do."""
        try:
            yield
        except redis.AuthenticationError:
            say = (
                f"{self._server} wants another password: write redis://:password@host:port/database"
            )
        except redis.exceptions.NoPermissionError as problem:
            say = f"{self._server} does not let this user work ({problem}): name another user"
        except redis.ReadOnlyError:
            say = f"{self._server} is a read-only replica: name its master"
        except redis.WatchError:
            say = f"{self._place} was taken by another kernel this moment: name another"
        except redis.BusyLoadingError:
            say = f"{self._server} is still loading its data: wait a moment"
        except (
            redis.ConnectionError,
            redis.TimeoutError,
            redis.exceptions.InvalidResponse,
            OSError,
        ) as problem:
            say = f"No Redis answers at {self._server}: start it"
            if "SSL" in str(problem):
                say = f"{self._server} and this kernel do not agree on TLS ({problem}): add ?ssl_ca_certs=/path/to/ca.pem, or write redis:// for a server without TLS"
        except redis.ResponseError as problem:
            say = f"{self._place} cannot be used ({problem}): name another"
        else:
            return
        raise LabError(f"{say}, {OWN}.") from None
