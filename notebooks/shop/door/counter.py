"""The counter: where a press that passed the gate buys, without leaving the event loop."""

from __future__ import annotations

from typing import Any

from shop.connect import LOST
from shop.keys import Keys
from shop.lua import register
from shop.sale import BOUGHT, NOT_ON_SALE, Bought


class Counter:
    """Sells through an asyncio client with retries off."""

    def __init__(self, client: Any) -> None:
        self.redis = client
        self._enqueue = register(client, "seckill_enqueue")
        self._known: dict[str, None] = {}  # sales met here, in that order

    @property
    def sales(self) -> list[str]:
        """The sales that this process has met, the newest last."""
        return list(self._known)

    async def on_sale(self, sku: str) -> bool:
        """Whether a sale of `sku` was opened. One trip to Redis, until the answer is yes."""
        if sku not in self._known and await self.redis.exists(Keys.of(sku).initial):
            self._known[sku] = None
        return sku in self._known

    async def buy(self, sku: str, user: str) -> Bought:
        """One press, as shop.sale.Sale.buy does it.

        When the reply is lost, the buyers are asked. Raises redis.ConnectionError or TimeoutError
        when it stays open whether the press was heard.
        """
        keys = Keys.of(sku)
        try:
            bought = Bought(*await self._enqueue(keys=keys[:3], args=[user, sku]))
        except LOST:
            if await self.redis.sismember(keys.users, user):
                return Bought(BOUGHT, "")
            raise
        if bought.code == NOT_ON_SALE:
            self._known.pop(sku, None)
        return bought
