"""The page's Redis is Redis: same answers, a clock that can be moved, and the limits of a page."""

import hashlib
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from engine_node import ask
from page_host import BUILD, ROOT, engine, hosting
from website import chromium

pytestmark = pytest.mark.once
ENGINE = ROOT / "page" / "engine"
DEEP = os.environ.get("RUSH_DEEP") == "1"
LIMITERS = {  # script: arguments of a call at `now`, in the order of its header
    "sliding_window_log": lambda now, i: [5, 1_000, f"p{i}", 1, now],
    "sliding_window_ring": lambda now, i: [5, 1_000, 1, now],
    "sliding_window_counter": lambda now, i: [5, 1_000, 1, now],
    "token_bucket": lambda now, i: [5, 3, 1_000, 1, now],
    "gcra": lambda now, i: [5, 3, 1_000, 1, now],
}


# ── Answers ──


@pytest.mark.parametrize("name", LIMITERS)
def test_a_limiter_answers_in_the_page_as_on_this_computer(name, lua):
    draw = random.Random(name)
    now, calls = 1_785_000_000_000, []
    for i in range(200):
        now += draw.choice((0, 1, 40, 170, 333, 1_000))
        calls.append(LIMITERS[name](now, i))
    source = (ROOT / "lua" / f"{name}.lua").read_text(encoding="utf-8")
    page = ask(
        """
        const redis = await Redis.start(), sha = redis.load(given.source);
        return given.calls.map((args) => redis.evalsha(sha, ['limit:{2001}'], args));
        """,
        {"source": source, "calls": calls},
    )
    computer = lua(name)
    assert page == [computer(["limit:{2001}"], args) for args in calls]
    assert {reply[0] for reply in page} == {0, 1}


def test_the_sale_sells_its_stock_and_not_one_more():
    source = (ROOT / "lua" / "seckill.lua").read_text(encoding="utf-8")
    sold, left, buyers = ask(
        """
        const redis = await Redis.start(), sha = redis.load(given);
        redis.command('SET', 'seckill:stock:{2001}', 100);
        const keys = ['seckill:stock:{2001}', 'seckill:users:{2001}'];
        const codes = Array.from({ length: 1000 }, (_, user) => redis.evalsha(sha, keys, [user]));
        return [codes.filter((code) => code === 1).length, redis.command('GET', keys[0]), redis.command('SCARD', keys[1])];
        """,
        source,
    )
    assert (sold, left, buyers) == (100, "0", 100)


def test_numbers_are_as_wide_as_on_a_server_of_64_bits():
    formatted, added, big = ask(
        """
        const redis = await Redis.start();
        return [
          redis.command('EVAL', "return string.format('%d', 1785000000123)", 0),
          redis.command('INCRBYFLOAT', 'f', '3.1'),
          redis.command('INCRBY', 'n', '9007199254740991'),
        ];
        """
    )
    assert (formatted, added, big) == ("1785000000123", "3.1", 2**53 - 1)


def test_text_of_any_language_and_any_size_comes_back_whole():
    got, length = ask(
        """
        const redis = await Redis.start();
        redis.command('SET', 'word', given);
        redis.command('SET', 'long', 'x'.repeat(3_000_000));
        return [redis.command('GET', 'word'), redis.command('GET', 'long').length];
        """,
        "快閃搶購 – Öl €5 🎟",
    )
    assert (got, length) == ("快閃搶購 – Öl €5 🎟", 3_000_000)


def test_an_error_reply_is_thrown_with_its_code_or_returned_when_asked():
    thrown, returned, inside = ask(
        """
        const redis = await Redis.start();
        redis.command('SET', 'word', 'five');
        let thrown;
        try { redis.command('LPUSH', 'word', 1); } catch (error) { thrown = [error instanceof ReplyError, error.code]; }
        const returned = redis.ask('NOSUCH').message;
        redis.command('MULTI'); redis.command('INCR', 'word');
        return [thrown, returned, redis.command('EXEC')[0].message];
        """
    )
    assert thrown == [True, "WRONGTYPE"]
    assert returned.startswith("ERR unknown command 'NOSUCH'")
    assert inside == "ERR value is not an integer or out of range"


def test_half_a_reply_is_no_reply_yet():
    parts = ask(
        r"""
        const whole = bytes('*2\r\n$5\r\nhello\r\n:7\r\n');
        return Array.from(whole, (_, i) => decode(whole.slice(0, i + 1))?.value ?? null);
        """
    )
    assert parts[-1] == ["hello", 7]
    assert set(map(str, parts[:-1])) == {"None"}


# ── The clock ──


def test_a_held_clock_stands_still_and_moves_only_when_told():
    stood, lives = ask(
        """
        const clock = new Clock(), redis = await Redis.start({ clock });
        clock.hold(Date.UTC(2027, 0, 1));
        const stood = [redis.command('TIME'), redis.command('TIME')];
        redis.command('SET', 'window', 1, 'PX', 1000);
        const lives = [0, 999, 1, 1].map((ms) => { clock.advance(ms); return redis.command('PTTL', 'window'); });
        return [stood, lives];
        """
    )
    assert stood == [["1798761600", "0"]] * 2
    assert lives == [1000, 1, 0, -2]


def test_a_running_clock_never_shows_the_same_microsecond_twice():
    times = ask(
        """
        const coarse = new Clock(() => 5, 1e12), redis = await Redis.start({ clock: coarse });
        return Array.from({ length: 1000 }, () => redis.command('TIME').map(Number));
        """
    )
    us = [seconds * 1_000_000 + micro for seconds, micro in times]
    assert all(later > earlier for earlier, later in zip(us, us[1:], strict=False))


def test_a_clock_goes_on_from_where_it_was_held_and_refuses_to_go_back():
    before, after, refused = ask(
        """
        let ms = 0;
        const clock = new Clock(() => ms, 1e12), redis = await Redis.start({ clock });
        clock.hold(2e12); ms += 50; const before = clock.nowMs();
        clock.release(); ms += 7; const after = clock.nowMs();
        redis.command('TIME');
        const refused = [() => clock.hold(1e12), () => clock.advance(-1)].map((wrong) => {
          try { wrong(); return 'done'; } catch (error) { return error.name; }
        });
        return [before, after, refused];
        """
    )
    assert (before, after) == (2e12, 2e12 + 7)
    assert refused == ["RangeError", "RangeError"]


def test_an_endless_script_is_killed_and_the_next_command_answered():
    told, ping = ask(
        """
        let ms = 0;
        const racing = new Clock(() => ms++, 1e12); // each look a millisecond later: no real waiting
        const redis = await Redis.start({ clock: racing });
        return [redis.ask('EVAL', 'while true do end', 0).message, redis.command('PING')];
        """
    )
    assert told.startswith("ERR Script killed by user with SCRIPT KILL")
    assert ping == "PONG"


# ── Wires ──


def test_a_blocked_client_is_served_by_another_or_by_the_clock():
    quiet, served, timed_out = ask(
        r"""
        const clock = new Clock(), redis = await Redis.start({ clock }), wire = redis.connect();
        clock.hold();
        redis.feed(wire, encode(['BLPOP', 'orders', 5]));
        const quiet = redis.ready(wire);
        redis.command('LPUSH', 'orders', 'first');
        const served = decode(redis.take(wire)).value;
        redis.feed(wire, encode(['BLPOP', 'orders', 5]));
        clock.advance(4999); redis.tick(); const still = redis.ready(wire);
        clock.advance(200); redis.tick();
        return [quiet, served, [still, text(redis.take(wire))]];
        """
    )
    assert quiet == 0
    assert served == ["orders", "first"]
    assert timed_out == [0, "*-1\r\n"]


def test_a_command_that_waits_gives_nothing_and_the_next_one_its_own_reply():
    assert ask(
        """
        const redis = await Redis.start();
        return [redis.ask('BLPOP', 'empty', 0) === undefined, redis.command('ECHO', 'mine')];
        """
    ) == [True, "mine"]


def test_bytes_may_come_in_pieces_and_a_client_that_quits_is_told_so():
    halves, gone, refused = ask(
        r"""
        const redis = await Redis.start(), wire = redis.connect();
        redis.feed(wire, bytes('*1\r\n$4\r\nPI')); const first = redis.ready(wire);
        redis.feed(wire, bytes('NG\r\n')); const second = text(redis.take(wire));
        redis.feed(wire, encode(['QUIT'])); redis.take(wire);
        return [[first, second], redis.ready(wire), redis.feed(wire, encode(['PING']))];
        """
    )
    assert (halves, gone, refused) == ([0, "+PONG\r\n"], -1, False)


def test_wires_run_out_with_a_sentence_and_come_back_when_closed():
    opened, told, again = ask(
        """
        const redis = await Redis.start(), wires = [];
        let told;
        try { for (;;) wires.push(redis.connect()); } catch (error) { told = error.message; }
        redis.close(wires[7]);
        return [wires.length, told, redis.connect() === wires[7]];
        """
    )
    assert opened == 510  # 512 less the two that the module keeps for itself
    assert told.startswith("Too many connections")
    assert again


# ── In a browser ──


@pytest.mark.browser
def test_it_starts_in_a_worker_and_loads_three_files():
    engine()
    script = """
      import { Redis } from '/engine/engine.mjs';
      const redis = await Redis.start();
      self.postMessage([redis.version, redis.command('INCR', 'door')]);
    """
    drive = """(source) => new Promise((resolve, reject) => {
      const worker = new Worker('/worker.mjs', { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    })"""
    with hosting() as host, chromium() as browser:
        host.pages["/worker.mjs"] = script
        tab = browser.new_page()
        foreign = []
        tab.on(
            "request", lambda r: foreign.append(r.url) if not r.url.startswith(host.url) else None
        )
        tab.goto(host.url)
        version, count = tab.evaluate(drive)
        asked = sorted(path for path in host.asked if path.startswith("/engine/"))
    assert version == (BUILD / "redis.version").read_text().strip()
    assert count == 1
    assert asked == ["/engine/engine.mjs", "/engine/redis.mjs", "/engine/redis.wasm"]
    assert foreign == []


# ── The build ──


def _print(folder: Path) -> dict[str, str]:
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("redis.wasm", "redis.mjs")
    }


@pytest.mark.skipif(not DEEP, reason="builds Redis anew, 90 seconds: RUSH_DEEP=1 does it")
def test_the_same_sources_give_the_same_bytes(tmp_path):
    engine()
    subprocess.run([ENGINE / "build.sh", BUILD], check=True, capture_output=True)
    subprocess.run([ENGINE / "build.sh", tmp_path], check=True, capture_output=True, timeout=900)
    assert _print(tmp_path) == _print(BUILD)


def test_the_licences_are_beside_what_was_built():
    engine()
    for name, word in {
        "COPYING.redis": "Redis",
        "COPYRIGHT.lua": "Lua",
        "copyright.debian": "Redis",
    }.items():
        assert word in (BUILD / name).read_text(encoding="utf-8")


def test_without_debians_packages_the_build_says_what_is_missing(tmp_path):
    for tool in ("bash", "dirname", "mkdir", "sha256sum", "cut", "cp", "cat"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    done = subprocess.run(
        [tmp_path / "bash", ENGINE / "build.sh", tmp_path / "out"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "has no apt-get" in done.stderr
    assert "complete all the same" in done.stderr


@pytest.mark.skipif(not DEEP, reason="Redis's own tests take minutes: RUSH_DEEP=1 runs them")
def test_redis_passes_its_own_tests_of_what_the_course_uses(tmp_path):
    engine()
    done = subprocess.run(
        [ENGINE / "own_tests.sh", BUILD, tmp_path], capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    print(done.stdout)
