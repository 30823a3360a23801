"""The picture that a shared link shows: docs/assets/card.png, drawn by a headless Chromium.

    python tools/card.py

Its figure is the recorded one of the home page, so run it again when day 2 changes its picture.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs" / "_theme"), str(ROOT / "tests")]

from facts import of  # noqa: E402
from website import chromium  # noqa: E402

CARD = """<!doctype html><meta charset="utf-8"><style>{css}
body {{ margin: 0; width: 1200px; height: 630px; background: var(--rush-paper); color: var(--rush-ink);
  font-family: var(--rush-sans); display: grid; grid-template-columns: 500px 560px; gap: 50px; align-content: center; padding: 0 45px; box-sizing: border-box; }}
p {{ color: var(--rush-soft); font-size: 26px; margin: 0 0 14px; }}
h1 {{ font-size: 50px; line-height: 1.12; letter-spacing: -.02em; margin: 0; text-wrap: balance; }}
svg {{ width: 100%; height: auto; align-self: center; }}
</style><body><div><p>Redis Rush · ten days at the shop door</p><h1>A hundred for sale at noon. Everyone presses in the same second.</h1></div>{figure}"""


def main() -> None:
    lessons = [of(path) for path in sorted((ROOT / "notebooks").glob("day*.ipynb"))]
    figure = next((day.figures[0] for day in lessons if day.day == 2 and day.figures), "")
    css = (ROOT / "docs" / "assets" / "css" / "tokens.css").read_text(encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(CARD.format(css=css, figure=figure))
        page.screenshot(path=str(ROOT / "docs" / "assets" / "card.png"))


if __name__ == "__main__":
    main()
