"""Links: written so that they work in JupyterLab and on GitHub, mended for the site, and checked."""

import posixpath
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

AWAY = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.I)
ATTRIBUTE = re.compile(r'(<(?:a|img|source)\b[^>]*?\s(?:href|src)=")([^"]*)(")')
IDS = re.compile(r'\s(?:id|name)="([^"]+)"')
TARGETS = re.compile(
    r'<(?:a|img|link|script|source|iframe)\b[^>]*?\s(?:href|src)=(?:"([^"]*)"|([^\s>"]+))'
)
SCRIPTS = re.compile(r"(<script\b[^>]*>).*?</script>", re.S)


def from_repository(markdown: str, src_uri: str) -> str:
    """In a page, ](../notebooks/x.ipynb) becomes the path that MkDocs knows and checks."""
    here = posixpath.dirname(posixpath.join("docs", src_uri))

    def mend(match: re.Match) -> str:
        path = posixpath.normpath(posixpath.join(here, match[1]))
        start = posixpath.dirname(src_uri) or "."
        return f"]({posixpath.relpath(path, start)}" if not path.startswith("docs/") else match[0]

    return re.sub(r"\]\(((?:\.\./)+(?:notebooks|lua)/[^)\s#]+)", mend, markdown)


def rewrite(html: str, file, files, log) -> str:
    """Links of a lesson as the site needs them; a warning for each that leads nowhere."""
    here = posixpath.dirname(file.src_uri)

    def mend(match: re.Match) -> str:
        before, url, after = match.groups()
        if not url or AWAY.match(url) or url.startswith("#"):
            return match[0]
        path, _, anchor = unescape(url).partition("#")
        target = posixpath.normpath(posixpath.join(here, unquote(path)))
        found = files.get_file_from_path(target.removeprefix("docs/"))
        if found is None:
            log.warning("%s links to %s, which the site does not have", file.src_uri, url)
            return match[0]
        return f"{before}{found.url_relative_to(file)}{'#' + anchor if anchor else ''}{after}"

    html = ATTRIBUTE.sub(mend, html)
    return html.replace(
        'class="download"', f'class="download" href="{posixpath.basename(file.src_uri)}"', 1
    )


def dead(site: Path) -> Iterator[tuple[str, str]]:
    """(page, link) of each link or anchor inside a built site that leads nowhere."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    bare = {path: SCRIPTS.sub(r"\1", html) for path, html in pages.items()}
    ids = {path: {unescape(i) for i in IDS.findall(html)} for path, html in bare.items()}
    for path, html in bare.items():
        for match in TARGETS.finditer(html):
            url = unescape(match[1] or match[2] or "")
            if path.name != "404.html" and not _leads(site, path, url, ids):
                yield path.relative_to(site).as_posix(), url


def _leads(site: Path, page: Path, url: str, ids: dict[Path, set[str]]) -> bool:
    if AWAY.match(url):
        return True
    parts = urlsplit(url)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return False
    anchor = unquote(parts.fragment)
    return not anchor or target.suffix != ".html" or anchor in ids.get(target, set())
