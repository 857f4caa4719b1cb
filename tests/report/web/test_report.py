"""The pages of a run: what they hold, and that nothing of a student is more than text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from autograder import model
from autograder.feedback import shown
from autograder.feedback.causes import CAUSES as KNOWN
from autograder.feedback.explanations import explained
from autograder.report.web import report as reports
from autograder.report.web import write_report
from autograder.report.web.student_page import student_page
from autograder.runs import history, results
from autograder.runs.history import ReplacedGrade
from tests.integrations.made_grades import grade, outcome
from tests.report.web import made_class
from tests.report.web.made_class import CAUSES, CODE, PARTS, write_class

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)> \x1b[31m\u202e &lt;"


class Page(HTMLParser):
    """The tags of a page, the links, the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.tags if tag == "a"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_class(tmp_path_factory.mktemp("run") / "out", 60)


def test_the_class_page_says_how_it_went_and_leads_to_everybody(report: Path) -> None:
    page = Page(report.read_text())
    for words in ("60 students", "median", "What the class got wrong", "The parts", "How these marks were made"):
        assert words in page.text
    for words in ("late work", "deadline 2026-02-01T23:59Z, 10 % a day", "fingerprint run", "torch 2.13.0"):
        assert words in page.text
    links = {link for link in page.links if link.startswith("students/")}
    assert links == {f"students/{path.name}" for path in (report.parent / "students").iterdir()}
    assert len(links) == 60


def test_each_cause_has_what_to_say_in_class_an_example_and_its_students(report: Path) -> None:
    text = report.read_text()
    assert {name for name in CAUSES if f"--accept {name}" in text} == set(CAUSES)
    assert "The softmax runs along the wrong axis, or along several." in text
    assert "Which axis counts the positions that share the attention?" in text
    assert text.count('<pre class="code"') == len(CAUSES)
    assert '<span class="k">def</span>' in text  # highlighted
    assert "Softmax along one axis" not in text  # the docstring


def with_every_cause() -> model.Grade:
    """Return a grade in which every cause lost a point, as a public check would say it."""
    names = enumerate(KNOWN)
    return grade(
        "ana", [outcome(f"c{at}", "failed", 0.0, 1.0, diagnosis=name, hint=KNOWN[name].hint) for at, name in names]
    )


def test_each_cause_has_a_paragraph_to_say_in_class_above_its_hint(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    write_report(page, [with_every_cause()])
    text = " ".join(Page(page.read_text()).text.split())
    assert text.count("To say in class") == len(KNOWN)
    for name, said in explained("bahdanau").items():
        assert f"To say in class {said.replace('`', '')} Students get the hint: {KNOWN[name].hint}" in text


def test_code_in_a_paragraph_is_code_and_nothing_else_is_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"missing-scale": f"Write `a < b` and `x` {HOSTILE} or ` alone."}
    monkeypatch.setattr("autograder.report.web.report.explained", lambda assignment: said)
    page = tmp_path / "index.html"
    write_report(page, [grade("ana", [outcome("a", "failed", 0.0, 1.0, diagnosis="missing-scale")])])
    text = page.read_text()
    assert "Write <code>a &lt; b</code> and <code>x</code> &lt;/script&gt;" in text
    assert "\\u202e &amp;lt; or ` alone.</p>" in text
    assert text.count("<script>") == 1


def test_a_cause_without_a_paragraph_has_its_sentence_and_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.report.web.report.explained", lambda assignment: {})
    page = tmp_path / "index.html"
    write_report(page, [grade("ana", [outcome("a", "failed", 0.0, 1.0, diagnosis="missing-scale")])])
    text = page.read_text()
    assert f"<p>{KNOWN['missing-scale'].hint}</p>" in text
    assert "To say in class" not in text
    assert "Students get the hint" not in text


def test_the_paragraphs_are_those_of_the_assignment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("autograder.report.web.report.explained", lambda assignment: asked.append(assignment) or {})
    one = grade("ana", [outcome("a", "failed", 0.0, 1.0)])
    write_report(tmp_path / "index.html", [replace(one, assignment="luong")])
    assert asked == ["luong"]


@pytest.mark.parametrize("staff", [True, False])
def test_a_students_page_says_nothing_that_is_for_the_class(staff: bool) -> None:
    one = with_every_cause()
    page = student_page(one if staff else shown.as_seen(one), "Luong", staff=staff, cells=[CODE.decode()])
    text = " ".join(Page(page).text.split())
    assert all(cause.hint in text for cause in KNOWN.values())
    assert "To say in class" not in text
    for said in explained("bahdanau").values():
        assert said.replace("`", "").partition(". ")[0] not in text


def test_nothing_is_loaded_from_elsewhere(report: Path) -> None:
    for path in (report, next((report.parent / "students").iterdir())):
        page = Page(path.read_text())
        assert not [tag for tag, attributes in page.tags if {"src", "srcset"} & set(attributes)]
        assert not [tag for tag, _ in page.tags if tag in ("link", "iframe", "object", "base")]
        assert not re.search(r"url\(|@import|https?:", path.read_text())


def test_a_students_page_has_the_code_with_the_line_and_the_way_back(report: Path) -> None:
    for path in (report.parent / "students").iterdir():
        text = path.read_text()
        assert '<a href="../index.html">' in text
        if "(line 40" in text:
            assert re.search(r'<span class="line marked"><span class="at">40</span>', text)
            return
    raise AssertionError("nobody has a mistake with a line")


def test_who_left_the_run_leaves_the_report(tmp_path: Path) -> None:
    grades = [grade(name, [outcome("a", "passed", 1.0, 1.0)]) for name in ("ana", "bo", "=cmd")]
    page = tmp_path / "report" / "index.html"
    write_report(page, grades)
    assert len(list((page.parent / "students").iterdir())) == 3
    write_report(page, grades[:1])
    assert [path.name for path in (page.parent / "students").iterdir()] == ["ana.html"]
    write_report(page, [])
    assert "No submissions" in page.read_text()
    assert not list((page.parent / "students").iterdir())


def test_what_a_student_wrote_is_text_on_every_page(tmp_path: Path) -> None:
    check = outcome(
        HOSTILE, "failed", 0.0, 5.0, title=HOSTILE, message=HOSTILE, hint=HOSTILE, diagnosis=HOSTILE, part=HOSTILE
    )
    decision = model.Decision("x", "adjust", HOSTILE, 1.0, reason=HOSTILE, by=HOSTILE, at=HOSTILE)
    facts: dict[str, Any] = dict.fromkeys(
        ("name", "email", "section", "sis_id", "file", "handed_in", "message"), HOSTILE
    )
    timed = outcome(HOSTILE * 2, "passed", 0.0, 5.0, kind="timing", message=HOSTILE)
    costs = (model.SizeCost(10, 1.0, 2.0), model.SizeCost(100, 2.0, 2.0))
    drawn: dict[str, Any] = {
        "pictures": (model.WeightPicture(HOSTILE, HOSTILE, (HOSTILE, HOSTILE), ((0.5,),), ((1.0,),)),),
        "gradients": (model.GradientPicture(HOSTILE, HOSTILE, (model.GradientRow(HOSTILE, "wrong", 1.0, 2.0, 0.5),)),),
        "speeds": tuple(
            model.SpeedPicture(HOSTILE, HOSTILE * 2, HOSTILE, 10, "ratio", "over", 9.0, 9.0, 5.0, said, costs)
            for said in (True, False)
        ),
    }
    facts |= drawn
    bad = replace(grade(HOSTILE, [check, timed]), decisions=(decision,), environment={HOSTILE: HOSTILE}, **facts)
    page = tmp_path / "index.html"
    write_report(page, [bad, replace(bad, student="b", status="partial")])
    texts = [path.read_text() for path in tmp_path.rglob("*.html")]
    texts.append(student_page(bad, HOSTILE, staff=False, cells=[HOSTILE], earlier=[ReplacedGrade(HOSTILE, "", bad)]))
    assert sum('class="plot"' in text for text in texts) == 3
    for text in texts:
        parsed = Page(text)
        assert not [tag for tag, _ in parsed.tags if tag == "img"]
        assert [tag for tag, _ in parsed.tags].count("script") == (1 if "class" in text and "tools" in text else 0)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not [key for _, attributes in parsed.tags for key in attributes if key.startswith("on")]


def test_a_feedback_page_says_nothing_of_staff(report: Path) -> None:
    decision = model.Decision("ana", "adjust", "", 5.0, reason="well done", by="", at="2026")
    one = replace(
        grade("ana", [outcome("a", "failed", 0.0, 1.0)]), decisions=(decision,), email="a@x.edu", sis_id="sis-77"
    )
    page = student_page(one, "Luong", staff=False, cells=[CODE.decode()])
    assert "well done" in page
    for word in ("a@x.edu", "sis-77", "index.html", "failed</code>", "<code>a</code>"):
        assert word not in page


def test_parts_stand_in_the_table_as_colours_and_numbers(report: Path) -> None:
    text = report.read_text()
    assert all(f">{part}</button>" in text.replace("<wbr>", "") for part in PARTS)
    levels = {int(level) for level in re.findall(r'class="part h(\d)"', text)}
    assert 4 in levels
    assert levels < {0, 1, 2, 3, 4}


def test_rows_carry_what_the_filters_need(report: Path) -> None:
    rows = [own for tag, own in Page(report.read_text()).tags if tag == "tr" and "data-causes" in own]
    assert len(rows) == 60
    assert {row["data-section"] for row in rows} == {"CS 0", "CS 1", "CS 2"}
    assert any("late" in (row["data-status"] or "") for row in rows)
    assert {cause for row in rows for cause in (row["data-causes"] or "").split()} == set(CAUSES)


def test_only_pages_that_change_are_written_again(tmp_path: Path) -> None:
    grades = [grade(name, [outcome("a", "passed", 1.0, 1.0)]) for name in ("ana", "bo", "chen")]
    page = tmp_path / "index.html"
    write_report(page, grades)
    (tmp_path / "students" / "chen.html").write_text("half a pa")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "students").iterdir()}
    write_report(page, [replace(grades[0], message="look"), *grades[1:]])
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "students").iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"ana.html", "chen.html"}
    assert "look" in (tmp_path / "students" / "ana.html").read_text()
    assert "</html>" in (tmp_path / "students" / "chen.html").read_text()


def test_the_pages_of_a_large_class_are_those_of_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes write them, in several batches."""
    grades = [grade(f"s{number}", [outcome("a", "failed", 0.0, 1.0, message=HOSTILE)]) for number in range(7)]
    write_report(tmp_path / "small" / "index.html", grades)
    monkeypatch.setattr(reports, "LARGE_CLASS", 7)
    monkeypatch.setattr(reports, "BATCH", 3)
    monkeypatch.setattr(reports, "student_page", None)  # in this process: the others import it again
    write_report(tmp_path / "large" / "index.html", grades)
    small, large = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "students").iterdir()}
        for name in ("small", "large")
    )
    assert len(small) == 7
    assert small == large


def test_how_fast_the_code_is_stands_on_the_page() -> None:
    fast = outcome("speed", "passed", 1.0, 1.0, kind="timing", part="attend", message="It takes 1.2 times as long.")
    page = Page(student_page(grade("ana", [fast]), "Luong", staff=False)).text
    assert "attend: It takes 1.2 times as long." in page
    assert "Speed" not in Page(student_page(grade("ana", [replace(fast, message="")]), "Luong", staff=False)).text


def pictured() -> model.Grade:
    """Return a grade with gradients, two timed calls and their costs."""
    made = made_class.speed("source positions", True), made_class.speed("sentences", False)
    lines = [
        outcome("a", "failed", 0.0, 1.0),
        outcome("speed", "passed", 1.0, 1.0, kind="timing", part="BahdanauAttention", message=made_class.SPEED),
    ]
    return grade("ana", lines, gradients=(made_class.gradients(False),), speeds=made)


def test_every_picture_has_its_words() -> None:
    for page in (Page(student_page(pictured(), "Luong", staff=staff)) for staff in (True, False)):
        drawn = [own for tag, own in page.tags if tag == "svg"]
        assert len(drawn) >= 1 + 5 + 2 + 2  # the part's points, gradients, bars and curves
        assert all(own["role"] == "img" and own["aria-label"] for own in drawn)


def test_gradients_stand_by_parameter() -> None:
    page = Page(student_page(pictured(), "Luong", staff=False))
    assert "BahdanauAttention: 4 of 5 differ" in page.text
    for words in (
        "attention.W_s.weight",
        "as expected",
        "off by 81 %",
        "no gradient",
        "NaN or infinity",
        "times its size",
    ):
        assert words in page.text
    assert ("details", {"class": "drawn", "open": None}) in page.tags
    assert "Gradients" not in Page(student_page(replace(pictured(), gradients=()), "Luong", staff=False)).text


def test_staff_see_all_that_was_measured_and_a_student_what_the_message_says() -> None:
    staff = student_page(pictured(), "Luong", staff=True)
    seen = student_page(shown.as_seen(pictured()), "Luong", staff=False)
    for words in ("the limit is 5 times", "1.4 times", "the reference's CPU time; below"):
        assert words in staff
        assert words in seen
    assert staff.count('class="plot"') == 2
    for words in ("sentences", 'plot"', " ms", "500"):
        assert words in staff
        assert words not in Page(seen).text.partition("Speed")[2]
    assert 'class="plot"' not in seen
    hidden = replace(pictured().checks[1], visibility="hidden")
    seen = student_page(shown.as_seen(replace(pictured(), checks=(hidden,))), "Luong", staff=False)
    assert 'class="speed"' not in seen


def test_results_from_before_the_pictures_can_be_read() -> None:
    old = msgspec.json.decode(msgspec.json.encode(pictured()))
    for name in ("pictures", "gradients", "speeds"):
        del old[name]
    found = results.decoded(msgspec.json.encode(old))
    assert found == replace(pictured(), pictures=(), gradients=(), speeds=())
    assert results.decoded(msgspec.json.encode(pictured())) == pictured()
    assert history.timeless(pictured()) == history.timeless(found)
    assert "Gradients" not in student_page(found, "Luong", staff=True)


def test_bars_stand_below_the_message_of_their_own_check() -> None:
    other = outcome("b-speed", "passed", 1.0, 1.0, kind="timing", part="align", message="It is not known how fast.")
    whole = replace(pictured(), checks=(*pictured().checks, other))
    page = student_page(whole, "Luong", staff=True)
    assert page.count('class="speed"') == 2
    assert page.index("It takes 1.4 times") < page.index('class="speed"') < page.rindex('class="speed"')
    assert page.rindex('class="speed"') < page.index("It is not known how fast.")


def test_staff_see_which_checks_fail_only_because_of_another() -> None:
    first = outcome("a", "failed", 0.0, 1.0, diagnosis="missing-scale")
    given = replace(outcome("b", "failed", 1.0, 1.0, diagnosis="missing-scale"), consequence_of="a")
    page = student_page(grade("ana", [first, given]), "Luong", staff=True)
    assert [page.count(f'">{status}</td>') for status in ("failed", "failed ↳")] == [1, 1]
