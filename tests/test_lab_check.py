"""lab.check: one sentence that says what is right and what is not yet, and never an exception."""

import pytest
from lab.check import check


def at_least_three(got: int) -> bool:
    """At least three."""
    return got >= 3


def one_over_zero() -> float:
    return 1 / 0


async def slow() -> int:
    return 1


class Unshowable:
    def __repr__(self) -> str:
        raise ValueError("no")

    def __eq__(self, other: object) -> bool:
        raise TypeError("cannot be compared")

    __hash__ = None


@pytest.mark.parametrize(
    ("got", "want", "line"),
    [
        (100, 100, "✔ presses let in: 100."),
        ([1, 0], [1, 0], "✔ presses let in: [1, 0]."),
        (lambda: 7, 7, "✔ presses let in: 7."),
        (None, None, "✔ presses let in: None."),
        (5, at_least_three, "✔ presses let in: 5."),
    ],
)
def test_a_right_answer_is_said_and_the_hint_kept_back(capsys, got, want, line):
    assert check("presses let in", got, want, hint="count again") is None
    assert capsys.readouterr().out == line + "\n"
    assert check.last.state == "right"


@pytest.mark.parametrize(
    ("got", "want", "line"),
    [
        (99, 100, "99, and it should be 100."),
        ("100", 100, "'100', and it should be 100."),
        (2, at_least_three, "2, and it should be At least three."),
        ("x", at_least_three, "it raised TypeError: '>=' not supported between instances of "
         "'str' and 'int', and it should be At least three."),
        (one_over_zero, 3, "it raised ZeroDivisionError: division by zero, and it should be 3."),
        (slow, 1, "it is a coroutine: put await in front of it, and it should be 1."),
        (Unshowable(), 1, "it raised TypeError: cannot be compared, and it should be 1."),
    ],
)  # fmt: skip
def test_a_wrong_answer_says_what_came_what_should_and_the_hint(capsys, got, want, line):
    assert check("presses let in", got, want, hint="Count again.") is None
    assert capsys.readouterr().out == f"Not yet. presses let in: {line} Hint: Count again.\n"
    assert check.last.state == "not yet"


@pytest.mark.parametrize("got", [..., None, lambda: ..., lambda: None])
@pytest.mark.parametrize("want", [3, at_least_three])
def test_an_untouched_answer_is_not_started(capsys, got, want):
    check("presses let in", got, want, hint="Begin with INCR.")
    assert capsys.readouterr().out == "Not started: presses let in. Hint: Begin with INCR.\n"
    assert check.last == ("presses let in", "not started", check.last.got)


def test_a_judgement_may_be_put_into_words(capsys):
    check("time to live", 10, lambda ttl: 60 < ttl <= 120, says="over 60 and at most 120")
    assert capsys.readouterr().out == (
        "Not yet. time to live: 10, and it should be over 60 and at most 120.\n"
    )


def test_a_judgement_without_words_goes_by_its_name(capsys):
    check("time to live", -1, str.isdigit)
    assert "and it should be as isdigit says." in capsys.readouterr().out
