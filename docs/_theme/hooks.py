"""The hook of the site: lessons from notebooks/, scripts from lua/, without a copy or a symlink.

mkdocs-jupyter makes pages of the notebooks: their prose, their titles, their tables of contents.
What it leaves (600 KB of style sheet in each page, four nested boxes around each cell) is laid out
again by lesson.py. Events run at priority 100 where the plugins must come after us.
"""

import logging
import os
import re
import shutil
from pathlib import Path

import breaks
import facts
import jieba
import lesson
import links
import pictures
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.plugins.rush")
jieba.setLogLevel(logging.WARNING)

BROUGHT = {  # folder beside docs/: what of it the site serves
    "notebooks": {".ipynb", ".svg", ".png"},
    "lua": {".lua"},
    "page/runner": {".js", ".mjs", ".css"},
    "page/stage": {".js", ".mjs", ".css", ".json"},
}
ENGINE = ("redis.wasm", "redis.mjs", "engine.mjs")  # what `make engine` leaves, at the least


def root(config) -> Path:
    """The folder of mkdocs.yml."""
    return Path(config.config_file_path).parent


def engine(config) -> Path | None:
    """Where `make engine` left the page's own Redis and Python, if it has; RUSH_ENGINE=0: never."""
    if os.environ.get("RUSH_ENGINE") == "0":
        return None
    built = root(config) / "page" / "engine" / "build"
    return built if all((built / name).is_file() for name in ENGINE) else None


def is_lesson(page) -> bool:
    """Whether the page is made from a notebook."""
    return page is not None and page.file.src_uri.endswith(".ipynb")


@event_priority(100)
def on_files(files, config):
    """Add what lies beside docs/, under the same names as in the repository.

    Later than mkdocs-jupyter, the notebooks would go out raw: it would never see them.
    """
    here = root(config)
    for folder, kinds in BROUGHT.items():
        for path in sorted((here / folder).rglob("*")):
            name = path.relative_to(here).as_posix()
            inside = path.relative_to(here / folder)
            hidden = any(part.startswith((".", "_", "node_modules")) for part in inside.parts)
            if path.suffix in kinds and not hidden and not path.name.startswith("package"):
                files.append(File(name, str(here), config.site_dir, config.use_directory_urls))
    return files


def on_nav(nav, config, files):
    """A notebook that is no page would go out raw, and a strict build would say nothing."""
    for file in files:
        if file.src_uri.endswith(".ipynb") and not file.is_documentation_page():
            log.warning("%s would go out raw: mkdocs-jupyter did not see it", file.src_uri)


def teach_search(html: str) -> None:
    """Chinese terms that the page marks as such become words that the search finds anywhere.

    jieba's dictionary is short of traditional characters: it would cut 沒有期限 in the wrong place.
    """
    for term in re.findall(r'lang="zh-Han[ts]">([\u4e00-\u9fff]{2,8})<', html):
        jieba.add_word(term)


@event_priority(100)
def on_page_markdown(markdown, page, config, files):
    """A page may link ../notebooks/x.ipynb, as GitHub wants it; a lesson gets its metadata."""
    if not is_lesson(page):
        return links.from_repository(markdown, page.file.src_uri)
    known = facts.of(Path(page.file.abs_src_path))
    page.meta = {"description": known.pain, "day": known.day, **known.meta}
    return ""


@event_priority(100)  # before the search plugin reads the page
def on_page_content(html, page, config, files):
    """Lay a lesson out; make wide tables scroll; mend and check the links of a lesson."""
    teach_search(html)
    if not is_lesson(page):
        html = pictures.in_place(html, page.url, Path(config.docs_dir))
        return breaks.set_in(lesson.scroll_tables(html))
    cells = lesson.read(Path(page.file.abs_src_path))
    if never := [cell.ident for cell in cells if cell.never_run]:
        log.warning("%s: cells %s were never run; record it first", page.file.src_uri, never)
    prose = lesson.prose(html)
    if missing := [c.ident for c in cells if c.kind == "markdown" and c.ident not in prose]:
        log.warning("%s: cells %s were not rendered", page.file.src_uri, missing)
    page.toc.items[:] = lesson.short_titles(page.toc.items)
    laid_out = lesson.layout(cells, prose, config)
    return links.rewrite(laid_out, page.file, files, log)


def on_env(env, config, files):
    """What the templates know: the ten days with their figures, and whether cells can run."""
    lessons = [f for f in files.documentation_pages() if f.src_uri.endswith(".ipynb")]
    days = [facts.of(Path(f.abs_src_path), f.url) for f in lessons]
    env.globals["days"] = sorted((d for d in days if d.day is not None), key=lambda d: d.day)
    env.globals["picture"] = pictures.of_day
    env.globals["engine"] = engine(config) is not None
    return env


@event_priority(-100)
def on_post_page(output, page, config):
    """Put the notebook beside its page, for the download."""
    if is_lesson(page):
        copy = Path(page.file.abs_dest_path).parent / Path(page.file.src_uri).name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(Path(page.file.abs_src_path).read_bytes())
    return name_search(output)


def on_post_template(output_content, template_name, config):
    """The 404 page is a template of its own and has the same dialog."""
    return name_search(output_content)


def name_search(html: str) -> str:
    """Material's search is a dialog without a name, which a screen reader could not announce."""
    nameless = 'data-md-component="search" role="dialog"'
    return html.replace(nameless, f'{nameless} aria-label="Search"')


@event_priority(-100)
def on_post_build(config):
    """Put the engine in, where it was built; check every link and anchor of the finished HTML."""
    if built := engine(config):
        shutil.copytree(built, Path(config.site_dir) / "page" / "engine", dirs_exist_ok=True)
    for page, target in links.dead(Path(config.site_dir)):
        log.warning("%s links to %s, which the site does not have", page, target)
