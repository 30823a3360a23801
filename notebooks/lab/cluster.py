"""A real Redis Cluster on this machine, for the lesson that needs more than one server."""

import time

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot
from redis.retry import Retry

from .errors import LabError
from .server import Server

SLOTS = 16_384
READY_WITHIN = 30  # seconds; a node waits 2 of them by itself before it says that all is well


class Cluster:
    """Ready to use: `with lab.cluster() as c: r = c.client()`.

    `masters` servers that share the 16,384 slots, each with `replicas` copies.

    `.nodes` are the Servers, masters first; each can be paused, killed and restarted alone.
    A node that is silent for `node_timeout_ms` is taken for dead by the others.
    """

    def __init__(self, masters: int = 3, replicas: int = 0, node_timeout_ms: int = 2_000) -> None:
        if masters < 1 or replicas < 0:
            raise LabError("A cluster needs at least 1 master and at least 0 replicas for each.")
        self.masters, self.replicas = masters, replicas
        self.nodes: list[Server] = []
        options = ["--cluster-enabled", "yes", "--cluster-node-timeout", str(node_timeout_ms)]
        options += ["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"]
        try:
            for _ in range(masters * (1 + replicas)):
                self.nodes.append(Server(tcp=True, options=options))
            self._join()
        except BaseException:
            self.stop()
            raise

    def client(self, *, retries: int | None = None, **kw) -> RedisCluster:
        """A client of the whole cluster; `retries=0` turns redis-py's retries off."""
        kw.setdefault("decode_responses", True)
        if retries is not None:
            kw["retry"] = Retry(NoBackoff(), retries)
        seeds = [ClusterNode("127.0.0.1", node.port) for node in self.nodes if node.alive]
        return RedisCluster(startup_nodes=seeds, **kw)

    def master_of(self, key: str) -> Server:
        """The server that holds `key` now: the place to pull the plug."""
        slot = key_slot(key.encode())
        for node in self.nodes:
            if node.alive:
                with node.client(retries=0, socket_timeout=1) as r:
                    try:
                        for first, last, holder, *_ in r.execute_command("CLUSTER SLOTS"):
                            if first <= slot <= last:
                                return self._by_port(holder[1])
                    except redis.RedisError:  # paused or just dying: ask the next one
                        continue
        raise LabError("No node of the cluster answers: restart one of them.")

    def pause(self, node: Server) -> None:
        """Cut a node off: it is alive, and nobody can reach it."""
        node.pause()

    def resume(self, node: Server) -> None:
        """Mend the cable."""
        node.resume()

    def stop(self) -> None:
        """End every node."""
        for node in self.nodes:
            node.stop()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def _by_port(self, port: int) -> Server:
        return next(node for node in self.nodes if node.port == port)

    def _join(self) -> None:
        """Deal the slots, introduce the nodes to each other, and give each master its replicas."""
        clients = [node.client(retries=0, socket_timeout=5) for node in self.nodes]
        share = [SLOTS * i // self.masters for i in range(self.masters + 1)]
        for i, r in enumerate(clients):
            r.execute_command("CLUSTER SET-CONFIG-EPOCH", i + 1)
            if i < self.masters:
                r.execute_command("CLUSTER ADDSLOTS", *range(share[i], share[i + 1]))
            if i > 0:
                r.execute_command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port)
        names = [r.execute_command("CLUSTER MYID") for r in clients]
        for i, r in enumerate(clients[self.masters :]):
            master = names[i % self.masters]
            _until(lambda r=r, m=master: m in str(r.cluster("NODES")), "introduce its nodes")
            r.execute_command("CLUSTER REPLICATE", master)
        for i, r in enumerate(clients):
            _until(lambda r=r: _well(r, len(self.nodes)), "agree that all is well")
            if i >= self.masters:
                _until(lambda r=r: r.info("replication")["master_link_status"] == "up", "copy")
            r.close()


def _well(r: redis.Redis, nodes: int) -> bool:
    info = r.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == nodes


def _until(true, what: str) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while not true():
        if time.monotonic() > deadline:
            raise LabError(f"The cluster did not {what} within {READY_WITHIN} s: run this again.")
        time.sleep(0.01)
