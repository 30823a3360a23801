"""The crowd over HTTP, in three scenes.

    cd notebooks && locust -f shop/locustfile.py LimitedDoor --host http://127.0.0.1:8000

LimitedDoor   each of 200 people presses once a second, five times (the door at LIMIT=100)
FiftyBuyers   50 people press 5,000 times in all (the door at PER_USER_LIMIT=0 and a LIMIT above)
OpeningNight  200 polite people who come back until they hear yes or sold out

With --headless the run ends by itself when the scene is over; -u says how many people. SKU (2001)
and STOCK (100) in the environment name the sale, which the first person opens; PRESSES and SPREAD_S
change the scenes. COUNTS names a file for the statuses, as JSON.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter

import gevent
from locust import FastHttpUser, constant_pacing, events, task
from locust.exception import StopUser

from shop.polite import Patience, told_s

SKU = os.environ.get("SKU", "2001")
STOCK = int(os.environ.get("STOCK", "100"))
ROUNDS = 5
PRESSES = int(os.environ.get("PRESSES", "5000"))  # of FiftyBuyers, all together
SPREAD_S = float(os.environ.get("SPREAD_S", "2"))  # of OpeningNight: as long as the queue lasts
PATIENCE = 100  # tries of one person on opening night

counts: Counter[int] = Counter()  # answers to presses by status; 0 is no answer
presses = itertools.count(1)
living: set[object] = set()
arrived = 0  # people so far; it makes their names


@events.test_start.add_listener
def begin(**_kw) -> None:
    """A run of its own, also when the web page starts a second one."""
    global arrived, presses
    counts.clear()
    living.clear()
    arrived, presses = 0, itertools.count(1)


@events.quitting.add_listener
def tell(**_kw) -> None:
    """Write the counts where they are wanted."""
    if path := os.environ.get("COUNTS"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(sorted(counts.items())), file)


class Person(FastHttpUser):
    """Somebody with a name, who leaves when there is nothing more to press for."""

    abstract = True
    network_timeout = connection_timeout = 30.0

    def on_start(self) -> None:
        global arrived
        arrived += 1
        living.add(self)
        self.name = f"u{arrived}"
        self.client.put(f"/sales/{SKU}", json={"stock": STOCK}, name="open the sale")

    def press(self) -> tuple[int, float | None]:
        """One press; its status, and the seconds of Retry-After. A refusal is no failure."""
        path = f"/sales/{SKU}/orders?user={self.name}"
        with self.client.post(path, name="press", catch_response=True) as answer:
            status = answer.status_code
            counts[status] += 1
            if status in (202, 409, 410, 429):
                answer.success()
            else:
                answer.failure(f"status {status}")
            headers = answer.headers or {}
        return status, told_s(headers.get("retry-after"))

    def leave(self) -> None:
        """Go; the last one turns off the light."""
        living.discard(self)
        runner = self.environment.runner
        if not living and arrived >= runner.target_user_count:
            gevent.spawn(runner.quit if self.environment.web_ui is None else runner.stop)
        raise StopUser


class LimitedDoor(Person):
    """One press a second, five times."""

    wait_time = constant_pacing(1)

    def on_start(self) -> None:
        super().on_start()
        self.left = ROUNDS

    @task
    def once_a_second(self) -> None:
        if not self.left:
            self.leave()
        self.left -= 1
        self.press()


class FiftyBuyers(Person):
    """As fast as the door answers, until all presses are made."""

    @task
    def at_once(self) -> None:
        if next(presses) > PRESSES:
            self.leave()
        self.press()


class OpeningNight(Person):
    """Everybody at noon; whoever is refused waits as told, and a little more."""

    def on_start(self) -> None:
        super().on_start()
        self.patience, self.tries = Patience(spread_s=SPREAD_S), 0

    @task
    def press_and_wait(self) -> None:
        status, told = self.press()
        self.tries += 1
        if status in (202, 404, 409, 410, 422) or self.tries == PATIENCE:
            self.leave()
        gevent.sleep(self.patience.wait_s(self.tries, told))
