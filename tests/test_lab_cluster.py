"""A real cluster on this machine: all slots dealt, nodes that can fail, nothing left behind."""

import time

import lab
import psutil
import pytest
import redis
from lab.cluster import SLOTS
from redis.crc import key_slot


@pytest.fixture(scope="module")
def three():
    with lab.cluster() as cluster:
        yield cluster


def test_three_masters_share_all_slots(three):
    held = [
        range(first, last + 1)
        for first, last, *_ in three.nodes[0].client().execute_command("CLUSTER SLOTS")
    ]
    assert sorted(slot for part in held for slot in part) == list(range(SLOTS))
    assert len(held) == 3


def test_keys_land_on_the_master_that_is_said(three):
    with three.client() as r:
        for n in range(30):
            key = f"limit:{{{n}}}"
            r.set(key, n)
            assert three.master_of(key).client().get(key) == str(n)


def test_every_node_agrees_at_once_that_all_is_well(three):
    for node in three.nodes:
        told = node.client().execute_command("CLUSTER INFO")
        assert (told["cluster_state"], told["cluster_slots_ok"]) == ("ok", str(SLOTS))


def test_two_keys_with_one_tag_work_together_and_without_they_do_not(three):
    with three.client() as r:
        both = r.register_script("return redis.call('SET', KEYS[1], redis.call('GET', KEYS[2]))")
        r.set("stock:{7}", 3)
        both(keys=["copy:{7}", "stock:{7}"])
        assert r.get("copy:{7}") == "3"
        assert key_slot(b"stock:7") != key_slot(b"copy:7")
        with pytest.raises(redis.exceptions.RedisClusterException, match="same key slot"):
            both(keys=["copy:7", "stock:7"])


def test_a_paused_node_takes_its_keys_away_and_brings_them_back(three):
    key = "stock:{7}"
    node = three.master_of(key)
    with node.client(retries=0, socket_timeout=0.2) as r:
        r.set(key, 3)
        three.pause(node)
        with pytest.raises(redis.TimeoutError):
            r.get(key)
        three.resume(node)
    with node.client() as r:
        assert r.get(key) == "3"


def test_when_a_master_is_killed_its_replica_takes_over():
    with lab.cluster(masters=3, replicas=1, node_timeout_ms=500) as cluster, cluster.client() as r:
        assert len(cluster.nodes) == 6
        r.set("stock:{7}", 3)
        before = cluster.master_of("stock:{7}")
        before.client().wait(1, 2_000)
        before.kill()
        deadline = time.monotonic() + 30  # usually 2 s: time-out, vote, announcement
        while cluster.master_of("stock:{7}") is before and time.monotonic() < deadline:
            time.sleep(0.02)
        after = cluster.master_of("stock:{7}")
        assert after in cluster.nodes[3:]
        assert after.client().get("stock:{7}") == "3"
        before.restart()
        assert before.client().ping()


def test_stopping_leaves_nothing():
    cluster = lab.cluster(masters=1)
    pids = [node.pid for node in cluster.nodes]
    folders = [node.directory for node in cluster.nodes]
    cluster.stop()
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize(("masters", "replicas"), [(0, 0), (3, -1)])
def test_a_cluster_of_nobody_is_refused(masters, replicas):
    with pytest.raises(lab.LabError, match="at least 1 master"):
        lab.cluster(masters, replicas)
