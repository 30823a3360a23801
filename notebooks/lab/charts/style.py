"""The colours of the three meanings, and the rules of every picture.

Colours come from the site's `--rush-*` variables. Their fallbacks serve JupyterLab, where a
picture is an image of its own and stands on its own paper.
"""

import re

_COLOURS = {
    "ink": "#1c2430",
    "soft": "#59626f",
    "paper": "#fbfaf7",
    "in": "#0f8a7e",
    "no": "#d1432f",
    "limit": "#b97a00",
    "line-strong": "#8b919a",
    "accent": "#3b4cca",
    "in-text": "#0b7268",
    "no-text": "#b83522",
    "limit-text": "#8a5a00",
    "accent-tint": "#ecedf6",
}
_RULES = """
text{font:15px system-ui,-apple-system,"Segoe UI","Noto Sans","PingFang TC","Noto Sans CJK TC",sans-serif;fill:$ink}
.soft{fill:$soft} .bold{font-weight:650} .small{font-size:14px} .end{text-anchor:end}
.mid{text-anchor:middle} .t-in{fill:$in-text} .t-no{fill:$no-text} .t-limit{fill:$limit-text}
.t-accent{fill:$accent} .halo{paint-order:stroke;stroke:$paper;stroke-width:4px}
path,rect{fill:none;stroke-width:1.25} .paper{fill:$paper} .axis{stroke:$line-strong}
.dotted{stroke-dasharray:1 4} .in{stroke:$in;stroke-linecap:round} .no{stroke:$no;stroke-width:1.75}
.curve{stroke:$ink;stroke-width:1.75;stroke-linejoin:round} .lag{stroke:$accent;stroke-width:1.75}
.limit{stroke:$limit;stroke-width:1.75;stroke-dasharray:5 4} .over{fill:$limit;fill-opacity:.18}
.f-in{fill:$in} .f-no{fill:$no} .f-ink{fill:$ink} .f-flow{fill:$line-strong} .f-accent{fill:$accent}
.f-tint{fill:$in;fill-opacity:.16} .round{stroke-linecap:round} .box{stroke:$line-strong}
.lit{stroke:$accent;stroke-width:2.25;fill:$accent-tint} .cut{fill:$paper}
.torn{stroke:$no;stroke-width:1.5}
"""


def _style() -> str:
    """The rules above, scoped to our pictures, each colour with its fallback."""
    rules = re.sub(
        r"\$([a-z]+(?:-(?:strong|text|tint))?)",
        lambda m: f"var(--rush-{m[1]},{_COLOURS[m[1]]})",
        _RULES,
    )
    scoped = re.sub(
        r"([^{}]+)(\{[^}]*\})",
        lambda m: ",".join(f".rush-fig {s.strip()}" for s in m[1].split(",")) + m[2],
        rules,
    )
    return f"<style>{scoped.strip()}</style>"


STYLE = _style()
