"""``attngrade regrade``: whom a change affects, what it would change, and that only --apply writes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import pytest

import autograder
from autograder import assignments, model
from autograder.grading import fingerprints
from autograder.runs import affected, grading_run, history, pool, results
from autograder.runs.history import Row
from autograder.runs.journal import Journal, JournalError
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.limits import Limits
from tests.command_helpers import CommandResult, Run
from tests.corpus.suites import SEED
from tests.grading_helpers import outcome

from .conftest import SOLUTION

WRONG = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")
Change = Callable[[model.Check], model.Check]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with submissions (``in``) and their grades (``out``), without timing."""
    from autograder.cli import app

    folder = tmp_path_factory.mktemp("first")
    for name, text in {
        "ana.py": SOLUTION,
        "bo.py": WRONG,
        "dara.py": "def (",
        "eli/notes.txt": "ill",
        "hugo.ipynb": "{",
    }.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text)
    words = ["grade", str(folder / "in"), "-a", "bahdanau", "-o", str(folder / "out"), "--no-timing", "-j", "1"]
    assert app.run(words) == 0
    return folder


@pytest.fixture
def folder(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of ``first`` after the grader's files have changed without changing any check."""
    shutil.copytree(first, tmp_path, dirs_exist_ok=True)
    later = f"later than {fingerprints.sources()}"  # drawn exams are kept between test runs, by this digest
    monkeypatch.setattr(fingerprints, "sources", lambda: later)
    monkeypatch.setattr(fingerprints, "_code", lambda *_: "the same")
    book = Journal(tmp_path / "out" / "journal.sqlite", "bahdanau")
    with book.database as database:
        for key, text in database.execute("SELECT key, value FROM run WHERE key LIKE 'exam %'").fetchall():
            done = msgspec.json.decode(text, type=fingerprints.Fingerprints)
            plan = pool.RunPlan("bahdanau", SEED, Limits(), timing=False)
            same = grading_run.suite_fingerprints(plan)
            done = msgspec.structs.replace(done, machine=same.machine, wording=same.wording)
            database.execute("UPDATE run SET value = ? WHERE key = ?", (msgspec.json.encode(done).decode(), key))
    book.close()
    pool.suite_of.cache_clear()
    yield tmp_path
    pool.suite_of.cache_clear()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the grading: everybody gets 60 points. The list holds the students that are graded."""
    names: list[str] = []

    def grade_all(plan: pool.RunPlan, submissions: Any, jobs: int) -> Iterator[tuple[model.Submission, model.Grade]]:
        checks = pool.suite_of(plan).spec.checks
        for one in submissions:
            names.append(one.student)
            if b"broken grader" in one.cells[0]:
                yield one, pool.infrastructure_error(one, plan.assignment, SandboxError("no"))
                continue
            outcomes = tuple(outcome(check, "passed", check.points) for check in checks)
            yield one, model.Grade(one.student, plan.assignment, 60.0, 100.0, "graded", outcomes, {})

    monkeypatch.setattr(pool, "grade_all", grade_all)
    return names


def change(monkeypatch: pytest.MonkeyPatch, alter: Change) -> None:
    """Change every check from now on."""
    load = assignments.load

    def changed(assignment: str, hidden: bool | None = None) -> model.Spec:
        spec = load(assignment, hidden)
        return msgspec.structs.replace(spec, checks=tuple(alter(check) for check in spec.checks))

    monkeypatch.setattr(assignments, "load", changed)


def swapped(check: model.Check) -> model.Check:
    """Move points from a check that bo passes to one that bo fails. The sum stays."""
    points = {"softmax-interface": 0.5, "attention-values": check.points + 0.5}
    return msgspec.structs.replace(check, points=points.get(check.id, check.points))


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return all files of a folder with their times."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def proposed(run: Run, folder: Path, *more: object, status: int = 0) -> dict[str, Any]:
    done = run("regrade", folder / "out", "--json", "-j", 1, *more)
    assert done.status == status, done.err
    return json.loads(done.out)  # type: ignore[no-any-return]


def score(folder: Path, student: str) -> float | None:
    return results.read_result(folder / "out" / "results" / f"{student}.json").score


def test_no_change_is_no_change(folder: Path, run: Run, asked: list[str]) -> None:
    before = contents(folder)
    found = proposed(run, folder)
    assert (found["changed"], found["reworded"], found["unchanged"], found["graded"]) == ([], 0, 5, 0)
    assert asked == []
    assert contents(folder) == before
    assert run("regrade", folder / "out").out.startswith("No score would change.")


def resumed(run: Run, folder: Path) -> CommandResult:
    """Resume the first run."""
    given = (folder / "in", "-a", "bahdanau", "-o", folder / "out")
    return run("grade", *given, "--no-timing", "--resume", "-j", 1)


def test_what_a_change_does_not_touch_is_known_to_be_graded(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (folder / "out" / "grades.csv").read_bytes()
    proposed(run, folder, "--apply")
    assert resumed(run, folder).status == 0
    assert asked == []
    assert (folder / "out" / "grades.csv").read_bytes() == table
    assert not (folder / "out" / "previous").exists()
    assert json.loads(run("show", folder / "out", "bo", "--history", "--json").out)["history"] == []
    monkeypatch.setenv("ATTNGRADE_SEED", "another seed")
    assert proposed(run, folder)["changed"]
    monkeypatch.setenv("ATTNGRADE_SEED", SEED)
    assert proposed(run, folder)["changed"] == []  # what another proposal left behind is not this one


def test_other_points_are_reckoned_without_running_anything(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(folder)
    had = score(folder, "bo")
    change(monkeypatch, swapped)
    found = proposed(run, folder)
    assert asked == []
    assert found["graded"] == 0
    (bo,) = found["changed"]
    (check,) = (one for one in bo["checks"] if one["id"] == "softmax-interface")
    assert (check["why"], check["before"], check["points_after"] < check["points_before"]) == (
        "other points",
        "passed",
        True,
    )
    assert bo["student"] == "bo"
    assert bo["score_before"] == had
    assert bo["by"] == round(bo["score_after"] - had, 6) < 0
    assert contents(folder) == before
    table = run("regrade", folder / "out").out
    assert "bo" in table
    assert "Nothing has been written" in table
    assert contents(folder) == before


def test_apply_writes_what_was_shown_and_keeps_what_it_replaces(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    had, table = score(folder, "bo"), (folder / "out" / "grades.csv").read_bytes()
    change(monkeypatch, swapped)
    proposal = proposed(run, folder)
    done = proposed(run, folder, "--apply")
    assert done | {"applied": False} == proposal
    (bo,) = done["changed"]
    assert score(folder, "bo") == bo["score_after"]
    assert f"bo,bahdanau,{bo['score_after']:.10g}," in (folder / "out" / "grades.csv").read_text()
    (place,) = (folder / "out" / "previous").iterdir()
    assert (place / "grades.csv").read_bytes() == table
    assert results.read_result(place / "results" / "bo.json").score == had
    assert (place / "report" / "index.html").exists()
    shown = json.loads(run("show", folder / "out", "bo", "--history", "--json").out)
    assert [one["grade"]["score"] for one in shown["history"]] == [had]
    assert shown["now"]["score"] == bo["score_after"]
    lines = run("show", folder / "out", "bo", "--history").out.splitlines()
    assert lines[0].startswith("until 2")
    assert lines[-1].startswith(f"now: {bo['score_after']:.2f} of 100")
    assert proposed(run, folder)["changed"] == []  # it is done
    assert resumed(run, folder).status == 0
    assert asked == []  # and the journal knows that these are the grades of the new exam


def test_a_changed_check_runs_again_those_whom_it_can_touch(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Really graded: one check becomes more lenient. A mistake still costs half of its part, so only words change."""

    def kinder(check: model.Check) -> model.Check:
        shapes = (model.Assertion("shapes", "out"),)
        return msgspec.structs.replace(check, assertions=shapes) if check.id == "attention-values" else check

    change(monkeypatch, kinder)
    before = contents(folder)
    found = proposed(run, folder)
    assert found["graded"] == 2  # not those of whom nothing was run
    assert list(found["reasons"]) == ["checks have changed: attention-values"]
    assert (found["changed"], found["reworded"], found["unchanged"]) == ([], 1, 4)
    assert contents(folder) == before


def test_another_seed_asks_everyone_again_who_was_asked(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNGRADE_SEED", "another seed")
    found = proposed(run, folder)
    assert asked == ["ana", "bo"]
    assert {one["student"]: one["score_after"] for one in found["changed"]} == {"ana": 60.0, "bo": 60.0}
    assert "softmax-interface" in "".join(found["reasons"])  # public, and redrawn from the seed


def test_what_was_graded_for_a_proposal_is_not_graded_again(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNGRADE_SEED", "another seed")
    proposed(run, folder)
    done = proposed(run, folder, "--apply")
    assert asked == ["ana", "bo"]
    assert done["applied"]
    assert (score(folder, "ana"), score(folder, "bo")) == (60.0, 60.0)
    monkeypatch.setenv("ATTNGRADE_SEED", "a third")
    proposed(run, folder)
    assert asked == ["ana", "bo", "ana", "bo"]


@pytest.mark.parametrize(
    ("words", "again"),
    [
        (["--case-seconds", "3"], ["ana", "bo", "dara"]),  # less: anybody may have needed what there was
        (["--case-seconds", "9"], ["bo", "dara"]),  # more: nothing can become of what was all right
    ],
)
def test_other_limits_touch_whom_they_can(
    words: list[str], again: list[str], folder: Path, run: Run, asked: list[str]
) -> None:
    proposed(run, folder, *words)
    assert asked == again


def test_work_that_changed_came_or_went_is_named_and_left_alone(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "in" / "ana.py").write_text(WRONG)
    (folder / "in" / "bo.py").unlink()
    (folder / "in" / "zoe.py").write_text(SOLUTION)
    change(monkeypatch, swapped)
    had = {name: score(folder, name) for name in ("ana", "bo")}
    found = proposed(run, folder, folder / "in", "--apply")
    assert (found["work_changed"], found["gone"], found["ungraded"]) == (["ana"], ["bo"], ["zoe"])
    assert asked == []
    assert {name: score(folder, name) for name in ("ana", "bo")} == had
    assert "ana" in run("regrade", folder / "out", folder / "in").out


def test_our_fault_takes_nothing_away(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def grade_all(plan: pool.RunPlan, submissions: Any, jobs: int) -> Iterator[tuple[model.Submission, model.Grade]]:
        for one in submissions:
            yield one, pool.infrastructure_error(one, plan.assignment, SandboxError("no"))

    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setenv("ATTNGRADE_SEED", "another seed")
    had = score(folder, "ana")
    found = proposed(run, folder, "--apply", status=1)
    assert found["failed"] == ["ana", "bo"]
    assert score(folder, "ana") == had == 100.0
    assert found["changed"] == []


def test_a_run_killed_while_proposing_goes_on(
    folder: Path, run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Journal.record

    def die(self: Journal, grade: model.Grade, *rest: str) -> None:
        record(self, grade, *rest)
        if grade.status == "graded":
            raise KeyboardInterrupt

    monkeypatch.setenv("ATTNGRADE_SEED", "another seed")
    before = contents(folder)
    monkeypatch.setattr(Journal, "record", die)
    assert run("regrade", folder / "out").status == 1
    monkeypatch.setattr(Journal, "record", record)
    assert contents(folder) == before
    assert len(proposed(run, folder)["changed"]) == 2
    assert asked == ["ana", "bo"]


def test_wrong_calls(folder: Path, run: Run) -> None:
    done = run("regrade", folder / "in")
    assert done.status == 2
    assert "holds no journal" in done.err
    shutil.rmtree(folder / "in")
    database = Journal(folder / "out" / "journal.sqlite", "bahdanau")
    database.note("submissions", str(folder / "in"))
    database.close()
    done = run("regrade", folder / "out")
    assert done.status == 2
    assert "there are no submissions at" in done.err
    assert run("show", folder / "out", "nobody", "--history").status == 2


def test_rows_that_changed_meanwhile_are_not_overwritten(tmp_path: Path) -> None:
    book = Journal(tmp_path / "journal.sqlite", "bahdanau")
    grade = model.Grade("ana", "bahdanau", 1.0, 100.0, "graded", (), {})
    better = msgspec.structs.replace(grade, score=2.0)
    for name in ("ana", "bo"):
        book.record(msgspec.structs.replace(grade, student=name), "work", "exam")
    row = history.row(book, "bo")
    assert row is not None
    stale = Row("ana", "work", "an older exam", grade)
    pairs = [(row, Row("bo", "work", "new", better)), (stale, Row("ana", "work", "new", better))]
    with pytest.raises(JournalError, match="meanwhile"):
        history.amend(book, pairs, "now")
    assert {found.grade.score for found in history.rows(book)} == {1.0}
    assert history.history(book, "bo") == []
    book.close()


def test_a_journal_that_a_killed_run_left_is_read_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    running = Journal(tmp_path / "journal.sqlite", "bahdanau")
    running.record(model.Grade("ana", "bahdanau", 1.0, 100.0, "graded", (), {}), "work", "exam")
    for path in tmp_path.glob("journal.sqlite*"):  # with a log that nobody has folded in
        shutil.copy(path, tmp_path / "out")
    running.close()
    before = contents(tmp_path / "out")
    with history.untouched(tmp_path / "out") as found:
        assert [row.student for row in history.rows(found)] == ["ana"]
    assert contents(tmp_path / "out") == before


class TestReasons:
    """Which grades must be computed again, by what has changed."""

    OLD = fingerprints.Fingerprints("m", "t", {"case_seconds": 6.0}, {"one": fingerprints.CheckFingerprint("a", "w")})

    @staticmethod
    def grade(status: str = "graded", check: str = "passed", message: str = "") -> model.Grade:
        outcome = model.Outcome("one", "One", "value", "public", check, 1.0, 1.0, message)  # type: ignore[arg-type]
        return model.Grade("ana", "luong", 1.0, 1.0, status, (outcome,), {})  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("new", "again"),
        [
            ({}, []),
            ({"machine": "n"}, ["right", "wrong", "partial", "import-error", "infrastructure-error"]),
            ({"wording": "u"}, ["wrong", "partial", "infrastructure-error"]),
            ({"limits": {"case_seconds": 5.0}}, ["right", "wrong", "partial", "import-error", "infrastructure-error"]),
            ({"limits": {"case_seconds": 7.0}}, ["wrong", "partial", "import-error", "infrastructure-error"]),
            (
                {"checks": {"one": fingerprints.CheckFingerprint("b", "w")}},
                ["right", "wrong", "partial", "infrastructure-error"],
            ),
            ({"checks": {"one": fingerprints.CheckFingerprint("a", "x")}}, ["infrastructure-error"]),
            ({"checks": {}}, ["partial", "infrastructure-error"]),
        ],
    )
    def test_by_what_has_changed(self, new: dict[str, Any], again: list[str]) -> None:
        now = msgspec.structs.replace(self.OLD, **new)
        grades = {
            "right": self.grade(),
            "wrong": self.grade(check="failed", message="no"),
            "partial": self.grade("partial", "timeout", "late"),
            "import-error": self.grade("import-error", "error"),
            "missing": self.grade("missing", "skipped", "nothing"),
            "unreadable": self.grade("unreadable", "skipped", "nothing"),
            "infrastructure-error": self.grade("infrastructure-error", "skipped"),
        }
        found = [name for name, grade in grades.items() if affected.reason(self.OLD, now, grade)]
        if not new:
            again = ["infrastructure-error"]
        assert found == again

    def test_what_is_not_known_is_asked_again(self) -> None:
        assert affected.reason(None, self.OLD, self.grade())
        assert not affected.reason(None, self.OLD, self.grade("missing", "skipped"))


def test_every_pattern_of_files_finds_some() -> None:
    package = Path(autograder.__file__).parent
    paths = [file.relative_to(package).as_posix() for file in package.rglob("*.py")]
    for pattern in (*fingerprints.JUDGING, *fingerprints.EXCLUDED, *fingerprints.WORDING):
        assert [path for path in paths if fnmatchcase(path, pattern)], pattern


@pytest.mark.parametrize(
    "path", ["judge/tolerances.py", "grading/runner.py", "worker/loading.py", "sandbox/launch.py", "protocol/wire.py"]
)
def test_what_judges_is_never_set_apart(path: str) -> None:
    assert any(fnmatchcase(path, pattern) for pattern in fingerprints.JUDGING)
    assert not any(fnmatchcase(path, pattern) for pattern in (*fingerprints.EXCLUDED, *fingerprints.WORDING))
