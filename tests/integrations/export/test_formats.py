"""Each format against its published schema, or against what the real program writes."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from autograder import model
from autograder.intake.roster import match, read_roster
from autograder.integrations import export
from autograder.integrations.export import Job
from autograder.integrations.gradescope_results import NoScore, results
from autograder.runs.grades_csv import FORMULA as STARTS
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import CLASS, FORMULA, grade, outcome, table

SCHEMAS = Path(__file__).parent / "schemas"
XSD = etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd"))
CTRF = jsonschema.Draft7Validator(
    json.loads((SCHEMAS / "ctrf.schema.json").read_text()), format_checker=jsonschema.FormatChecker()
)
# From gradescope-autograders.readthedocs.io/en/latest/specs/: what may be there, and of which kind.
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEXT_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE = {
    "type": "object",
    "required": ["score", "tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": TEXT_FORMAT,
        "test_output_format": TEXT_FORMAT,
        "test_name_format": TEXT_FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "dependentRequired": {"score": ["max_score"], "max_score": ["score"]},
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": TEXT_FORMAT,
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": TEXT_FORMAT,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def job(*grades: model.Grade, **more: Any) -> Job:
    chosen = grades or CLASS
    times = {one.student: 1_770_000_000_000_000_000 + number * 10**9 for number, one in enumerate(chosen)}
    return Job(tuple(chosen), times, **more)


def only(form: str, of: Job) -> bytes:
    (data,) = export.write(form, of).files.values()
    return data


class TestJUnit:
    """Jenkins' schema, and what a build server shows."""

    def test_it_is_valid_and_holds_everybody(self) -> None:
        document = etree.fromstring(only("junit", job()))
        XSD.assertValid(document)
        assert [suite.get("name") for suite in document] == [one.student for one in CLASS]

    def test_counts_are_those_of_the_elements(self) -> None:
        document = etree.fromstring(only("junit", job()))
        found = {
            suite.get("name"): [suite.get(n) for n in ("tests", "failures", "errors", "skipped")] for suite in document
        }
        assert found["ana"] == ["2", "1", "0", "0"]
        assert found["chen"] == ["2", "1", "1", "0"]
        assert found["eli"] == ["2", "0", "0", "2"]
        assert found["inf"] == ["1", "0", "1", "0"]
        totals = [sum(int(numbers[at]) for numbers in found.values()) for at in range(3)]
        assert [int(document.get(name)) for name in ("tests", "failures", "errors")] == totals

    def test_a_failure_has_its_cause_and_message(self) -> None:
        document = etree.fromstring(only("junit", job()))
        (failure,) = document.xpath("testsuite[@name='ana']/testcase/failure")
        assert failure.get("type") == "missing-tanh"
        assert failure.get("message") == '=context is <wrong> & "bad" \\'
        assert failure.text.endswith("\nLook.")
        case = failure.getparent()
        assert (case.get("name"), case.get("classname")) == ("Title of values [values]", "attngrade.bahdanau.value")
        assert case.findtext("system-out") == "0 of 50 points"

    def test_a_score_that_is_not_due_is_not_there(self) -> None:
        document = etree.fromstring(only("junit", job()))
        path = "testsuite[@name=$who]/properties/property[@name='score']/@value"
        assert [document.xpath(path, who=who)[0] for who in ("ana", "eli", "inf")] == ["50", "", ""]

    @given(TEXT, TEXT)
    def test_any_text_is_valid(self, name: str, message: str) -> None:
        check = outcome("values", 0.0, "failed", message=message)
        one = msgspec.structs.replace(grade(name, 50.0, message=message), checks=(check,))
        XSD.assertValid(etree.fromstring(only("junit", job(one))))


class TestCTRF:
    """The Common Test Report Format by its published schema."""

    def test_it_is_valid_and_holds_everybody(self) -> None:
        report = json.loads(only("ctrf", job()))
        CTRF.validate(report)
        assert {test["suite"][1] for test in report["results"]["tests"]} == {one.student for one in CLASS}

    def test_the_schema_has_teeth(self) -> None:
        report = json.loads(only("ctrf", job()))
        report["results"]["tests"][0]["verdict"] = "passed"
        assert not CTRF.is_valid(report)

    def test_counts_times_and_statuses(self) -> None:
        results = json.loads(only("ctrf", job()))["results"]
        statuses = [test["status"] for test in results["tests"]]
        summary = results["summary"]
        names = ("passed", "failed", "skipped", "pending", "other")
        assert {name: summary[name] for name in names} == {name: statuses.count(name) for name in names}
        assert summary["tests"] == len(statuses)
        assert summary["stop"] - summary["start"] == 7000 + 1250
        by_student = {test["suite"][1]: test for test in results["tests"]}
        assert (by_student["inf"]["status"], by_student["eli"]["status"]) == ("other", "skipped")
        (late,) = (test for test in results["tests"] if test["rawStatus"] == "timeout")
        assert (late["status"], late["message"]) == ("failed", "too long")

    @given(TEXT, TEXT)
    def test_any_text_is_valid(self, name: str, message: str) -> None:
        check = msgspec.structs.replace(outcome("values", 0.0, "failed", message=message), title=name)
        CTRF.validate(json.loads(only("ctrf", job(msgspec.structs.replace(grade(name, 50.0), checks=(check,))))))


class TestGradescope:
    """The ``results.json`` of its documentation."""

    def test_everybody_with_a_score_has_a_file_by_the_documented_schema(self) -> None:
        files = export.write("gradescope", job()).files
        rows = {row["Student"]: row for row in table(files.pop("scores.csv"))}
        assert {row["File"] for row in rows.values()} - {""} == files.keys()
        assert {student for student, row in rows.items() if not row["File"]} == {"eli", "hugo", "inf"}
        assert f"'{FORMULA}" in rows
        for data in files.values():
            jsonschema.validate(json.loads(data), GRADESCOPE, jsonschema.Draft202012Validator)

    def test_what_a_student_sees(self) -> None:
        made = msgspec.to_builtins(results(CLASS[0]))
        passed, failed = made["tests"]
        assert (made["score"], made["stdout_visibility"]) == (50.0, "hidden")
        assert (passed["status"], passed["score"], passed["visibility"]) == ("passed", 50.0, "after_published")
        assert (failed["status"], failed["score"], failed["visibility"]) == ("failed", 0.0, "visible")
        assert failed["output"].endswith("\nLook.")
        assert list(failed["tags"]) == ["missing-tanh"]
        assert [test["number"] for test in made["tests"]] == ["1", "2"]

    def test_our_own_fault_is_never_shown_as_a_score(self) -> None:
        with pytest.raises(NoScore):
            results(CLASS[6])

    def test_zero_when_asked_for(self) -> None:
        files = export.write("gradescope", job(missing_as_zero=True)).files
        assert json.loads(files["eli/results.json"])["score"] == 0
        assert "inf/results.json" not in files


class TestTable:
    """``csv``: long and wide."""

    def test_a_row_a_check_and_nobody_without_a_row(self) -> None:
        rows = table(only("csv", job()))
        assert len(rows) == 2 * (len(CLASS) - 1) + 1
        assert [(row["check"], row["points"]) for row in rows if row["student"] == "ana"] == [
            ("sums", "50"),
            ("values", "0"),
        ]
        (lost,) = (row for row in rows if row["student"] == "inf")
        assert (lost["score"], lost["check"], lost["points"]) == ("", "", "")
        skipped = [row["points"] for row in rows if row["student"] == "eli"]
        assert skipped == ["", ""]

    def test_a_row_a_student(self) -> None:
        rows = {row["student"]: row for row in table(only("csv", job(wide=True)))}
        assert (rows["ana"]["sums"], rows["ana"]["values"], rows["inf"]["sums"]) == ("50", "0", "")
        assert len(rows) == len(CLASS)

    def test_columns_are_those_asked_for_in_their_order(self) -> None:
        data = only("csv", job(columns=("diagnosis", "student")))
        assert data.splitlines()[0] == b"diagnosis,student"
        assert only("csv", job(columns=("values", "student"), wide=True)).splitlines()[1] == b"0,ana"

    def test_a_roster_adds_names(self, tmp_path: Path) -> None:
        (tmp_path / "r.csv").write_text("id,name,email\nana,Ana Lima,a@x.edu\n")
        roster = read_roster(tmp_path / "r.csv")
        row = table(only("csv", job(roster=roster, matching=match(["ana"], roster))))[0]
        assert (row["name"], row["email"]) == ("Ana Lima", "a@x.edu")
        assert "name" not in table(only("csv", job()))[0]

    def test_pandas_reads_it(self, out: Path, run: Run) -> None:
        pandas = pytest.importorskip("pandas")
        run("export", out, "--to", "csv")
        frame = pandas.read_csv(out / "exports" / "checks.csv")
        assert frame[frame.student == "ana"].points.sum() == 50


@given(TEXT, TEXT)
@pytest.mark.parametrize("form", ["csv", "nbgrader", "otter", "gradescope"])
def test_no_cell_is_a_formula(form: str, name: str, message: str) -> None:
    check = outcome("values", 0.0, "failed", message=message, hint=message, diagnosis=message)
    one = msgspec.structs.replace(grade(name, 50.0, "import-error", message=message), checks=(check,))
    files = export.write(form, job(one)).files
    for row in table(files[next(path for path in files if not path.endswith(".json"))]):
        for cell in row.values():
            assert not cell.startswith(STARTS) or cell == "--" or re.fullmatch(r"[+-]?\d+(\.\d+)?", cell)


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_nbgrader_writes_the_same_of_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own plugin, on a gradebook of its own."""
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)  # where alembic is
    api = pytest.importorskip("nbgrader.api")
    from nbgrader.plugins.export import CsvExportPlugin

    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        book.add_assignment("bahdanau")
        book.add_notebook("bahdanau", "bahdanau")
        book.add_grade_cell("test", "bahdanau", "bahdanau", max_score=100, cell_type="code")
        book.add_student("ana", first_name="Ana", last_name="Lima", email="a@x.edu")
        book.add_submission("bahdanau", "ana")
        book.find_grade("test", "bahdanau", "bahdanau", "ana").auto_score = 50
        book.db.commit()
        CsvExportPlugin(to=str(tmp_path / "theirs.csv")).export(book)
    (tmp_path / "r.csv").write_text("id,first name,last name,email\nana,Ana,Lima,a@x.edu\n")
    roster = read_roster(tmp_path / "r.csv")
    ours = only("nbgrader", job(CLASS[0], roster=roster, matching=match(["ana"], roster)))
    assert ours.replace(b"\r\n", b"\n") == (tmp_path / "theirs.csv").read_bytes()


def test_otter_writes_the_same_of_the_same() -> None:
    """Its own table, of its own test results."""
    utils = pytest.importorskip("otter.grade.utils")
    from otter.test_files import GradingResults
    from otter.test_files.abstract_test import TestCase, TestCaseResult
    from otter.test_files.ottr_test import OttrTestFile

    def question(check: model.Outcome) -> Any:
        case = TestCase(check.id, "", False, check.max_points, "", "")
        file = OttrTestFile(check.id, "", [case], False)
        file.test_case_results = [TestCaseResult(case, "", check.status == "passed")]
        return file

    theirs = []
    for one in CLASS[:2]:
        found = GradingResults([question(check) for check in one.checks])
        found.file = one.student
        theirs.append(found)
    ours = only("otter", job(*CLASS[:2]))
    frame = utils.merge_scores_to_df(theirs)
    assert ours.replace(b"\r\n", b"\n").decode().splitlines()[0] == ",".join(frame.columns)
    for mine, row in zip(table(ours), frame.to_dict("records"), strict=True):
        for column, value in row.items():
            same = mine[column] == value if isinstance(value, str) else float(mine[column]) == value
            assert same, (column, mine[column], value)
