"""The published site builds strictly, opens on every screen, asks nobody, and stays light."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from website import Report, crawl, visit

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.once]

HTML_BYTES = 300_000  # of one page, raw
LOADED_BYTES = 300_000  # of all that a page asks for before anybody presses anything, gzipped


@pytest.fixture(scope="module")
def reports(site, browser) -> list[Report]:
    """The pages on every screen, opened once for the tests below."""
    return crawl(browser, site)


def test_every_page_opens_quietly_and_asks_only_this_site(site, reports):
    assert {one.path for one in reports} == set(site.opened)
    for one in reports:
        foreign = [u for u in one.requests if not u.startswith((site.url, "data:", "blob:"))]
        assert not foreign, f"{one.path} asks {foreign}"
        assert not one.complaints, f"{one.path} on a {one.screen}: {one.complaints}"


def test_nothing_is_wider_than_the_screen_even_unfolded(reports):
    for one in reports:
        assert one.over_px <= 0, f"{one.path} is {one.over_px} px wider than a {one.screen}"


def test_nothing_jumps_while_a_page_loads(reports):
    """Half of what counts as good on the web, 0.1. A late font or figure costs far more than that; a
    table whose rows arrive in two pieces costs up to 0.024, when its columns settle (the glossary).
    """
    for one in reports:
        assert one.shifted <= 0.05, f"{one.path} on a {one.screen}: {one.shifted:.3f}"


def test_every_internal_link_and_anchor_resolves(site, reports):
    anchors, links = {}, set()
    for path in site.pages:
        html = site.html(path)
        anchors[path] = set(re.findall(r'\sid="([^"]+)"', html))
        links |= {(path, unescape(href)) for href in re.findall(r'<a\s[^>]*href="([^"]+)"', html)}
    for one in reports:  # what scripts add
        anchors[one.path] |= one.ids
        links |= {(one.path, href) for href in one.hrefs}
    links = {(path, href) for path, href in links if path != "404.html"}
    assert len(links) > 3 * len(site.pages)
    broken = []
    for path, href in sorted(links):
        url = urlsplit(urljoin(site.url + path, href))
        if f"{url.scheme}://{url.netloc}/" != site.url:
            continue
        target = url.path.lstrip("/")
        there = (site.folder / target / "index.html").is_file() or (site.folder / target).is_file()
        if not there or (url.fragment and url.fragment not in anchors.get(target, {url.fragment})):
            broken.append(f"{path} → {href}")
    assert not broken, broken


def test_pages_are_light(site, reports):
    for path in site.pages:
        raw = len(site.html(path).encode())
        assert raw <= HTML_BYTES, f"{path}: {raw} bytes of HTML"
    for one in reports:
        weight = site.zipped(one.requests)
        assert 20_000 < weight <= LOADED_BYTES, f"{one.path} loads {weight} bytes"


def test_every_lesson_is_rendered_with_its_title_its_sources_and_its_download(site):
    assert site.lessons
    for path in site.lessons:
        folder = site.folder / path
        book = json.loads(next(folder.glob("*.ipynb")).read_text(encoding="utf-8"))
        html = (folder / "index.html").read_text(encoding="utf-8")
        title = "".join(book["cells"][0]["source"]).split("·", 1)[1].split("\n")[0].strip()
        assert re.search(rf"<h1[^>]*>.*{re.escape(title)}", html), (
            f"{path} has no heading {title!r}"
        )
        code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
        assert html.count("<pre data-source") == html.count("data-cell=") == len(code), path
        assert f'href="{folder.name}.ipynb"' in html, f"{path} has no download"


def test_the_source_in_the_page_is_the_source_of_the_notebook(site, browser):
    path = site.lessons[0]
    book = json.loads(next((site.folder / path).glob("*.ipynb")).read_text(encoding="utf-8"))
    with visit(browser, site.url + path) as seen:
        shown = dict(
            seen.page.evaluate(
                "[...document.querySelectorAll('.cell.code[data-cell]')].map(c =>"
                " [c.dataset.cell, c.querySelector('pre[data-source] code').textContent])"
            )
        )
    wanted = {
        str(number): "".join(cell["source"])
        for number, cell in enumerate(book["cells"])
        if cell["cell_type"] == "code"
    }
    assert shown == wanted


def test_no_id_is_used_twice_on_a_page(site):
    for path in site.pages:
        html = site.html(path)
        ids = re.findall(r'\sid="([^"]+)"', html)
        twice = {one for one in ids if ids.count(one) > 1}
        assert not twice, f"{path}: {twice}"


def test_every_page_has_its_own_title_a_description_and_a_picture_to_share(site):
    titles = {}
    for path in site.pages:
        html = site.html(path)
        titles[path] = re.search("<title>(.*?)</title>", html)[1]
        assert re.search(r'<meta name="description" content="[^"]{30,}">', html), path
        card = re.search(r'og:image" content="[^"]*/(assets/[^"]+)"', html)[1]
        assert (site.folder / card).is_file(), f"{path} shares {card}, which is not there"
    assert len(set(titles.values())) == len(titles), titles


def test_the_sitemap_lists_every_page_but_the_404(site):
    listed = re.findall("<loc>(.*?)</loc>", (site.folder / "sitemap.xml").read_text())
    base = re.search(r"site_url: (\S+)", Path("mkdocs.yml").read_text())[1]
    assert {url.removeprefix(base) for url in listed} == set(site.pages) - {"404.html"}
