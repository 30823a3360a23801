"""Clients that send a command once.

redis-py sends a command again, up to ten times, when the reply is lost. For a sale this is wrong:
the first sending may have run, and then the winner hears "already bought". The shop therefore
talks through clients with retries off, and after a lost reply asks how things stand.
"""

from __future__ import annotations

import re
from typing import Any

import redis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

LOST = (redis.ConnectionError, redis.TimeoutError)  # the command ran, or did not: nobody knows
# A server that is there and takes no writes now: disk full, busy with a script, too few replicas.
# The code stands in front; behind redis-py's words of a pipeline; or, on 6.2, behind the script's
# line and a dash, and then READONLY and OOM have no class of their own either.
NOT_NOW = re.compile("(?:^|error: |: -)(?:MISCONF|BUSY|NOREPLICAS|READONLY|OOM) ")
# Settings that redis-py adds to its own pools; a new pool makes them anew.
OF_THE_POOL = ("himport_registry", "maint_notifications", "orig_")


def connect(url: str, timeout_s: float = 5.0) -> redis.Redis:
    """A client on `url`: text in and out, no retries, at most `timeout_s` seconds for a reply.

    Raises ValueError, one sentence, for a URL that can never work; nobody is called yet.
    """
    try:
        client = redis.Redis.from_url(
            url,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
        )
        client.connection_pool.make_connection()  # it alone looks at the options behind the "?"
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"The URL of Redis cannot be read ({error}): "
            "write it as redis://[:password@]host:port/database."
        ) from None
    return client


def sentence(error: Exception) -> str:
    """What to tell whoever typed the command: what is wrong, and what to do about it."""
    if isinstance(error, redis.exceptions.ReadOnlyError):
        return "This Redis is a read-only replica: give --redis its primary (INFO replication names it)."
    if not_now(error):
        return f"Redis takes nothing at the moment ({error}): mend that and try again."
    return str(error)


def not_now(error: Exception) -> bool:
    """Whether Redis refuses for the moment, with an error that redis-py has no class for."""
    return isinstance(error, redis.ResponseError) and bool(NOT_NOW.search(str(error)))


def without_retries(client: Any) -> Any:
    """A client of the same server, class and settings that sends each command at most once.

    The given client keeps its retries. A cluster client has no single pool to copy: it comes back
    as it is, so make it with retries off.
    """
    pool = getattr(client, "connection_pool", None)
    if pool is None:
        return client
    settings = {
        name: value
        for name, value in pool.connection_kwargs.items()
        if not name.startswith(OF_THE_POOL)
    }
    is_async = isinstance(client, redis.asyncio.Redis)
    settings["retry"] = (AsyncRetry if is_async else Retry)(NoBackoff(), 0)
    settings["decode_responses"] = True
    own = type(pool)(
        connection_class=pool.connection_class, max_connections=pool.max_connections, **settings
    )
    return type(client)(connection_pool=own)


def home(client: Any, key: str) -> redis.Redis:
    """The plain client of the server that holds `key`: of a cluster's master, as it stands now.

    redis-py's cluster client makes no objects of the replies inside MULTI; this one does.
    """
    if not isinstance(client, redis.RedisCluster):
        return client
    client.exists(key)  # if the key has moved, the client learns where to
    return client.get_redis_connection(client.get_node_from_key(key))


def check(client: redis.Redis) -> None:
    """Raises SystemExit with one sentence when nobody answers."""
    try:
        client.ping()
    except redis.RedisError as error:
        raise SystemExit(
            f"Redis does not answer ({error}). Is --redis right, and is it up?"
        ) from None
