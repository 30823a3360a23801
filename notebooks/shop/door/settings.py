"""What the door is told by its environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import exc, make_url

from shop import days, limits
from shop.connect import connect


@dataclass(frozen=True)
class Settings:
    """One field for each variable, its name in small letters. Times in milliseconds unless named."""

    redis_url: str = "redis://127.0.0.1:6379"
    limiter_redis_url: str = ""  # "" is the same server
    database_url: str = "sqlite:///shop.db"
    limit: int = 100
    window_ms: int = 1000
    limiter: str = "sliding_window_log"
    per_user_limit: int = 10  # presses in PER_USER_WINDOW_MS; 0 turns it off
    per_user_window_ms: int = 60_000
    zone: str = "UTC"  # whose days the boards follow
    fail_open: bool = False  # let presses in while the limiters are away; never opens the stock
    redis_timeout_ms: int = 500  # longest wait for one reply

    def __post_init__(self) -> None:
        if self.limiter not in limits.NAMES:
            raise ValueError(f"LIMITER is {self.limiter!r}: one of {', '.join(limits.NAMES)}.")
        days.zone_named(self.zone)
        self._can_connect()
        least = {"limit": 0, "window_ms": 1, "per_user_limit": 0, "per_user_window_ms": 1}
        for name, smallest in (least | {"redis_timeout_ms": 1}).items():
            if not smallest <= getattr(self, name) <= limits.MOST:
                given = getattr(self, name)
                raise ValueError(f"{name.upper()} is {given}: it goes from {smallest} to 2^52.")

    def _can_connect(self) -> None:
        """Whether the URLs make sense and their drivers are here; nobody is asked yet."""
        for name in ("redis_url", "limiter_redis_url"):
            try:
                if url := getattr(self, name):
                    connect(url)
            except ValueError as error:
                raise ValueError(f"{name.upper()}: {error}") from None
        try:
            make_url(self.database_url).get_dialect().import_dbapi()
        except (exc.ArgumentError, ValueError):
            raise ValueError("DATABASE_URL is no database URL; sqlite:///shop.db is one.") from None
        except ImportError as error:
            raise ValueError(
                f"DATABASE_URL needs {error.name}, which is not installed: write mysql+pymysql:// or "
                "postgresql+psycopg://, and pip install PyMySQL or psycopg[binary]."
            ) from None

    @property
    def limiters_url(self) -> str:
        """Where the limiters count."""
        return self.limiter_redis_url or self.redis_url

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """From variables such as REDIS_URL or FAIL_OPEN; what is not set keeps its default.

        Raises ValueError that names the variable.
        """
        given = {}
        for name, default in vars(cls()).items():
            text = environ.get(name.upper(), "").strip()
            if text:
                given[name] = _read(name.upper(), text, type(default))
        return cls(**given)


def _read(name: str, text: str, kind: type) -> str | int | bool:
    if kind is bool:
        if text.lower() not in ("0", "1", "no", "yes", "false", "true"):
            raise ValueError(f"{name} is {text!r}: say 1 or 0.")
        return text.lower() in ("1", "yes", "true")
    if kind is int and not re.fullmatch("-?[0-9]+", text):
        raise ValueError(f"{name} is {text!r}: it must be a whole number.")
    return kind(text)
