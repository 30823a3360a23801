"""`make record`: run lessons top to bottom in a fresh kernel and store their outputs.

What differs from run to run without meaning anything is left out (widget state, timings, Python's version, traceback
paths), so recording twice changes no byte unless an answer changed.
"""

import argparse
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"


def normalise(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop what a second run would change without anything having changed."""
    book.metadata.pop("widgets", None)
    book.metadata["language_info"] = {"name": "python"}
    for cell in book.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
            output.get("data", {}).pop(WIDGET, None)
        if cell.cell_type == "code":
            shown = [o for o in cell.outputs if o.get("data", True)]  # a bar that came and went
            cell.outputs = join_streams(shown)
    return book


def join_streams(outputs: list) -> list:
    """One stream output where the kernel happened to send several in a row."""
    joined: list = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def record(path: Path) -> float:
    """Run one notebook and write it back. Returns the seconds it took; raises CellExecutionError."""
    book = nbformat.read(path, 4)
    started = time.perf_counter()
    NotebookClient(
        book,
        timeout_func=lambda cell: cell.metadata.get("timeout", 60),
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        store_widget_state=True,
    ).execute()
    nbformat.write(normalise(book), path)
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all of them")
    chosen = parser.parse_args().notebooks or sorted(NOTEBOOKS.glob("day*.ipynb"))
    for path in chosen:
        if not path.is_file():
            print(
                f"redis rush: there is no {path}: name one such as notebooks/day00_start_here.ipynb"
            )
            return 2
        print(path.name, end=" ", flush=True)
        try:
            print(f"{record(path):.1f} s")
        except CellExecutionError as error:
            print(f"stopped, nothing stored:\n{error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
