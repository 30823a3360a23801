"""Run a notebook's cells in the page and say where they answer otherwise than recorded."""

import json
import re
from dataclasses import dataclass, field
from os.path import commonprefix
from pathlib import Path

from page_host import ROOT

SANITIZE = ROOT / "tests" / "nbval_sanitize.cfg"
UNCOMPARED = {"image/png", "image/jpeg", "application/vnd.jupyter.widget-view+json"}

# One worker, every cell in order; resolves to a map from cell number to its outputs. A worker that
# has been silent for eight minutes is given up, and the cell it was in is named: the longest cell
# (day 5, fifty buyers at WATCH and at a lock) takes half a minute, fifteen times that on a machine
# that does fifteen other things.
DRIVE = """
(cells) => new Promise((resolve, reject) => {
  const worker = new Worker('/runner/worker.mjs', { type: 'module' });
  const outputs = {};
  let left = cells.length, at = null, patience;
  const end = (settle, value) => { clearTimeout(patience); worker.terminate(); settle(value); };
  worker.onerror = (event) => end(reject, new Error(event.message));
  worker.onmessage = ({ data }) => {
    clearTimeout(patience);
    patience = setTimeout(() => end(reject, new Error(`nothing was heard from cell ${at} for 8 minutes`)), 480000);
    if (data.is === 'failed' || data.is === 'broken') end(reject, new Error(data.message));
    if (data.is === 'began') outputs[(at = data.cell)] = [];
    if (['stream', 'display', 'error'].includes(data.is)) outputs[data.cell].push([data.is, data.data]);
    if (data.is === 'clear') outputs[data.cell] = [];
    if (data.is === 'done' && --left === 0) end(resolve, outputs);
  };
  for (const cell of cells) worker.postMessage({ do: 'run', ...cell });
})
"""


@dataclass
class Verdict:
    """What one notebook's run in the page gave."""

    day: str
    compared: int = 0
    equal: int = 0
    unlike: list[str] = field(default_factory=list)  # one text for each cell that differs
    native: dict[int, str] = field(default_factory=dict)  # cell: why it cannot run in a page
    ignored: list[int] = field(default_factory=list)  # ran, but its output may differ by design

    def __str__(self) -> str:
        left_out = f"{len(self.native)} cannot run in a page, {len(self.ignored)} may differ"
        return f"{self.day}: {self.compared} compared, {self.equal} equal, {left_out}"


def sanitizer() -> list[tuple[re.Pattern, str]]:
    """The pairs of nbval_sanitize.cfg."""
    text = SANITIZE.read_text(encoding="ascii")
    found = re.findall(r"^regex: (.*)\nreplace: (.*)$", text, re.M)
    return [(re.compile(pattern), replace) for pattern, replace in found]


def joined(outputs: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """Neighbouring texts of one stream are one text, however they were cut on the way."""
    whole: list[tuple[str, dict]] = []
    for kind, data in outputs:
        if whole and kind == whole[-1][0] == "stream" and whole[-1][1]["name"] == data["name"]:
            data = data | {"text": whole.pop()[1]["text"] + data["text"]}
        whole.append((kind, data))
    return whole


def recorded(outputs: list[dict]) -> list[tuple[str, dict]]:
    """A notebook's outputs in the form in which the page gives them."""
    out: list[tuple[str, dict]] = []
    for one in outputs:
        match one["output_type"]:
            case "stream":
                out.append(("stream", {"name": one["name"], "text": "".join(one["text"])}))
            case "error":
                out.append(("error", {"ename": one["ename"], "evalue": one["evalue"]}))
            case _:
                out.append(("display", one["data"]))
    return joined(out)


def plain(outputs: list[tuple[str, dict]], pairs: list[tuple[re.Pattern, str]]) -> str:
    """Outputs as one text to compare: what may differ between two honest runs is taken out."""
    lines = []
    for kind, data in outputs:
        for name in sorted(set(data) - UNCOMPARED - {"traceback"}):
            value = data[name]
            text = "".join(value) if isinstance(value, str | list) else json.dumps(value)
            for pattern, replace in pairs:
                text = pattern.sub(replace, text)
            lines.append(f"[{kind} {name}] {text}")
    return "\n".join(lines)


def difference(there: str, here: str, around: int = 150) -> str:
    """The first place where the page's text leaves the recorded one, with what stands around it."""
    at = len(commonprefix([there, here]))
    start, end = max(0, at - around), at + around
    return f"recorded:\n…{there[start:end]}…\nin the page:\n…{here[start:end]}…"


def judge(page, path: Path) -> Verdict:
    """Run every cell of a notebook that can run in a page; `page` stands on the host's root."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = {i: cell for i, cell in enumerate(cells) if cell["cell_type"] == "code"}
    tags = {i: set(cell["metadata"].get("tags", ())) for i, cell in code.items()}
    verdict = Verdict(path.stem)
    for i in [i for i in code if "native" in tags[i]]:
        verdict.native[i] = code.pop(i)["metadata"].get("rush", {}).get("why", "")
    sent = [{"cell": i, "code": "".join(cell["source"])} for i, cell in code.items()]
    got, pairs = page.evaluate(DRIVE, sent), sanitizer()
    for i, cell in code.items():
        outputs = [(kind, data) for kind, data in got[str(i)]]
        failed = [data for kind, data in outputs if kind == "error"]
        if "nbval-ignore-output" in tags[i]:
            verdict.ignored.append(i)
            if failed and "raises-exception" not in tags[i]:
                verdict.unlike.append(f"cell {i} fails in the page: {failed[0]}")
            continue
        verdict.compared += 1
        here, there = plain(joined(outputs), pairs), plain(recorded(cell["outputs"]), pairs)
        if here == there:
            verdict.equal += 1
        else:
            verdict.unlike.append(f"cell {i}, {difference(there, here)}")
    return verdict
