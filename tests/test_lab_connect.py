"""lab.connect(): a private server by default, and a guest who breaks nothing on somebody's."""

import os
import signal
import socket
import subprocess
import sys
import threading
from importlib import import_module

import lab
import pytest
import redis
from lab.claim import Claim
from lab.clients import open_client
from lab.clock import pass_time, rate, took
from lab.errors import LabError
from lab.server import Server
from lab.sweep import BATCH, MARKER, clear

door = import_module("lab.connect")


@pytest.fixture(scope="module")
def somebodys():
    """Somebody's server: our tests are guests there."""
    with Server(tcp=True) as server:
        yield server


@pytest.fixture
def somebody(somebodys):
    """Somebody at work in database 0, with one key that has to survive."""
    with somebodys.client() as r:
        r.flushall()
        r.set("payroll", "1000 lines")
        yield r
        assert r.get("payroll") == "1000 lines"
        assert r.exists(MARKER) == 0


@pytest.fixture
def fresh(monkeypatch):
    """A kernel that has not connected yet; what it starts is stopped."""
    monkeypatch.setattr(door, "_server", None)
    monkeypatch.setattr(door, "_claim", None)
    monkeypatch.delenv("REDIS_URL", raising=False)
    yield monkeypatch
    if door._claim:
        door._claim.release()
    if door._server:
        door._server.stop()


def at(server: Server, database: int) -> str:
    return f"{server.url}/{database}"


def other_kernel(code: str, url: str) -> subprocess.Popen:
    """Another kernel on this machine, with REDIS_URL."""
    return subprocess.Popen(
        [sys.executable, "-c", f"import lab, sys, time; r = lab.client()\n{code}"],
        env={**os.environ, "REDIS_URL": url},
        stdout=subprocess.PIPE,
        text=True,
    )


def refused(url: str) -> str:
    """The one sentence with which the course declines to work there."""
    with pytest.raises(LabError) as caught:
        Claim(url)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", ". "))
    assert "unset REDIS_URL" in sentence or "write it as" in sentence
    return sentence


# A server of our own


def test_connect_starts_a_private_server_once_and_says_so(fresh, capsys):
    r = lab.connect()
    assert capsys.readouterr().out == f"{lab.server_name()} is listening. The shop is empty.\n"
    assert r.set("stock", 10) and lab.client().get("stock") == "10"
    assert lab.is_private()
    assert not lab.in_page()
    assert lab.url() == lab.url()


def test_connect_and_reset_begin_with_an_empty_shop(fresh):
    r = lab.client()
    r.mset({f"buyer:{n}": n for n in range(2 * BATCH + 1)})
    lab.reset()
    assert r.dbsize() == 0


def test_many_threads_at_first_use_share_one_server(fresh):
    urls, threads = [], []
    for _ in range(6):
        threads.append(threading.Thread(target=lambda: urls.append(lab.url())))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(urls) == 6 and len(set(urls)) == 1


def test_a_private_server_that_died_is_started_again_at_the_same_place(fresh):
    r = lab.client()
    door._server.kill()
    assert lab.client().ping()
    assert r.ping()


@pytest.mark.parametrize("retries", [0, 2])
def test_a_client_tries_as_often_as_it_was_told(retries):
    tried = []
    with socket.create_server(("127.0.0.1", 0)) as door_that_shuts:

        def shut_it():
            while True:
                try:
                    door_that_shuts.accept()[0].close()
                except OSError:
                    return
                tried.append(1)

        thread = threading.Thread(target=shut_it)
        thread.start()
        url = f"redis://127.0.0.1:{door_that_shuts.getsockname()[1]}/0"
        with open_client(url, retries=retries) as r, pytest.raises(redis.ConnectionError):
            r.decr("stock")
        door_that_shuts.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert len(tried) == 1 + retries


async def crowd_of_gets(client, count: int) -> int:
    import asyncio

    await asyncio.gather(*(client.incr("n") for _ in range(count)))
    opened = (await client.info("stats"))["total_connections_received"]
    await client.aclose()
    return opened


def test_an_async_client_opens_at_most_so_many_connections_and_serves_all(fresh):
    import asyncio

    with lab.client() as r:
        before = r.info("stats")["total_connections_received"]
        opened = asyncio.run(crowd_of_gets(lab.async_client(max_connections=8), 200))
        assert r.get("n") == "200"
        assert opened - before <= 8


def test_a_lessons_own_server_takes_options_as_redis_names_them():
    with lab.private_server(
        appendonly=True, maxmemory_policy="allkeys-lru", save=(900, 1), tcp=True
    ) as server:
        known = server.client().config_get("*")
        asked = [known[name] for name in ("appendonly", "maxmemory-policy", "save")]
        assert asked == ["yes", "allkeys-lru", "900 1"]
        assert server.url.startswith("redis://127.0.0.1:")


def test_in_the_page_nothing_that_needs_a_process_is_loaded():
    code = """
import sys, redis.asyncio
sys.platform = "emscripten"
import lab
assert lab.in_page() and lab.url() == "redis://page" and lab.is_private()
assert lab.client().connection_pool.connection_kwargs["host"] == "page"
lab.async_client()
for needs_more in (lab.private_server, lab.cluster):
    try:
        needs_more()
    except lab.LabError as error:
        print(error)
print(*sorted(m for m in sys.modules if m in ("lab.server", "lab.process", "lab.binary", "psutil")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    *sentences, loaded = done.stdout.splitlines()
    assert [s[:28] for s in sentences] == ["The page has one server only"] * 2, done.stderr
    assert loaded == ""


# The names


@pytest.mark.parametrize("name", lab.__all__)
def test_every_name_of_the_workbench_is_there(name):
    assert getattr(lab, name) is not None


def test_a_name_is_the_function_also_after_its_module_was_imported():
    import lab.clock
    import lab.connect

    assert callable(lab.connect)
    assert lab.took(0.0123) == took(0.0123)
    with pytest.raises(AttributeError, match="lab has no 'flush'"):
        lab.flush  # noqa: B018


def test_a_notebook_shows_the_sentence_alone():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shown = []
    shell._showtraceback = lambda kind, value, lines: shown.append(lines)
    shell.run_cell("from lab.errors import LabError; raise LabError('Do this next.')")
    assert shown == [["Do this next."]]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "⏱ 0 µs"),
        (0.00085, "⏱ 850 µs"),
        (0.0009996, "⏱ 1.0 ms"),
        (0.0123, "⏱ 12.3 ms"),
        (0.9999, "⏱ 999.9 ms"),
        (0.99996, "⏱ 1.00 s"),
        (83.456, "⏱ 83.46 s"),
    ],
)
def test_a_duration_has_the_unit_that_suits_it(seconds, shown):
    assert took(seconds) == shown


def test_a_rate_is_counted_per_second():
    assert rate(24_690, 2) == "⏱ 12,345 /s"


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf")])
def test_a_duration_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match="duration"):
        took(bad)
    with pytest.raises(ValueError, match="above 0"):
        rate(1, 0)


def test_passing_time_shortens_a_life_and_ends_it(r):
    r.set("door", 1, px=10_000)
    left = pass_time("door", 4_000, client=r)
    assert 0 < left <= 6_000
    assert 0 < r.pttl("door") <= left
    assert pass_time("door", 6_000, client=r) == -2
    assert r.exists("door") == 0


def test_passing_time_leaves_a_key_without_end_alone(r):
    r.set("door", 1)
    assert pass_time("door", 10**6, client=r) == -1
    assert r.get("door") == "1"
    assert pass_time("nobody", 1, client=r) == -2
    with pytest.raises(ValueError, match="time runs forward"):
        pass_time("door", -1, client=r)


# A guest on somebody's server


def test_a_given_empty_database_is_used_and_left_empty(fresh, somebody, somebodys):
    fresh.setenv("REDIS_URL", at(somebodys, 3))
    r = lab.connect()
    assert not lab.is_private()
    r.set("stock", 10)
    lab.reset()
    assert r.keys() == [MARKER]
    r.set("stock", 10)
    door._claim.release()
    assert r.dbsize() == 0


def test_a_database_with_somebodys_keys_is_refused_and_untouched(somebody, somebodys):
    somebody.config_resetstat()
    sentence = refused(at(somebodys, 0))
    assert not {"cmdstat_set", "cmdstat_unlink"} & set(somebody.info("commandstats"))
    assert "Database 0 of 127.0.0.1" in sentence
    assert f"REDIS_URL=redis://127.0.0.1:{somebodys.port}/1," in sentence
    assert somebody.keys() == ["payroll"]


def test_a_key_that_comes_while_we_mark_is_seen(somebody, somebodys, monkeypatch):
    count = redis.Redis.dbsize
    early = lambda self: count(self) if isinstance(self, redis.client.Pipeline) else 0  # noqa: E731
    monkeypatch.setattr(redis.Redis, "dbsize", early)  # we looked a moment before the key came
    refused(at(somebodys, 0))


def test_the_kernels_end_empties_and_unmarks(somebody, somebodys):
    other_kernel("r.set('stock', 10)", at(somebodys, 4)).communicate()
    with redis.Redis.from_url(at(somebodys, 4)) as r:
        assert r.dbsize() == 0


def test_a_second_kernel_never_clears_the_firsts(somebody, somebodys):
    first = other_kernel(
        "r.set('stock', 10); print(1, flush=True); time.sleep(60)", at(somebodys, 5)
    )
    first.stdout.readline()
    try:
        sentence = refused(at(somebodys, 5))
        assert f"in use by another kernel, process {first.pid}" in sentence
        with redis.Redis.from_url(at(somebodys, 5), decode_responses=True) as r:
            assert r.get("stock") == "10"
    finally:
        first.kill()
        first.communicate()


def test_what_a_killed_kernel_left_is_taken_over(somebody, somebodys):
    first = other_kernel(
        "r.set('stock', 10); print(1, flush=True); time.sleep(60)", at(somebodys, 6)
    )
    first.stdout.readline()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    claim = Claim(at(somebodys, 6))
    with redis.Redis.from_url(at(somebodys, 6), decode_responses=True) as r:
        assert r.keys() == [MARKER]
        claim.release()
        assert r.dbsize() == 0


def test_a_reused_process_number_does_not_keep_a_database(somebody, somebodys):
    with redis.Redis.from_url(at(somebodys, 7)) as r:
        r.set(MARKER, f"{os.uname().nodename}:{os.getpid()}:1")  # begun in 1970: not this process
    Claim(at(somebodys, 7)).release()


def test_a_kernel_on_another_machine_is_left_alone(somebody, somebodys):
    with redis.Redis.from_url(at(somebodys, 8), decode_responses=True) as r:
        r.mset({MARKER: "far-away:12:1700000000", "stock": 10})
        assert "a kernel on far-away" in refused(at(somebodys, 8))
        assert r.get("stock") == "10"


def test_a_database_that_lost_its_marker_is_cleared_no_more(fresh, somebody, somebodys):
    fresh.setenv("REDIS_URL", at(somebodys, 9))
    r = lab.client()
    r.flushdb()
    lab.reset()  # empty: marked again
    assert r.keys() == [MARKER]
    r.flushdb()
    r.set("theirs", 1)
    with pytest.raises(LabError, match="not the course's"):
        lab.reset()
    door._claim.release()
    assert r.keys() == ["theirs"]


def test_clearing_uses_no_command_that_could_reach_others(somebody, somebodys):
    somebody.config_resetstat()
    claim = Claim(at(somebodys, 10))
    with redis.Redis.from_url(at(somebodys, 10)) as r:
        r.mset({f"k{n}": n for n in range(3 * BATCH)})
        clear(r)
    claim.release()
    used = {name.removeprefix("cmdstat_") for name in somebody.info("commandstats")}
    assert {"scan", "unlink"} <= used
    assert not {name for name in used if name.startswith(("flush", "del", "config|set", "script"))}


def test_all_sixteen_databases_in_use_is_said(somebodys):
    with somebodys.client() as r:
        r.flushall()
        for n in range(16):
            with redis.Redis.from_url(at(somebodys, n)) as one:
                one.set("theirs", n)
        assert "an empty database on another server" in refused(at(somebodys, 2))
        r.flushall()


# One sentence for each thing that can be wrong


def test_nobody_listens(tmp_path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, and never listening
        port = held.getsockname()[1]
        assert f"No Redis answers at 127.0.0.1:{port}: start it" in refused(
            f"redis://127.0.0.1:{port}/0"
        )
    assert "No Redis answers at" in refused(f"unix://{tmp_path}/missing")


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("redis", "No Redis answers"),
        ("rediss", "do not agree on TLS"),  # the same sentence as for a certificate of one's own
    ],
)
def test_something_else_listens(scheme, said):
    with socket.create_server(("127.0.0.1", 0)) as web:

        def answer():
            peer, _ = web.accept()
            with peer:
                peer.recv(100)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        sentence = refused(f"{scheme}://127.0.0.1:{web.getsockname()[1]}/0")
        assert said in sentence
        assert ("?ssl_ca_certs=/path/to/ca.pem" in sentence) == (scheme == "rediss")
        thread.join()


def test_a_password_is_wanted_and_never_shown():
    with Server(tcp=True) as server, server.client() as admin:
        admin.config_set("requirepass", "open sesame")
        for url in (server.url, f"redis://:guess@127.0.0.1:{server.port}/0"):
            sentence = refused(url)
            assert "wants another password" in sentence
            assert "guess" not in sentence
        admin.set("theirs", 1)
        sentence = refused(f"redis://:open%20sesame@127.0.0.1:{server.port}/0")
        assert f"REDIS_URL=redis://:…@127.0.0.1:{server.port}/1" in sentence
        assert "sesame" not in sentence


def test_a_read_only_replica():
    with Server(tcp=True) as master, Server(tcp=True) as copy, copy.client() as r:
        r.replicaof("127.0.0.1", master.port)
        assert "is a read-only replica: name its master" in refused(copy.url)


def test_a_node_of_a_cluster():
    with Server(tcp=True, options=["--cluster-enabled", "yes"]) as node:
        assert "is a node of a cluster" in refused(node.url)


def test_a_server_older_than_6_2(somebody, somebodys, monkeypatch):
    told = somebody.info() | {"redis_version": "5.0.7"}
    told.pop("valkey_version", None)
    monkeypatch.setattr(redis.Redis, "info", lambda self, *section: told)
    assert "is Redis 5.0.7, and the course needs 6.2 or newer" in refused(at(somebodys, 11))


def test_a_user_who_may_not(somebodys):
    with somebodys.client() as admin:
        admin.acl_setuser(
            "clerk", enabled=True, nopass=True, categories=["-@all"], commands=["+get"]
        )
        url = f"redis://clerk:x@127.0.0.1:{somebodys.port}/0"
        assert "does not let this user work" in refused(url)
        admin.acl_deluser("clerk")


def test_a_database_that_does_not_exist(somebodys):
    assert "cannot be used" in refused(at(somebodys, 99))


@pytest.mark.parametrize(
    "url",
    [
        *("http://localhost", "localhost:6379", "redis://localhost:port"),
        "redis://localhost?nonsense=1",
    ],
)
def test_a_url_that_is_none(url):
    assert refused(url).startswith("REDIS_URL cannot be read")
