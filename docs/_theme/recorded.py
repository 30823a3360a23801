"""Pages that show what others hold: a script of lua/, a recorded cell of a lesson. No second copy.

    <!-- script: fixed_window -->            its rule, its contract, then the file
    <!-- cell: day04_token_bucket c053 -->   what that cell printed or drew when it was recorded

A hook of its own, listed in mkdocs.yml beside hooks.py. It runs before that one, which mends links
and lets tables scroll.
"""

import json
import re
import sys
from pathlib import Path

import outputs
from mkdocs.plugins import event_priority

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = re.compile(r"<!-- script: (\w+) -->")
CELL = re.compile(r"<!-- cell: (\w+) (\w+) -->")


@event_priority(110)
def on_page_markdown(markdown, page, config, files):
    """Put scripts in."""
    here = Path(config.config_file_path).parent
    return expand(markdown, here)


def expand(markdown: str, root: Path = ROOT) -> str:
    """The Markdown of a page with its scripts put in."""
    return SCRIPT.sub(lambda match: script(match[1], root), markdown)


def script(name: str, root: Path = ROOT) -> str:
    """Rule, contract and file of lua/NAME.lua. FileNotFoundError if there is no such script."""
    text = (root / "lua" / f"{name}.lua").read_text(encoding="utf-8").rstrip()
    signature = _signature(text, name)
    rows = "\n".join(
        f"| {where} | {what} | {_cell(meaning)} |" for where, what, meaning in _contract(signature)
    )
    rule, more = _rule(signature.rule)
    lines = text.count("\n") + 1
    return (
        f"> {rule}\n\n{more}\n\n"
        f"| where | what | meaning |\n|---|---|---|\n{rows}\n\n"
        f'<details class="file" markdown="1">\n'
        f"<summary><b>Lua</b> lua/{name}.lua, {lines} lines</summary>\n\n"
        f"```lua\n{text}\n```\n\n</details>\n"
    )


def _rule(said: str) -> tuple[str, str]:
    """The rule in one sentence, as the lessons quote it, and what the header adds to it."""
    sentence, _, more = said.partition(": ")[2].partition(". ")
    return sentence[0].upper() + sentence[1:].rstrip(".") + ".", _cell(more)


def _signature(text: str, name: str):
    """The script's header as the lessons read it: lab/signature.py, which needs nothing of lab."""
    sys.path.append(str(ROOT / "notebooks" / "lab"))
    try:
        from signature import parse_header
    finally:
        sys.path.pop()
    return parse_header(text, name)


def _contract(signature):
    """(place, name, meaning) of each key, argument and part of the reply; then what always holds."""
    for number, key in enumerate(signature.keys, 1):
        yield f"`KEYS[{number}]`", f"`{key.name}`, {key.type}", key.meaning
    for number, arg in enumerate(signature.args, 1):
        left_out = f", else {arg.default}" if arg.default is not None else ""
        left_out = ", optional" if arg.optional and not left_out else left_out
        yield f"`ARGV[{number}]`", f"`{arg.name}`{left_out}", arg.meaning
    for number, (name, meaning) in enumerate(signature.reply, 1):
        yield "`Reply`" if signature.is_integer else f"`Reply[{number}]`", f"`{name}`", meaning
    yield "Always", "", signature.invariant


def _cell(text: str) -> str:
    """Text that may stand in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


@event_priority(110)
def on_page_content(html, page, config, files):
    """Put what cells recorded in; each page holds the pictures' style sheet once."""
    made = outputs.Page(config.markdown_extensions, config.mdx_configs)
    root = Path(config.config_file_path).parent
    return CELL.sub(lambda match: made.html(recorded(match[1], match[2], root)), html)


def recorded(lesson: str, cell: str, root: Path = ROOT) -> list[dict]:
    """The outputs of a cell of notebooks/LESSON.ipynb. Raises LookupError when it recorded none."""
    book = json.loads((root / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    found = next((c for c in book["cells"] if c["id"] == cell), {})
    if not found.get("outputs"):
        raise LookupError(f"{lesson}.ipynb has no cell {cell} with an output: which one is meant?")
    return found["outputs"]
