"""Recorded outputs of a cell as HTML: figures inline, text as text, errors short."""

import re
from html import escape
from itertools import count

import markdown

ANSI = re.compile(r"\x1b\[[0-9;]*m")
ALIGNED = re.compile(r"^.*\S {2,}\S", re.M)  # a line with columns
STYLE = re.compile(r"<style>.*?</style>", re.S)
VERDICTS = (("✔", "yes"), ("Not yet", "no"), ("Not started", "wait"))


def text_of(value: str | list[str]) -> str:
    """Notebook files hold text as a string or as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def svgs(recorded: list[dict]) -> list[str]:
    """Every SVG among the outputs of a cell, ready to stand in a page."""
    data = [
        out["data"]["image/svg+xml"] for out in recorded if "image/svg+xml" in out.get("data", {})
    ]
    return [inline(text_of(svg)) for svg in data]


def inline(svg: str) -> str:
    """The same picture inside a page, where an SVG needs no declaration."""
    return re.sub(r"<\?xml.*?\?>| xmlns=\"[^\"]*\"", "", svg).strip()


class Page:
    """Turns outputs of one page into HTML; remembers which ids the page has already used."""

    def __init__(self, extensions: list[str], settings: dict) -> None:
        self._markdown = markdown.Markdown(extensions=extensions, extension_configs=settings)
        self._used: set[str] = set()
        self._styles: set[str] = set()

    def html(self, recorded: list[dict]) -> str:
        """All outputs of a cell, one after another; "" when there are none."""
        return "".join(self._one(out) for out in recorded)

    def _one(self, out: dict) -> str:
        if out["output_type"] == "error":
            return f'<pre class="out err" data-search-exclude>{escape(ANSI.sub("", _error(out)))}</pre>'
        if out["output_type"] == "stream":
            kind = "out err" if out["name"] == "stderr" else "out"
            return self._text(text_of(out["text"]), kind)
        data = {
            kind: text_of(value)
            for kind, value in out["data"].items()
            if isinstance(value, str | list)
        }
        if svg := data.get("image/svg+xml"):
            return f'<figure class="fig" data-search-exclude>{self._picture(inline(svg))}</figure>'
        if html := data.get("text/html"):
            return f'<div class="out-html">{self._picture(html)}</div>'
        if said := data.get("text/markdown"):
            self._markdown.reset()
            return f'<div class="out-md">{self._markdown.convert(said)}</div>'
        if png := data.get("image/png"):
            return f'<img alt="" src="data:image/png;base64,{png.strip()}">'
        return self._text(data.get("text/plain", ""), "out")

    def _text(self, text: str, kind: str) -> str:
        reach = ""
        if len(ALIGNED.findall(text)) > 1:  # a table of text must not be wrapped on a phone
            kind += " columns"
            reach = ' tabindex="0" role="group" aria-label="Output"'  # it scrolls, by keyboard too
        lines = [_verdict(escape(line)) for line in ANSI.sub("", text).rstrip().split("\n")]
        return (
            f'<pre class="{kind}"{reach} data-search-exclude>{chr(10).join(lines)}</pre>'
            if text.strip()
            else ""
        )

    def _picture(self, svg: str) -> str:
        """A page holds the pictures' common style sheet once, and no id twice."""

        def once(match: re.Match) -> str:
            again = match[0] in self._styles
            self._styles.add(match[0])
            return "" if again else match[0]

        return self._own_ids(STYLE.sub(once, svg))

    def _own_ids(self, svg: str) -> str:
        """A figure shown twice keeps its title and description: the second gets ids of its own."""
        for ident in dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)):
            name = next(
                n for i in count(1) if (n := ident if i == 1 else f"{ident}-{i}") not in self._used
            )
            self._used.add(name)
            if name != ident:
                svg = re.sub(rf'(?<=[" #(]){re.escape(ident)}(?=[" )])', name, svg)
        return svg


def _verdict(line: str) -> str:
    """A self-check's answer is coloured by what it says."""
    kind = next((kind for start, kind in VERDICTS if line.startswith(start)), None)
    return f'<span class="{kind}">{line}</span>' if kind else line


def _error(out: dict) -> str:
    """The last lines of a traceback are enough: what broke and what it said."""
    return f"{out['ename']}: {out['evalue']}"
