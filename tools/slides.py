"""`make slides`: the lessons as slides, in slides/, from the same notebooks. One file a day, no network.

A paragraph and the cells behind it are one slide. Boxes, solutions and checks are left out; what the lesson folds
stays folded until somebody opens it. Arrow keys turn, D is for a dark room, F fills the screen.
"""

import argparse
import json
import re
import sys
from html import escape
from pathlib import Path

from nbconvert.filters.markdown_mistune import markdown2html_mistune

ROOT = Path(__file__).resolve().parents[1]
THEME = ROOT / "docs" / "_theme"
sys.path.append(str(THEME))
import outputs  # noqa: E402  (recorded outputs as the site shows them)

LEFT_OUT = {"box", "solution", "check", "learner", "compare"}
NO_CODE = {"picture", "figure", "lua", "transcript"}  # their output says it
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.S)

STYLE = """
html { scroll-snap-type: y mandatory; background: var(--rush-paper); color: var(--rush-ink); }
body { margin: 0; font: 1.45rem/1.5 system-ui, "PingFang TC", "Noto Sans CJK TC", sans-serif; }
section { box-sizing: border-box; height: 100vh; overflow: auto; scroll-snap-align: start;
  padding: 5vh 8vw; display: flex; flex-direction: column; }
section > * { flex: none; max-width: 62rem; width: 100%; margin-inline: auto; }
section > :first-child { margin-top: auto; } section > :last-child { margin-bottom: auto; }
h1 { font-size: 3.4rem; line-height: 1.1; } h2 { font-size: 2.2rem; } .anchor-link { display: none; }
pre { font: 1.15rem/1.45 ui-monospace, Menlo, Consolas, monospace; margin: .6rem auto; overflow: auto; }
pre.code { background: var(--rush-raise); padding: .8rem 1rem; box-sizing: border-box; }
pre.out { border-left: 3px solid var(--rush-accent); padding-left: 1rem; box-sizing: border-box; }
a { color: var(--rush-accent); } summary { cursor: pointer; } figure { margin: 1rem auto; }
figure svg, .out-html svg { width: 100%; height: auto; max-height: 62vh; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid var(--rush-line); padding: .3rem 1rem; }
blockquote { border-left: 3px solid var(--rush-limit); margin-inline: 0; padding-left: 1rem; }
@media print { section { height: auto; break-after: page; } }
"""

SCRIPT = """
const slides = [...document.querySelectorAll('section')];
const nearest = () => slides.findIndex((s) => s.getBoundingClientRect().bottom > innerHeight / 2);
const turn = (n) => slides[Math.max(0, Math.min(slides.length - 1, n))].scrollIntoView();
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input,summary,button')) return;
  const step = { ArrowRight: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (step) { event.preventDefault(); turn(nearest() + step); }
  const root = document.documentElement;
  if (event.key === 'd') root.dataset.mdColorScheme = root.dataset.mdColorScheme === 'slate' ? 'default' : 'slate';
  if (event.key === 'f') document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
});
"""


def near(match: re.Match) -> str:
    """A link to another lesson leads to its slides; one that leaves the folder is only its words."""
    href, words = match.groups()
    lesson = re.match(r"(day\d\d_\w+)\.ipynb", href)
    if lesson:
        return f'<a href="{lesson[1]}.html">{words}</a>'
    return match[0] if href.startswith("http") else words


def prose(source: str) -> str:
    return LINK.sub(near, markdown2html_mistune(source))


def slides(cells: list[dict]) -> list[str]:
    """The inner HTML of each slide of a lesson: a paragraph, then what follows it until the next."""
    made: list[str] = []
    shown = outputs.Page(["tables", "fenced_code"], {})
    for cell in cells:
        tags = set(cell["metadata"].get("tags", ()))
        source = "".join(cell["source"])
        if tags & LEFT_OUT:
            continue
        if cell["cell_type"] == "markdown":
            made.append(prose(source))
            continue
        code = "" if tags & NO_CODE else f'<pre class="code">{escape(source)}</pre>'
        made[-1] += code + shown.html(cell["outputs"])
    return made


def page(path: Path) -> str:
    """One lesson as one HTML file that asks for nothing else."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title = re.search(r"^# (.+)$", "".join(cells[0]["source"]), re.M)[1]
    tokens = (ROOT / "docs" / "assets" / "css" / "tokens.css").read_text(encoding="utf-8")
    body = "\n".join(f"<section>{inner}</section>" for inner in slides(cells))
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{tokens}{STYLE}</style>\n'
        f"{body}\n<script>{SCRIPT}</script>\n</html>\n"
    )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=ROOT / "slides", metavar="FOLDER")
    folder = parser.parse_args(argv).into
    folder.mkdir(parents=True, exist_ok=True)
    lessons = sorted((ROOT / "notebooks").glob("day*.ipynb"))
    for path in lessons:
        (folder / f"{path.stem}.html").write_text(page(path), encoding="utf-8")
    print(f"{len(lessons)} lessons in {folder.name}/: open one in a browser, the arrow keys turn.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
