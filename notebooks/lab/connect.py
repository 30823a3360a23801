"""The lesson's door to Redis: one private server for this kernel, or the one REDIS_URL names."""

import atexit
import os
import sys
import threading

import redis
import redis.asyncio

from .clients import open_async_client, open_client
from .errors import LabError
from .info import name_of
from .sweep import clear

PAGE = "redis://page"  # the page's own Redis; its runner answers every redis-py connection

_lock = threading.Lock()
_server = None  # the private Server, once started
_claim = None  # the Claim on somebody's server, if REDIS_URL names one


def in_page() -> bool:
    """Whether this Python runs in the browser, on the page's own Redis."""
    return sys.platform == "emscripten"


def url() -> str:
    """Where this kernel's Redis listens. The first call finds or starts it.

    Raises LabError, one sentence that says what to do, if there is none.
    """
    global _server, _claim
    if in_page():
        return PAGE
    with _lock:
        if _claim is not None:
            return _claim.url
        if _server is not None:
            if not _server.alive:
                _server.restart()
            return _server.url
        given = os.environ.get("REDIS_URL")
        if given:
            from .claim import Claim

            _claim = Claim(given)
            atexit.register(_claim.release)
            return _claim.url
        from .server import Server

        _server = Server()
        return _server.url


def client(**kw) -> redis.Redis:
    """Another client of this kernel's Redis; `retries=0` turns redis-py's retries off."""
    return open_client(url(), **kw)


def async_client(max_connections: int = 64, **kw) -> redis.asyncio.Redis:
    """A client for asyncio, with at most `max_connections` at once; who comes next waits."""
    return open_async_client(url(), max_connections=max_connections, **kw)


def connect(**kw) -> redis.Redis:
    """Begin a lesson: an empty shop and a client to it."""
    r = client(**kw)
    reset()
    print(f"{server_name()} is listening. The shop is empty.")
    return r


def reset() -> None:
    """Start the day again: every key of the course goes, and nobody else's."""
    url()
    if _claim is not None:
        _claim.hold()  # nothing is cleared in a database that is not marked as ours
    with client() as r:
        clear(r)


def private_server(*, tcp=False, port=None, directory=None, binary=None, **options):
    """A server of this lesson's own, to pause, kill and restart. Options as Redis names them:

    `lab.private_server(appendonly="yes", appendfsync="always")`. An underscore stands for a
    hyphen, True and False for yes and no, a tuple for several words.
    """
    _need_more_than_the_page()
    from .server import Server

    words = []
    for name, value in options.items():
        words.append("--" + name.replace("_", "-"))
        words += map(_word, value if isinstance(value, tuple | list) else [value])
    return Server(binary, tcp=tcp, port=port, directory=directory, options=words)


def cluster(masters: int = 3, replicas: int = 0, node_timeout_ms: int = 2_000):
    """A real cluster of this lesson's own, ready to use: `with lab.cluster() as c: r = c.client()`.

    A node that is silent for `node_timeout_ms` is taken for dead by the others.
    """
    _need_more_than_the_page()
    from .cluster import Cluster

    return Cluster(masters, replicas, node_timeout_ms)


def _need_more_than_the_page() -> None:
    if in_page():
        raise LabError("The page has one server only: run this lesson in JupyterLab to have more.")


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def is_private() -> bool:
    """Whether nobody else uses this server: only then may a lesson touch what all its users share.

    (SCRIPT FLUSH, CONFIG, DEBUG, pausing.)
    """
    url()
    return _claim is None


def server_name() -> str:
    """ "Redis 7.0.15" or "Valkey 9.1.2"."""
    with client() as r:
        return name_of(r.info("server"))
