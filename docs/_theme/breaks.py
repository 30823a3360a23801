"""Where a line of prose may break: long names after a mark, options and short links not at all."""

import re

CODE = re.compile(r"(?<!</span>)<code>([^<]+)</code>")  # of a line; a block has a span before
LONG = 17  # letters; a shorter name finds room on the next line
SEAM = re.compile(r"(?<=[\w)}])(::|[_:/])(?=[\w{])")
OPTION = re.compile(r"(?<![\w-])--[\w-]+")
SHORT = re.compile(r">([^<>]{1,12})</a>")  # day 6, find the bug


def set_in(html: str) -> str:
    """The same page, with its seams marked: nothing that is read, copied or found changes."""
    html = CODE.sub(lambda match: f"<code>{_seams(match[1])}</code>", html)
    return SHORT.sub(lambda link: link[0].replace(" ", "&nbsp;"), html)


def _seams(code: str) -> str:
    """`rank:sales:20260730` may break after a colon, `redis-cli --latency` not within the option."""
    if len(code) >= LONG:
        code = SEAM.sub(r"\1<wbr>", code)
    return OPTION.sub(r'<span class="keep">\g<0></span>', code)
