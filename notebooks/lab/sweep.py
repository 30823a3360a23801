"""Empty a database of the course's keys, and of nothing else."""

from collections.abc import Iterator

import redis

MARKER = "rush:owner"  # who works in this database: host:pid:start time
BATCH = 500  # keys in one UNLINK


def clear(r: redis.Redis) -> None:
    """Remove every key but the marker, by SCAN and UNLINK: a few at a time, nobody waits long."""
    for keys in _batches(r):
        r.unlink(*keys)


def _batches(r: redis.Redis) -> Iterator[list]:
    batch = []
    for key in r.scan_iter(count=BATCH):
        if key not in (MARKER, MARKER.encode()):
            batch.append(key)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
