"""Ask the page's Redis from Python: a few lines of JavaScript in Node, an answer as JSON."""

import json
import shutil
import subprocess
from typing import Any

import pytest
from page_host import BUILD

NODE = shutil.which("node")

FRAME = """
import { Redis, Clock, ReplyError, encode, decode } from %s;
const given = %s;
const text = (bytes) => new TextDecoder().decode(bytes);
const bytes = (words) => new TextEncoder().encode(words);
const answer = await (async () => { %s })();
process.stdout.write(JSON.stringify(answer ?? null));
process.exit(0); // the server in it would wait for more
"""


def ask(script: str, given: Any = None) -> Any:
    """What `script`, the body of an async function that may read `given`, returns.

    Skips when the engine is not built or there is no Node; an exception in it fails the test.
    """
    if not (BUILD / "redis.wasm").exists():
        pytest.skip("the page's Redis is not built: run `make engine` first")
    if NODE is None:
        pytest.skip("no node on PATH: apt-get install nodejs")
    module = json.dumps((BUILD / "engine.mjs").as_uri())
    done = subprocess.run(
        [NODE, "--input-type=module", "-"],
        input=FRAME % (module, json.dumps(given), script),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-1500:]
    return json.loads(done.stdout)
