"""Test cells, restored notebooks and points, without nbgrader itself."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from typing import Any

import pytest

from autograder import assignments, model
from autograder.grading import suite
from autograder.intake.errors import Unreadable
from autograder.intake.notebook_cells import NotebookCell, notebook_cells
from autograder.integrations.nbgrader import cell_scores, cells, course
from autograder.integrations.nbgrader.cells import ReleasedCell, RequestedChecks
from autograder.integrations.nbgrader.restored_notebook import restored
from autograder.integrations.nbgrader.safe_markdown import harmless
from tests.grading_helpers import outcome
from tests.paths import ROOT

INSTALL = 'pip install "torch"\npip install "https://x.example/attngrade.whl"'


def made(assignment: str, timing: bool = True) -> list[dict[str, Any]]:
    """The cells of a source notebook."""
    found: list[dict[str, Any]] = json.loads(course.notebook(assignment, ROOT, timing, INSTALL))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in found]


def cells_for(assignment: str, timing: bool = True) -> dict[str, ReleasedCell]:
    """Its test cells, as the gradebook would have them."""
    return {
        ours["grade_id"]: ReleasedCell(
            ours["grade_id"], "code", cell["source"], None, True, graded=True, points=ours["points"]
        )
        for cell in made(assignment, timing)
        if (ours := cell["metadata"].get("nbgrader")) and ours["grade"]
    }


@pytest.mark.parametrize("assignment", assignments.NAMES)
@pytest.mark.parametrize("timing", [True, False])
def test_every_check_stands_in_one_test_cell_and_points_add_up_to_100(assignment: str, timing: bool) -> None:
    sources = cells_for(assignment, timing)
    asked = [name for source in sources.values() for name in cells.parse(source.text).checks]
    expected = [
        check.id
        for check in assignments.load(assignment, True).checks
        if check.points and (timing or check.kind != "timing")
    ]
    assert sorted(asked) == sorted(expected)
    assert sum(source.points for source in sources.values()) == pytest.approx(100, abs=1e-4)


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_hidden_checks_stand_between_the_markers(assignment: str) -> None:
    hidden = {check.id for check in assignments.load(assignment, True).checks if check.visibility == "hidden"}
    for source in cells_for(assignment).values():
        assert not hidden & set(cells.parse(cells.student_text(source.text)).checks)
        assert max(map(len, source.text.splitlines())) < 110


def test_a_test_cell_goes_on_in_further_lines_and_is_for_one_assignment() -> None:
    assert cells.parse("# x\n%attngrade luong a \\\n    b\n%attngrade luong c") == RequestedChecks(
        "luong", ("a", "b", "c")
    )
    assert cells.parse("assert True") == RequestedChecks()
    with pytest.raises(ValueError, match="luong and masking"):
        cells.parse("%attngrade luong a\n%attngrade masking b")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("%attngrade bahdanau", "write: %attngrade ASSIGNMENT CHECK"),
        ("%attngrade ", "write: %attngrade ASSIGNMENT CHECK"),
        ("%attngrade bahdnau softmax-values", "there is no assignment 'bahdnau' here"),
    ],
)
def test_a_test_cell_that_asks_for_nothing_is_an_error_and_nobodys_loss(line: str, what: str) -> None:
    sources = [*cells_for("bahdanau").values(), ReleasedCell("own", "code", line, None, True, graded=True, points=7)]
    with pytest.raises(ValueError, match=f"the test cell own: {what}"):
        cell_scores.score_cells(sources, grade({}))


A = ReleasedCell("a", "code", "%attngrade masking x", "sum", True, graded=True, points=4.0)
S = ReleasedCell("s", "code", "def f(): ...", "sum", False, solution=True)
B = ReleasedCell("b", "code", "%attngrade masking y", "sum", True, graded=True, points=6.0)
SOURCES = (S, A, B)


def names(notebook: dict[str, Any]) -> list[tuple[str, str]]:
    """Each cell's name and text."""
    return [(cell["metadata"].get("nbgrader", {}).get("grade_id", ""), cell["source"]) for cell in notebook["cells"]]


def test_locked_cells_get_their_own_text_and_what_stood_there_is_shown_before_them() -> None:
    found = restored(
        [NotebookCell("code", "mine", "s"), NotebookCell("code", "changed", "a"), NotebookCell("code", B.text, "b")],
        SOURCES,
        None,
    )
    assert names(found) == [("s", "mine"), ("", "changed"), ("a", A.text), ("b", B.text)]


def test_missing_tests_come_back_behind_what_they_followed_and_solutions_stay_away() -> None:
    assert [name for name, _ in names(restored([], SOURCES, None))] == ["a", "b"]
    found = restored([NotebookCell("code", "mine", "s"), NotebookCell("markdown", "text")], SOURCES, None)
    assert [name for name, _ in names(found)] == ["s", "a", "b", ""]


def test_of_doubled_names_the_last_counts_and_unknown_ones_are_dropped() -> None:
    handed_in = [NotebookCell("code", "1", "s"), NotebookCell("code", "2", "s"), NotebookCell("code", "3", "mine")]
    assert [(name, text) for name, text in names(restored(handed_in, SOURCES, None)) if text in "123"] == [
        ("", "1"),
        ("s", "2"),
        ("", "3"),
    ]


def test_a_restored_cell_takes_points_and_kind_from_the_gradebook_alone() -> None:
    cell = restored([NotebookCell("markdown", "now a text", "a")], SOURCES, None)["cells"][1]
    ours = cell["metadata"]["nbgrader"]
    assert (cell["cell_type"], ours["points"], ours["grade"], ours["schema_version"]) == ("code", 4.0, True, 3)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<script>x()</script>", "< script>x()< /script>"),
        ('<img src=x onerror="x()">', '< img src=x onerror="x()">'),
        ("<b onclick=x()>", "< b onclick=x()>"),
        ("<svg/onload=x()//", "< svg/onload=x()//"),
        ("a < b, 1<2, <b>bold</b><br/> <https://example.org>", "a < b, 1<2, <b>bold</b><br/> <https://example.org>"),
    ],
)
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_no_markup_of_a_students_does_anything(kind: Any, text: str, left: str) -> None:
    [cell] = restored([NotebookCell(kind, text)], (S,), None)["cells"]
    assert (cell["cell_type"], cell["source"]) == ("markdown", left)
    answer = ReleasedCell("q", "markdown", "<i style='x'>?</i>", "sum", False, graded=True, solution=True, points=1.0)
    assert restored([NotebookCell("markdown", text, "q")], (answer,), None)["cells"][0]["source"] == left
    assert restored([NotebookCell("markdown", answer.text, "q")], (answer,), None)["cells"][0]["source"] == answer.text


@pytest.mark.parametrize(
    "target",
    [
        *("javascript:x()", "JavaScript:x()", r"javascript\:x()", "vbscript:x()", "data:text/html,x"),
        *("&#106;avascript:x()", "&#x6a;avascript:x()", "&#106avascript:x()", "javascript&colon;x()"),
        *("java&Tab;script:x()", "javascript&#58x()", "&amp;#106;avascript:x()", "javascript&ampcolon;x()"),
        *("javascript&amp;amp;colon;x()", "javascript&#38;colon;x()", "data:image/svg+xml,x"),
    ],
)
@pytest.mark.parametrize(
    "link", ["[a]({})", "[a](<{}>)", "[a](< {}>)", "[a]({} 't')", "[a]\n\n[a]: {}\n", "![a]({})", "<{}>", "[a](\n{})"]
)
def test_no_link_of_a_students_runs_anything(link: str, target: str) -> None:
    """As the formgrader's own renderer has it, which lets such links through."""
    markdown = pytest.importorskip("nbconvert.filters.markdown_mistune").markdown2html_mistune
    page = markdown(harmless(link.format(target)))
    for found in re.findall(r'(?:href|src)="([^"]*)"', page):
        assert not re.match(r"(?i)[\x00-\x20]*(javascript|vbscript|data):", html.unescape(found))


@pytest.mark.parametrize(
    "text",
    [
        *("[a](https://example.org/?a=1&b=2)", "[a](b.md)", "R&D, &nbsp;&alpha;&lt;", "the data: all of it"),
        "<details><summary>Hint 1 for <code>A.__init__</code></summary>\n\nA hint.\n\n</details>",
        *(r"$\begin{align}a &= b\\c &d\end{align}$", "![a](data:image/png;base64,aaaa)"),
    ],
)
def test_what_does_nothing_is_left_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_a_tag_that_may_stand_has_no_attributes() -> None:
    assert harmless("<details open ontoggle=x()>") == "< details open ontoggle=x()>"


def test_mathematics_can_still_be_read() -> None:
    assert harmless(r"$\sum_{i<j} a<b$") == r"$\sum_{i< j} a< b$"


@pytest.mark.parametrize("name", ["", "q", "locked"])
@pytest.mark.parametrize(
    "text", ["![a](attachment:gone.png)", "![a][r]\n\n[r]: attachment:gone.png", r"![a](attachment\:gone.png)"]
)
def test_a_picture_that_is_not_there_is_not_asked_for(text: str, name: str) -> None:
    """Else nbconvert gives up, and the student has neither feedback nor a page in the formgrader."""
    mistune = pytest.importorskip("nbconvert.filters.markdown_mistune")
    answer = ReleasedCell("q", "markdown", "?", "sum", False, graded=True, solution=True, points=1.0)
    locked = ReleasedCell("locked", "markdown", text, "sum", True)
    pictures = {"b.png": {"image/png": "aaaa"}}
    handed_in = [NotebookCell("markdown", text + "\n![b](attachment:b.png)", name, pictures)]
    for cell in restored(handed_in, (answer, locked), None)["cells"]:
        renderer = mistune.IPythonRenderer(escape=False, attachments=cell.get("attachments"))
        page = mistune.MarkdownWithMath(renderer=renderer).render(cell["source"])
        assert ("base64,aaaa" in page) == ("b.png" in cell["source"])


def test_a_locked_cell_keeps_its_picture_which_the_gradebook_has_not() -> None:
    locked = ReleasedCell("locked", "markdown", "![a](attachment:a.png)", "sum", True)
    pictures = {"a.png": {"image/png": "aaaa"}}
    [cell] = restored([NotebookCell("markdown", locked.text, "locked", pictures)], (locked,), None)["cells"]
    assert (cell["source"], cell["attachments"]) == (locked.text, pictures)


def test_pictures_are_kept_and_nothing_that_only_says_it_is_one() -> None:
    forms = {
        "image/png": "aa+/=",
        'image/png" onerror="x()': "aaaa",
        "image/svg+xml": "aaaa",
        "image/gif": '"><script>',
    }
    raw = json.dumps({"cells": [{"cell_type": "markdown", "source": "", "attachments": {"a.png": forms}}]}).encode()
    assert notebook_cells(raw)[0].attachments == {"a.png": {"image/png": "aa+/="}}


def test_pieces_take_text_and_names_of_whatever_lies_there() -> None:
    raw = json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "source": ["a\n", "b"],
                    "metadata": {"nbgrader": {"grade_id": "a"}},
                    "outputs": "?",
                },
                {"cell_type": "code", "source": 7, "metadata": {"nbgrader": [1]}},
                {
                    "cell_type": "markdown",
                    "source": "x",
                    "metadata": None,
                    "attachments": {"p.png": {"image/png": "aaaa"}},
                },
                {"cell_type": "code", "source": "y", "metadata": {"nbgrader": {"grade_id": {"no": "name"}}}},
                {"cell_type": "virus", "source": "z"},
            ]
        }
    ).encode()
    assert notebook_cells(raw) == [
        NotebookCell("code", "a\nb", "a"),
        NotebookCell("code", ""),
        NotebookCell("markdown", "x", "", {"p.png": {"image/png": "aaaa"}}),
        NotebookCell("code", "y"),
    ]
    assert notebook_cells(b'{"worksheets": [{"cells": [{"cell_type": "code", "input": "old"}]}]}') == [
        NotebookCell("code", "old")
    ]


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"cells": 3}', b'{"cells": [' + b"[" * 3_000_000, b"\xff\x00"])
def test_what_is_no_notebook_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        notebook_cells(raw)


def test_half_a_character_can_be_written_again() -> None:
    [piece] = notebook_cells(b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}')
    assert piece.text.encode()


def grade(
    statuses: dict[str, str], status: str = "graded", timing: bool = True, given: dict[str, float] | None = None
) -> model.Grade:
    """A grade of bahdanau; what is not said is passed. ``given``: points of checks that were not passed."""
    checks = [check for check in assignments.load("bahdanau", True).checks if timing or check.kind != "timing"]
    states = {check.id: statuses.get(check.id, "passed") for check in checks}
    points = {check.id: check.points for check in checks if states[check.id] == "passed"} | (given or {})
    outcomes = tuple(outcome(check, states[check.id], points.get(check.id, 0.0), "what was wrong") for check in checks)
    return model.Grade("ana", "bahdanau", 1.0, 100.0, status, outcomes, {}, message="of the whole")  # type: ignore[arg-type]


def total(found: list[cell_scores.CellScore]) -> float:
    return sum(one.score or 0.0 for one in found)


def test_points_are_those_of_the_checks() -> None:
    sources = list(cells_for("bahdanau").values())
    assert total(cell_scores.score_cells(sources, grade({}))) == 100
    lost = {"softmax-values": "failed", "vjp-speed": "timeout"}
    assert total(cell_scores.score_cells(sources, grade(lost))) == 100 - 3 - 3


def test_points_that_a_failed_check_was_given_count_and_are_told() -> None:
    statuses = {"attention-values": "failed", "attention-sums": "blocked", "attention-example": "failed"}
    points = {check.id: check.points for check in assignments.load("bahdanau", True).checks}
    given = {"attention-values": 1.5, "attention-sums": points["attention-sums"]}
    scores = cell_scores.score_cells(list(cells_for("bahdanau").values()), grade(statuses, given=given))
    assert total(scores) == 100 - (points["attention-values"] - 1.5) - points["attention-example"]
    text = next(one.text for one in scores if one.name == "test-bahdanauattention")
    marks = [line[0] for line in text.splitlines() if line[0] in "✗↳○✓"]
    assert marks == sorted(marks, key="✗↳○✓".index)
    assert [marks.count(sign) for sign in "✗↳○"] == [1, 1, 1]
    assert text.count("  Mend this first: ") == 1
    assert f"  1.5 of {points['attention-values']:g} points, since one mistake costs once." in text
    assert text.count("since one mistake costs once") == 2


def test_a_cell_that_is_worth_something_else_shares_its_own_points_out() -> None:
    sources = [
        ReleasedCell(
            "x", "code", "%attngrade bahdanau softmax-values softmax-interface", None, True, graded=True, points=8
        )
    ]
    [found] = cell_scores.score_cells(sources, grade({"softmax-values": "failed"}))
    assert (found.score, found.points) == (2.0, 8)


def test_what_is_skipped_counts_as_all_the_rest_did() -> None:
    """So the percentage is that of attngrade grade, where its points leave the maximum."""
    lost = {"attention-interface": "failed", "softmax-values": "error"}
    lost |= {f"{name}-speed": "skipped" for name in ("softmax", "vjp", "attention")}
    found = {one.name: one for one in cell_scores.score_cells(list(cells_for("bahdanau").values()), grade(lost))}
    share = (92 - 7) / 92
    assert total(list(found.values())) == pytest.approx(100 * share, abs=1e-4)
    assert found["test-softmax_vjp"].score == pytest.approx(24 - 3 + 3 * share, abs=1e-4)
    assert "Scored like the other checks: 2.772 of 3 points." in found["test-softmax_vjp"].text


def test_speed_that_a_run_does_not_measure_counts_as_its_part_did() -> None:
    """So the score is that of attngrade grade --no-timing, where a part keeps its points."""
    lost = {"attention-interface": "failed", "softmax-values": "error"}
    sources = list(cells_for("bahdanau").values())
    found = {one.name: one.score for one in cell_scores.score_cells(sources, grade(lost, timing=False))}
    expected = {"stable_softmax": 26 * 22 / 25, "softmax_vjp": 24, "bahdanauattention": 50 * 42 / 46}
    assert found == {f"test-{part}": pytest.approx(points, abs=1e-4) for part, points in expected.items()}


def test_what_is_skipped_counts_as_given_points_do_too() -> None:
    lost = {"attention-values": "failed", "vjp-speed": "skipped"}
    found = cell_scores.score_cells(list(cells_for("bahdanau").values()), grade(lost, given={"attention-values": 2.0}))
    points = next(c.points for c in assignments.load("bahdanau", True).checks if c.id == "attention-values")
    assert total(found) == pytest.approx(100 * (97 - points + 2) / 97, abs=1e-4)


def test_work_that_never_ran_gets_0_with_the_reason_and_missing_work_no_score_at_all() -> None:
    sources = list(cells_for("bahdanau").values())
    everything = {check.id: "skipped" for check in assignments.load("bahdanau", True).checks}
    for status in ("unreadable", "import-error"):
        found = cell_scores.score_cells(sources, grade(everything, status))
        assert total(found) == 0
        assert all("of the whole" in one.text for one in found)
    with pytest.raises(cell_scores.NotGraded, match="of the whole"):
        cell_scores.score_cells(sources, grade(everything, "missing"))


def test_our_own_fault_and_nothing_to_go_by_are_no_0() -> None:
    sources = list(cells_for("bahdanau").values())
    everything = {check.id: "skipped" for check in assignments.load("bahdanau", True).checks}
    with pytest.raises(cell_scores.NotGraded, match="all checks were skipped"):
        cell_scores.score_cells(sources, grade(everything))
    lost = grade({}, "infrastructure-error")
    with pytest.raises(cell_scores.NotGraded):
        cell_scores.score_cells(sources, model.Grade("a", "bahdanau", None, 100.0, lost.status, lost.checks, {}))


def test_a_check_that_there_is_not_and_a_test_of_another_kind_are_for_a_person() -> None:
    unknown = ReleasedCell("x", "code", "%attngrade bahdanau no-such-check", None, True, graded=True, points=1)
    with pytest.raises(cell_scores.NotGraded, match="no-such-check"):
        cell_scores.score_cells([unknown], grade({}))
    foreign = ReleasedCell("y", "code", "assert True", None, True, graded=True, points=1)
    answer = ReleasedCell("z", "markdown", "your answer", None, False, graded=True, solution=True, points=1)
    found = cell_scores.score_cells([*cells_for("bahdanau").values(), foreign, answer], grade({}))
    assert [(one.name, one.score) for one in found if one.score is None] == [("y", None)]


def test_only_gives_the_checks_asked_for_and_no_case_more() -> None:
    everything = suite.public("bahdanau")
    part = everything.only(["softmax-values"])
    assert [check.id for check in part.spec.checks] == ["softmax-values"]
    assert set(part.prepared) == {"softmax", "softmax-float32"} < set(everything.prepared)
    with pytest.raises(KeyError, match="no-such"):
        everything.only(["no-such"])


def test_nothing_compiles_grammars_to_read_a_notebook() -> None:
    """jsonschema would, for formats that no notebook has, where a package for them is there: two CPU seconds."""
    lines = (
        "import sys",
        "from autograder.integrations.startup import skip_format_grammars",
        "skip_format_grammars()",
        "import nbformat",
        "assert 'lark' not in sys.modules",
        "nbformat.validate(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell('1')]))",
        "try: nbformat.validate({'cells': [{}], 'metadata': {}, 'nbformat': 4, 'nbformat_minor': 5})",
        "except nbformat.ValidationError: sys.exit(0)",
        "sys.exit('a broken notebook passed')",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
