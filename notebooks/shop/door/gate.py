"""The gate: first the sale's limit, then the person's, and the headers that tell of both.

Headers after draft-ietf-httpapi-ratelimit-headers: RateLimit-Policy names each limit with its
quota q and window w, RateLimit what is left of it, r, and after a refusal the seconds t until more.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import redis

from shop import limits
from shop.connect import not_now
from shop.limits import Decision

from .settings import Settings

AWAY = (
    *(redis.ConnectionError, redis.TimeoutError, redis.exceptions.ReadOnlyError),
    *(redis.exceptions.OutOfMemoryError, redis.exceptions.TryAgainError),
    *(redis.exceptions.ClusterDownError, redis.exceptions.MasterDownError),
    redis.exceptions.NoScriptError,  # restarted between being given the script and asked to run it
)


class Policy(NamedTuple):
    """One limit: its name in the headers, the code of its refusal, and the limiter."""

    name: str
    refusal: str
    limit: int
    window_ms: int
    limiter: limits.Limiter

    @property
    def window_s(self) -> int:
        """The window in whole seconds, rounded up: headers know no smaller unit."""
        return ceil(self.window_ms / 1000)

    def seconds(self, decision: Decision) -> int:
        """Retry-After: rounded up, never 0. When waiting does not help, one window: a sign to slow down."""
        wait_s = self.window_s if decision.retry_after is None else decision.retry_after
        return max(1, ceil(wait_s))


class Verdict(NamedTuple):
    """What the gate says. `refused_by` is None when the press may go on."""

    refused_by: Policy | None
    headers: dict[str, str]
    retry_after: int = 0  # seconds
    closed: bool = False  # the limiters were away, and the gate does not open by itself


class Gate:
    """The limits of all sales and all people."""

    def __init__(self, client: Any, settings: Settings) -> None:
        self.client, self.settings = client, settings
        each = settings.per_user_limit, settings.per_user_window_ms
        of_sale = limits.make(settings.limiter, client, settings.limit, settings.window_ms)
        of_person = limits.SlidingWindowRing(client, *each)
        self.sale = Policy("sale", "too_many", settings.limit, settings.window_ms, of_sale)
        self.person = Policy("person", "too_often", *each, of_person)
        self.policies = [self.sale] + [self.person] * (settings.per_user_limit > 0)
        self._policy_header = ", ".join(
            f'"{p.name}";q={p.limit};w={p.window_s}' for p in self.policies
        )

    def key(self, policy: Policy, sku: str, user: str) -> str:
        """Where a policy counts: one key for each sale, one for each person."""
        if policy is self.sale:
            return f"limit:{{{sku}}}:{self.settings.limiter}"
        return f"limit:person:{{{user}}}"

    async def ask(self, sku: str, user: str) -> Verdict:
        """One press at the gate. Whom the sale refuses does not spend of the person's own."""
        headers, left = {"RateLimit-Policy": self._policy_header}, []
        for policy in self.policies:
            try:
                decision = await policy.limiter.hit(self.key(policy, sku, user))
            except redis.RedisError as error:
                if not isinstance(error, AWAY) and not not_now(error):
                    raise
                return Verdict(None, {}, closed=not self.settings.fail_open)
            item = f'"{policy.name}";r={decision.remaining}'
            if not decision.allowed:
                wait = policy.seconds(decision)
                headers["RateLimit"] = ", ".join([*left, f"{item};t={wait}"])
                headers["Retry-After"] = str(wait)
                return Verdict(policy, headers, wait)
            left.append(item)
        headers["RateLimit"] = ", ".join(left)
        return Verdict(None, headers)
