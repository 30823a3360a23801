"""redis-py clients with the course's habits: text in, text out, and retries only when asked for."""

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry


def open_client(url: str, *, retries: int | None = None, **kw) -> redis.Redis:
    """A client on `url`. `retries=0` sends each command at most once; None leaves redis-py's own.

    Other keywords go to redis-py as they are.
    """
    kw.setdefault("decode_responses", True)
    if retries is not None:
        kw["retry"] = Retry(NoBackoff(), retries)
    return redis.Redis.from_url(url, **kw)


def open_async_client(
    url: str, *, max_connections: int = 64, retries: int | None = None, **kw
) -> redis.asyncio.Redis:
    """The same for asyncio. The pool holds `max_connections` and makes the next caller wait."""
    kw.setdefault("decode_responses", True)
    if retries is not None:
        kw["retry"] = AsyncRetry(NoBackoff(), retries)
    kw.setdefault("timeout", 30)  # seconds that a caller waits for a free connection
    pool = redis.asyncio.BlockingConnectionPool.from_url(url, max_connections=max_connections, **kw)
    return redis.asyncio.Redis.from_pool(pool)
