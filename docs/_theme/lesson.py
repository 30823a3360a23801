"""A notebook as a page: one <div class="cell say|code TAGS"> for each cell, so that CSS says the rest.

What a cell's tags mean is written once in CONTRIBUTING.md. The source of every code cell stays in
the page as <pre data-source>, also where it is not shown, because the Run buttons need it.
"""

import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import outputs
import rooms
from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

UNSEEN = {"picture", "lua", "transcript"}  # tags whose source stays in the page, hidden
MAGIC = re.compile(r"%%(\w+)")
LEXERS = {"redis": "text", "lua": "lua", "bash": "bash", "sh": "bash", "sql": "sql"}


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook; number counts all cells from 0, as data-cell does in the page."""

    number: int
    ident: str
    kind: str  # markdown or code
    source: str
    tags: tuple[str, ...]
    outputs: list[dict]
    never_run: bool
    why: str  # why a `native` cell cannot run in the page


def read(path: Path) -> list[Cell]:
    """The cells of the notebook at path."""
    book = json.loads(path.read_text(encoding="utf-8"))
    return [
        Cell(
            number=number,
            ident=raw["id"],
            kind=raw["cell_type"],
            source=outputs.text_of(raw["source"]),
            tags=tuple(raw["metadata"].get("tags", ())),
            outputs=raw.get("outputs", []),
            never_run=raw["cell_type"] == "code"
            and raw["execution_count"] is None
            and bool(raw["source"]),
            why=raw["metadata"].get("rush", {}).get("why", ""),
        )
        for number, raw in enumerate(book["cells"])
    ]


def prose(html: str) -> dict[str, str]:
    """Cell id → HTML of each Markdown cell, out of what mkdocs-jupyter made of the notebook."""
    start = html.find('<div class="jp-Cell ')  # before it: 560 KB of style sheets
    soup = BeautifulSoup(html[start:], "html.parser")
    found = {}
    for cell in soup.select(".jp-MarkdownCell[id]"):
        said = cell.select_one(".jp-MarkdownOutput")
        inner = said.decode_contents().strip() if said else ""
        found[cell["id"].removeprefix("cell-id=")] = inner.replace("anchor-link", "headerlink")
    return found


def layout(cells: list[Cell], said: dict[str, str], config) -> str:
    """The whole lesson as HTML; neighbours tagged `box`, and within them `exercise`, stand together."""
    page = outputs.Page(config.markdown_extensions, config.mdx_configs)
    html = {cell.ident: _cell(cell, said, page) for cell in cells}
    return "\n".join(rooms.arrange(cells, html))


def _cell(cell: Cell, said: dict[str, str], page: outputs.Page) -> str:
    return _say(cell, said.get(cell.ident, "")) if cell.kind == "markdown" else _code(cell, page)


def _say(cell: Cell, inner: str) -> str:
    if "head" in cell.tags:
        inner = _head(inner)
    return f'<div class="cell say {" ".join(cell.tags)}" id="{cell.ident}">{scroll_tables(inner)}</div>'


def _head(inner: str) -> str:
    """The day above the title; below it the minutes, the download, and the mark of a day done."""
    inner = re.sub(r">(Day \d+) · ", r'><span class="day">\1</span> ', inner, count=1)
    tools = (
        '<a class="download" download>Download notebook</a>'
        '<button type="button" class="done">Mark as done</button>'
    )
    return re.sub(
        r"<p>(\d+ minutes.*?)</p>", rf'<p class="meta"><span>\1</span>{tools}</p>', inner, count=1
    )


def _code(cell: Cell, page: outputs.Page) -> str:
    tags = set(cell.tags)
    shown = scroll_tables(page.html(cell.outputs))
    out = f'<div class="cell-out">{shown}</div>'
    source = f'<div class="cell-in highlight">{_source(cell.source)}</div>'
    bar = '<div class="cell-bar"></div>'
    if "native" in tags:
        because = f": {escape(cell.why)}" if cell.why else ""
        bar = f'<p class="native">Recorded on a computer{because}.</p>'
    if "figure" in tags:
        body = f'{out}<details class="source"><summary>Code of this figure</summary>{source}</details>{bar}'
    elif tags & UNSEEN:
        body = source.replace("<div ", "<div hidden ", 1) + out + bar
    else:
        body = source + bar + out
    listed = " ".join(cell.tags)
    html = (
        f'<div class="cell code {listed}" id="{cell.ident}" data-cell="{cell.number}" '
        f'data-tags="{listed}">{body}</div>'
    )
    if "solution" in tags:
        return f'<details class="solution"><summary><b>Solution</b> Try first, then look</summary>{html}</details>'
    return html


def _source(source: str) -> str:
    """Highlighted source of a cell; its text content is the source to the letter."""
    magic = MAGIC.match(source)
    lexer = get_lexer_by_name(
        LEXERS.get(magic[1], "python") if magic else "python", stripnl=False, ensurenl=False
    )
    code = highlight(source, lexer, HtmlFormatter(nowrap=True)).removesuffix("\n")
    return f"<pre data-source data-search-exclude><code>{code}</code></pre>"


TABLE = re.compile(r"<table>(.*?)</table>", re.S)


def scroll_tables(html: str) -> str:
    """Wide tables scroll in a box of their own; the class keeps Material's script from moving them."""
    box = r'<div class="table" tabindex="0" role="group" aria-label="Table"><table class="t">\1</table></div>'
    return TABLE.sub(box, html)


def short_titles(items: list) -> list:
    """In the table of contents a box is called by its name, without its minutes."""
    for item in items:
        item.title = re.sub(r"^(Box · .*?) \(.*\)$", r"\1", item.title)
        short_titles(item.children)
    return items
