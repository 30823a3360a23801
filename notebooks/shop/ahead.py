"""Asking Redis now and hearing it later: it answers while the database writes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import redis


class Ahead:
    """Commands on a connection of their own; their replies are read when they are wanted."""

    def __init__(self, client: redis.Redis) -> None:
        self._pool = client.connection_pool
        self._connection: redis.Connection | None = None
        self._waiting = 0  # replies that are still to come

    @classmethod
    def of(cls, client: redis.Redis | redis.RedisCluster) -> Ahead | None:
        """None where there is no second connection to have, or, as in a cluster, no one place for it."""
        pool = getattr(client, "connection_pool", None)
        return cls(client) if pool is not None and pool.max_connections > 1 else None

    def __bool__(self) -> bool:
        """Whether something has been asked that was not heard yet."""
        return self._waiting > 0

    def ask(self, *words: Any) -> None:
        """Send one command and do not wait. Raises redis.ConnectionError when Redis is away."""
        if self._connection is None:
            self._connection = self._pool.get_connection()
        self._connection.send_command(*words, check_health=False)
        self._waiting += 1

    def hear(self) -> list[Any]:
        """The raw replies to all that was asked, in its order. Raises the first error among them."""
        replies = []
        while self._waiting:
            try:
                replies.append(self._connection.read_response())
            except redis.ResponseError as error:
                replies.append(error)
            except redis.RedisError:  # away: nothing more will come
                self._waiting = 0
                raise
            self._waiting -= 1
        if errors := [reply for reply in replies if isinstance(reply, redis.ResponseError)]:
            raise errors[0]
        return replies

    def give_up(self) -> None:
        """Forget what was asked, but not before Redis has done it, if it can be heard at all."""
        with suppress(redis.RedisError):
            self.hear()
        if self._connection is not None:
            self._connection.disconnect()
            self._pool.release(self._connection)
            self._connection = None
