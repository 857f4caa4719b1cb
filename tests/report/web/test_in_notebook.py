"""The checks of a part below a notebook's cell: the table, the text, and that nothing of a student's is HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from msgspec.structs import replace

from autograder import model
from autograder.report.web import in_notebook

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[31m{{ 7 * 7 }}&lt;"
PICTURE = model.WeightPicture("attend", "values", ("B", "T_s"), ((0.2, 0.8),), ((0.5, 0.5),))


def outcome(id: str, status: str = "passed", **more: Any) -> model.Outcome:
    return model.Outcome(id, f"Title of {id}", "value", "public", status, 0.0, 1.0, part="attend", **more)  # type: ignore[arg-type]


def grade(*checks: model.Outcome, **more: Any) -> model.Grade:
    return model.Grade("you", "bahdanau", 0.0, 1.0, more.pop("status", "graded"), checks, {}, **more)


class Page(HTMLParser):
    """The tags and the text of a fragment."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_mistakes_come_first_and_say_what_they_are() -> None:
    wrong = outcome("values", "failed", message="Got 1, expected 2.", diagnosis="missing-scale", hint="Divide.")
    after = outcome("sums", "failed", message="Got 1, expected 2.", diagnosis="missing-scale")
    shown = in_notebook.checks(
        grade(outcome("shapes"), wrong, after, outcome("speed", "skipped", message="Later.")), "attend"
    )
    assert str(shown) == (
        "attend: 1 of 3 checks passed. 1 more runs only in grading.\n"
        "✗ Title of values  [values]  missing-scale\n"
        "  Got 1, expected 2.\n"
        "  Divide.\n"
        "  1 other check fails only because of this: sums.\n"
        "✓ Title of shapes  [shapes]  passed\n"
        "· Title of speed  [speed]  in grading"
    )
    page = Page(shown._repr_html_())
    places = [
        page.text.index(text) for text in ("missing-scale", "Got 1", "Divide.", "1 other check", "Title of shapes")
    ]
    assert places == sorted(places)
    assert "✗ failed" in page.text


def test_only_the_first_mistakes_are_told_in_full() -> None:
    wrong = [outcome(f"c{n}", "failed", message=f"Message {n}.") for n in range(5)]
    shown = in_notebook.checks(grade(*wrong), "attend")
    assert "Message 2." in shown.text
    assert "Message 3." not in shown.text + shown.html
    assert "Title of c4" in shown.text


def test_nothing_of_a_student_is_html_or_steers_a_terminal() -> None:
    wrong = outcome("values", "error", message=HOSTILE, hint=HOSTILE, diagnosis=HOSTILE)
    words = ((HOSTILE[:12],), ("<b>", "\x1b"))
    drawn = replace(PICTURE, part=HOSTILE, words=words)
    bad = grade(wrong, message=HOSTILE, pictures=(drawn,))
    for shown in (in_notebook.checks(bad, "attend"), in_notebook.drawn([bad])):
        page = Page(shown.html)
        assert page.tags <= {"div", "table", "tr", "th", "td", "p", "code", "strong"}
        assert page.attributes <= {"style"}
        assert page.open == []
        assert "<script>alert(1)</script>" in page.text
        for steering in ("\u202e", "\x1b"):
            assert steering not in shown.html + shown.text


def test_a_stub_takes_one_line() -> None:
    message = "attend is not written yet: it raises NotImplementedError. Cause: this. Called: attend(x)"
    stub = outcome("values", "error", message=message, diagnosis="not-implemented")
    waits = outcome("sums", "blocked", message="Not counted.", diagnosis="not-implemented")
    shown = in_notebook.checks(grade(stub, waits, message="1 statement failed."), "attend")
    line = "Next to write: attend in this notebook: replace `raise NotImplementedError` with your code."
    assert str(shown) == line
    assert Page(shown.html).text.strip() == line
    assert "table" not in Page(shown.html).tags


def test_what_is_half_written_shows_what_is_right_and_what_is_missing() -> None:
    message = "Attend.forward is not written yet: it raises NotImplementedError. Called: Attend(3)"
    half = grade(outcome("score"), outcome("values", "error", message=message, diagnosis="not-implemented"))
    lines = str(in_notebook.checks(half, "Attend")).splitlines()
    assert lines[0].startswith("Next to write: Attend.forward in this notebook")
    assert lines[1:] == ["✓ Title of score  [score]  passed", "✗ Title of values  [values]  not written"]


def test_what_is_not_defined_is_to_be_run_and_says_which_cell_failed() -> None:
    gone = outcome("values", "error", message="attend is not defined. Cause: x.", diagnosis="not-implemented")
    shown = in_notebook.checks(grade(gone, message="1 statement failed: SyntaxError."), "attend")
    assert str(shown) == (
        "attend is not defined. Run the cell that defines it, and then this one.\n1 statement failed: SyntaxError."
    )


@pytest.mark.parametrize("status", ["import-error", "infrastructure-error"])
def test_what_could_not_run_says_why(status: str) -> None:
    shown = in_notebook.checks(grade(outcome("values", "error"), status=status, message="It left."), "attend")
    assert str(shown) == "attend: nothing could be checked.\nIt left."


def test_a_note_about_other_cells_is_not_shown_when_all_is_right() -> None:
    assert "failed" not in str(in_notebook.checks(grade(outcome("values"), message="1 statement failed."), "attend"))


def test_pictures_stand_below_the_checks_also_of_a_wrong_answer() -> None:
    shown = in_notebook.checks(grade(outcome("values", "failed"), pictures=(PICTURE,)), "attend")
    page = Page(shown.html)
    assert page.text.index("Title of values") < page.text.index("returned") < page.text.index("expected")
    assert shown.text.endswith(
        "attend, weights: 1 by 2 weights. The largest difference is in row 0, column 1: got 0.8, expected 0.5."
    )
    assert "<code>attend</code>" not in shown.html  # the heading says it
    assert "<code>attend</code>" in in_notebook.checks(grade(pictures=(PICTURE,)), "bahdanau").html
    assert "<code>attend</code>" in in_notebook.drawn([grade(pictures=(PICTURE,))]).html


def test_nothing_to_draw_is_said() -> None:
    shown = in_notebook.drawn([grade()])
    assert str(shown) == in_notebook.NOTHING
    assert in_notebook.NOTHING in shown.html


def test_what_is_written_is_to_be_mended_before_the_rest_is_written() -> None:
    stub = outcome("later", "error", message="late is not written yet: it raises NotImplementedError.")
    stub = replace(stub, diagnosis="not-implemented")
    wrong = outcome("values", "failed", message="Got 1, expected 2.")
    lines = str(in_notebook.checks(grade(wrong, stub, outcome("score")), "all")).splitlines()
    assert lines[0] == in_notebook.FIRST
    assert lines[1].startswith("Next to write: late in this notebook")
    assert str(in_notebook.checks(grade(stub, outcome("score")), "all")).startswith("Next to write: late")
