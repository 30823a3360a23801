"""What every limiter promises alike. Each function holds one promise against one script."""

import asyncio

import pytest
from lab.clients import open_async_client
from lab.scripts import lua as script_text
from redis.exceptions import ResponseError
from timelines import KEY, NOON_MS, Press, arguments, play

EXACT = 2**52  # the largest number that the scripts take: the sum of two is exact too
NOT_WHOLE = (
    "",
    " ",
    "x",
    "-1",
    "-0",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    " 1",
    "1 ",
    "nan",
    "inf",
    EXACT + 1,
)


def teller(r, script):
    """press(*arguments): one press of a story that has its own clock, so the real one never ends it."""

    def press(*args):
        reply = script([KEY], args)
        r.persist(KEY)
        return reply

    return press


def follows(r, name, rule, model, timeline):
    """The script gives the model's replies; refusals change nothing; no state outlives its use."""
    before = None
    for press, seen in zip(timeline, play(r, name, rule, timeline), strict=True):
        assert seen.reply == model.press(*press), press
        if seen.reply[0]:
            matters_ms = model.forgotten_ms() - press.now_ms
            # The second on top is the slack: shorter only if the server lost it in between.
            assert matters_ms < seen.pttl_ms <= matters_ms + 1_000, press
        else:
            assert seen.dump == before, f"{press} was refused and changed the key"
        before = seen.dump


def waits_truly(r, name, rule, timeline, cost=1):
    """The last press is refused; one millisecond before its wait is over still, then no more."""
    *earlier, last = timeline
    press = last._replace(cost=cost)
    wait_ms = play(r, name, rule, [*earlier, press])[-1].reply[2]
    assert wait_ms > 0
    for wait, verdict in ((wait_ms - 1, 0), (wait_ms, 1)):
        later = press._replace(now_ms=press.now_ms + wait)
        assert play(r, name, rule, [*earlier, later])[-1].reply[0] == verdict
    return wait_ms


def remaining_is_exact(r, name, rule, timeline):
    """As many single presses as the reply says are let in at that instant, and not one more."""
    remaining = play(r, name, rule, timeline)[-1].reply[1]
    more = [Press(timeline[-1].now_ms)] * (remaining + 1)
    seen = play(r, name, rule, timeline + more)[len(timeline) :]
    assert [s.reply[0] for s in seen] == [1] * remaining + [0]
    return remaining


def crowd_gets_exactly(url, name, rule, limit, presses=500, at_once=50):
    """`presses` presses over 50 connections at one instant: exactly `limit` are let in."""

    async def run():
        client = open_async_client(url, max_connections=at_once)
        door = asyncio.Semaphore(at_once)

        async def press(number):
            async with door:
                args = arguments(name, rule, Press(NOON_MS), f"p{number}")
                return await client.eval(script_text(name), 1, KEY, *args)

        try:
            return await asyncio.gather(*(press(number) for number in range(presses)))
        finally:
            await client.aclose()

    replies = asyncio.run(run())
    assert sum(reply[0] for reply in replies) == limit
    assert sorted(reply[1] for reply in replies if reply[0]) == list(range(limit))


def refuses_bad_input(r, call, names, good, least):
    """Each argument in turn is bad: the error names it, and neither key nor content changes.

    `good` is a full list of good arguments, `least` the smallest legal value by name; an
    argument that is not in it may be any text.
    """
    call([KEY], good)
    before = r.dump(KEY)
    for place, name in enumerate(names):
        bad = [*NOT_WHOLE, *(["0"] if least.get(name) == 1 else [])] if name in least else [""]
        for value in bad:
            args = [*good[:place], value, *good[place + 1 :]]
            for key in (KEY, "limit:{2001}:new"):
                with pytest.raises(ResponseError, match=rf"\b{name}\b"):
                    call([key], args)
    assert r.dump(KEY) == before
    assert r.keys() == [KEY]


def needs(r, call, names, good):
    """With a needed argument left out the error names the first one that is missing."""
    for count, name in enumerate(names):
        with pytest.raises(ResponseError, match=rf"\b{name}\b"):
            call([KEY], good[:count])
    assert r.keys() == []


def refuses_wrong_type(r, call, args, key_name, right_type):
    """A key of another type: the error names the key's part in the script; nothing changed."""
    make = {
        "string": lambda: r.set(KEY, "7"),
        "list": lambda: r.rpush(KEY, "1"),
        "set": lambda: r.sadd(KEY, "1"),
        "zset": lambda: r.zadd(KEY, {"1": 1}),
        "hash": lambda: r.hset(KEY, "1", "1"),
        "stream": lambda: r.xadd(KEY, {"1": "1"}, id="1-1"),
    }
    for kind in make.keys() - {right_type}:
        r.delete(KEY)
        make[kind]()
        before = r.dump(KEY)
        with pytest.raises(ResponseError, match=rf"WRONGTYPE.*\b{key_name} must be a"):
            call([KEY], args)
        assert (r.dump(KEY), r.pttl(KEY)) == (before, -1)


def refuses_torn_state(r, call, args, key_name, states):
    """A string that this script never wrote: the error names the key, nothing changed."""
    for state in states:
        r.set(KEY, state)
        with pytest.raises(ResponseError, match=rf"\b{key_name}\b"):
            call([KEY], args)
        assert (r.get(KEY), r.pttl(KEY)) == (state, -1)
