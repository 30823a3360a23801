"""The pictures: the same text every time, sound XML, every press drawn, nothing cut off."""

import re
from xml.etree import ElementTree

import pytest
from lab import charts
from lab.charts import svg
from lab.runs import play

SPACE = "{http://www.w3.org/2000/svg}"
BURST = [(0, 1), (900, 99), (1100, 100)]


def first(limit: int):
    """A limiter that lets the first ones in and then nobody."""
    left = iter(range(limit))
    return lambda now: next(left, None) is not None


def lane(limit: int, schedule=BURST, name="Fixed window"):
    return play(first(limit), schedule).lane(name, 1000)


def verdicts(*worst: int):
    return [charts.Verdict(f"limiter {w}", 2 * w, w, [(0, w), (1, 0)]) for w in worst]


PICTURES = {
    "timeline": lambda: charts.timeline(
        [lane(200), lane(101, name="Sliding window log")],
        limit=100,
        edges=[0, 1],
        title="199 & more",
    ),
    "marks at both ends": lambda: charts.timeline(lane(500, [(0, 200), (5000, 200)]), limit=100),
    "bars": lambda: charts.timeline(lane(300, [(0, 400), *range(1, 1001)]), limit=300, title="B"),
    "boxes": lambda: charts.boxes(lit=["limit", "SQL"]),
    "hundred": lambda: charts.hundred(61, 12, 3, 4, note="The process died.", title="Torn"),
    "oversold": lambda: charts.hundred(160),
    "spike": lambda: charts.spike([0, 900, 40], [0, 5, 5, 5, 5, 0], title="Late"),
    "bars in rows": lambda: charts.bars([("a", 54), ("b", 11_800)], "B", title="Log", log=True),
    "bars and limit": lambda: charts.bars([("a", 199), ("b", 100)], title="Over", limit=100),
    "growth": lambda: charts.growth(
        [("set", [(100, 5e3), (1e4, 1e6)]), ("ring", [(100, 4e3), (1e4, 9e5)])],
        "presses",
        "bytes",
        title="Growth",
    ),
    "compare": lambda: charts.compare(
        {"steady": verdicts(100, 90), "attack": verdicts(100, 90)}, limit=95, title="Two"
    ),
    "interleavings": lambda: charts.interleavings([("ABAB", False), ("AABB", True)], "Half"),
    "ninety orders": lambda: charts.interleavings([i % 5 == 0 for i in range(90)], "Most"),
    "board": lambda: charts.board([("sku:1", 7), ("sku:2", 3)], title="Best", mark="sku:1"),
    "crash points": lambda: charts.crash_points([("before", "100 rows", True), ("x", "99", False)]),
    "slots": lambda: charts.slots(
        [("A", 0, 8191), ("B", 8192, 16383)], [("stock:1", 1603), ("edge", 16383)], title="Slots"
    ),
    "failover": lambda: charts.failover(
        [("primary", [(0, 2, 40, "sells")]), ("replica", [(2, 5, 60, "is promoted")])],
        cut=2,
        title="Cut",
    ),
}


@pytest.fixture(params=PICTURES, ids=lambda name: name.replace(" ", "_"))
def draw(request):
    return PICTURES[request.param]


def circles(picture: str, cls: str = "in") -> int:
    return sum(d.count("h0") for d in re.findall(rf'<path class="{cls}" [^>]*d="([^"]*)"', picture))


def crosses(picture: str) -> int:
    """A cross is two strokes: the pen comes down, moves across, and is lifted once."""
    return sum(d.count("m0-") for d in re.findall(r'<path class="no" d="([^"]*)"', picture))


# Every picture


def test_a_picture_is_the_same_text_every_time(draw):
    assert draw() == draw()
    assert not re.search(r"\d\.\d\d", re.sub(r"<style>.*?</style>|<text.*?</text>", "", draw()))


def test_a_picture_names_itself_to_a_screen_reader(draw):
    root = ElementTree.fromstring(draw())
    title, desc = root.find(f"{SPACE}title"), root.find(f"{SPACE}desc")
    assert title.text and desc.text
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"


def test_colours_come_from_the_site_and_have_a_fallback(draw):
    style = re.search(r"<style>(.*?)</style>", draw(), re.S)[1]
    assert (
        set(re.findall(r"#[0-9a-f]{6}", re.sub(r"var\(--rush-[a-z-]+,#\w{6}\)", "", style)))
        == set()
    )
    assert "var(--rush-in,#0f8a7e)" in style
    assert "$" not in style
    assert "#" not in re.sub(r"<style>.*?</style>|<text.*?</text>|<title.*?</title>", "", draw())


def test_nothing_lies_outside_the_picture(draw):
    root = ElementTree.fromstring(draw())
    x0, y0, w, h = map(float, root.get("viewBox").split())
    for x, y in points(root):
        assert x0 <= x <= x0 + w, (x, y)
        assert y0 <= y <= y0 + h, (x, y)


def points(root):
    """The corners of every rectangle, every point of every path, both ends of every word."""
    for shape in root.iter():
        if shape.tag == f"{SPACE}rect":
            x, y, w, h = (float(shape.get(k)) for k in ("x", "y", "width", "height"))
            assert w >= 0
            assert h >= 0
            yield from ((x, y), (x + w, y + h))
        elif shape.tag == f"{SPACE}path":
            yield from walk(shape.get("d"))
        elif shape.tag == f"{SPACE}text":
            x, wide = float(shape.get("x")), svg.wide(shape.text or "")
            cls = (shape.get("class") or "").split()
            left = x - wide if "end" in cls else x - wide / 2 if "mid" in cls else x
            yield from ((left, float(shape.get("y"))), (left + wide, float(shape.get("y")) - 11))


def walk(d: str):
    """Where the pen of a path goes."""
    x = y = 0.0
    for letter, numbers in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", d):
        values = [float(v) for v in re.findall(r"-?[\d.]+", numbers)]
        if letter in "Hh":
            x = values[0] + (x if letter == "h" else 0)
        elif letter in "Vv":
            y = values[0] + (y if letter == "v" else 0)
        else:
            for a, b in zip(values[::2], values[1::2], strict=True):
                x, y = (a, b) if letter.isupper() else (x + a, y + b)
        yield x, y


# Every press is drawn


def test_each_press_is_a_circle_or_a_cross():
    picture = charts.timeline([lane(200), lane(101)], limit=100)
    assert (circles(picture), crosses(picture)) == (200 + 101, 99)


@pytest.mark.parametrize(("limit", "over"), [(100, True), (199, False)])
def test_only_what_is_above_the_limit_is_filled(limit, over):
    run = play(lambda now: True, BURST)
    picture = charts.timeline(run.lane("Fixed window", 1000), limit=limit)
    assert ('class="over"' in picture) is over
    assert (">199</text>" in picture) is over
    assert f">limit {limit}</text>" in picture


def test_presses_outside_the_span_are_not_drawn():
    assert circles(charts.timeline(lane(200), span=(0, 1))) == 100


def test_the_hundred_squares_add_up():
    picture = charts.hundred(ordered=80, in_flight=4, returned=3, lost=10, note="torn")
    assert "80 ordered, 4 in flight, 3 returned, 3 in stock, 10 lost. torn" in picture
    squares = sum(d.count("z") for d in re.findall(r'd="([^"]*)"', picture))
    # Each half square in flight closes twice; each kind has one square more in the key.
    assert squares == 100 + 4 + 5 + 1


def test_what_is_sold_twice_has_squares_of_its_own():
    picture = charts.hundred(ordered=160)
    assert "100 ordered, 60 oversold" in picture
    assert crosses(picture) == 60 + 1


def test_every_order_of_events_has_its_cell():
    picture = PICTURES["ninety orders"]()
    assert (circles(picture), crosses(picture)) == (18 + 1, 72 + 1)
    assert "72 of 90 orders: oversold; 18: one sold." in picture


def test_today_s_boxes_are_lit():
    assert charts.boxes().count('class="lit"') == 0
    assert charts.boxes(["limit", "sql"]).count('class="lit"') == 2


def test_only_a_worst_second_above_the_limit_gets_a_cross():
    assert crosses(PICTURES["compare"]()) == 2


def test_jupyter_draws_it_and_its_text_form_is_short():
    picture = charts.boxes()
    assert picture._repr_svg_() == picture
    assert repr(picture) == "<picture: The five boxes>"


# Words and numbers


@pytest.mark.parametrize(
    ("value", "words"), [(0.04, "0"), (-0.04, "0"), (10, "10"), (1.25, "1.2"), (100.0, "100")]
)
def test_a_coordinate_is_as_short_as_it_can_be(value, words):
    assert svg.n(value) == words


def test_an_axis_has_round_places():
    assert svg.ticks_for(0, 2.2) == [0, 0.5, 1, 1.5, 2]
    assert svg.ticks_for(0, 360) == [0, 100, 200, 300]


def test_a_chinese_word_takes_the_width_of_its_characters():
    assert svg.wide("秒殺") == 30


# Bad input


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: charts.boxes(["door"]), "no box is called 'door'"),
        (lambda: charts.hundred(ordered=-1), "less than 0"),
        (lambda: charts.hundred(lost=101), "101 items"),
        (lambda: charts.bars([("a", 0)], title="t", log=True), "above 0 on a log scale"),
        (lambda: charts.growth([("a", [(0, 1)])], "x", "y", title="t"), "above 0"),
        (lambda: charts.interleavings([], "t"), "at least one"),
        (lambda: charts.slots([], [("k", 16_384)], title="t"), "between 0 and 16,383"),
    ],
)
def test_bad_input_says_what_is_wrong(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()
