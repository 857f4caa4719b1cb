"""Every solution is worth 100 and every unfilled skeleton 0, as a script and as a notebook, whatever the seed."""

from __future__ import annotations

import pytest

from autograder import assignments, intake, model
from autograder.assignments import NAMES
from autograder.grading import suite
from autograder.grading.runner import Runner
from autograder.instructor.release import solution_notebook
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import DEAR, DEAREST, MORE_SEEDS, OTHER_SEEDS, ROOT, SEED, cost, drawn


def _mark(assignment: str, seed: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return when a solution is graded with a seed. What trains models takes a minute."""
    if seed in MORE_SEEDS or (cost(assignment) >= DEAREST and seed != SEED):
        return (pytest.mark.nightly,)
    return (pytest.mark.thorough,) if seed != SEED or cost(assignment) >= DEAR else ()


SEEDS = [
    pytest.param(name, seed, marks=_mark(name, seed)) for name in NAMES for seed in (SEED, *OTHER_SEEDS, *MORE_SEEDS)
]


@pytest.fixture(scope="module")
def assignment(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def works(assignment: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, model.Submission]:
    folder = tmp_path_factory.mktemp(assignment)
    notebook = folder / "solution.ipynb"
    notebook.write_text(solution_notebook(assignment, ROOT))
    (folder / "empty.py").write_text("")
    files = {
        "solution.py": ROOT / "solutions" / assignment / f"{assignment}.py",
        "solution.ipynb": notebook,
        "skeleton.py": ROOT / "assignments" / assignment / f"{assignment}.py",
        "skeleton.ipynb": ROOT / "assignments" / assignment / f"{assignment}.ipynb",
        "empty.py": folder / "empty.py",
    }
    return {name: intake.open_path(path, assignment)[0][1] for name, path in files.items()}


@pytest.mark.parametrize(("assignment", "seed"), SEEDS, indirect=["assignment"])
def test_solution_100_skeleton_0(
    assignment: str, seed: str, server: ForkServer, works: dict[str, model.Submission]
) -> None:
    runner = Runner(drawn(assignment, seed), server)
    late = cost(assignment) >= DEAREST and seed == SEED  # the notebook takes a minute; the script is for `make nightly`
    grades = {name: runner.grade(work) for name, work in works.items() if not (late and name == "solution.py")}
    lost = {name: [c.id for c in g.checks if c.status not in ("passed", "skipped")] for name, g in grades.items()}
    assert lost.get("solution.py", []) == lost["solution.ipynb"] == []
    scores = {"solution.py": 100, "solution.ipynb": 100, "skeleton.py": 0, "skeleton.ipynb": 0, "empty.py": 0}
    assert {name: grade.score for name, grade in grades.items()} == {name: scores[name] for name in grades}
    assert scores.keys() - grades.keys() == ({"solution.py"} if late else set())
    assert {grade.status for grade in grades.values()} == {"graded"}
    told = {check.diagnosis for name in ("skeleton.py", "empty.py") for check in grades[name].checks if check.points}
    assert told <= {"not-implemented"}


@pytest.mark.parametrize("name", NAMES)
class TestSpecs:
    """What must hold of every list of checks."""

    def test_points_add_up_to_100_and_the_public_ones_to_about_half(self, name: str) -> None:
        checks = assignments.load(name, hidden=True).checks
        public = sum(check.points for check in checks if check.visibility == "public")
        assert sum(check.points for check in checks) == 100
        assert 30 <= public <= 70

    def test_ids_are_unique_and_public_checks_have_public_cases(self, name: str) -> None:
        checks = assignments.load(name, hidden=True).checks
        assert len({check.id for check in checks}) == len(checks)
        for check in checks:
            hidden = {case.id.startswith("hidden-") for case in check.cases}
            assert hidden <= {check.visibility == "hidden"}, check.id

    def test_every_kind_that_the_assignment_needs_is_there_and_speed_is_worth_something(self, name: str) -> None:
        checks = assignments.load(name, hidden=True).checks
        kinds = {check.kind for check in checks}
        assert {"interface", "shape", "value", "gradient", "invariance", "timing"} <= kinds
        assert all(check.points > 0 for check in checks if check.kind == "timing")

    def test_each_part_has_the_points_that_the_assignment_declares_and_none_more_than_half(self, name: str) -> None:
        spec = assignments.load(name, hidden=True)
        points = {part: sum(check.points for check in spec.checks if check.part == part) for part in spec.parts}
        assert points == assignments._part(name).PARTS
        assert max(points.values()) <= 50

    def test_without_timing_each_part_keeps_its_points(self, name: str) -> None:
        spec = assignments.load(name, hidden=True)
        rest = suite.checks(spec, False)
        assert "timing" not in {check.kind for check in rest}
        for part in spec.parts:
            points, before = (
                sum(check.points for check in checks if check.part == part) for checks in (rest, spec.checks)
            )
            assert points == pytest.approx(before)

    def test_sections_are_headings_of_the_handout(self, name: str) -> None:
        text = (ROOT / "assignments" / name / "README.md").read_text()
        headings = {line.lstrip("# ").strip("`") for line in text.splitlines() if line.startswith("#")}
        named = {check.section for check in assignments.load(name, hidden=True).checks if check.section}
        assert named <= headings

    def test_a_case_is_the_same_for_one_seed_and_another_for_another(self, name: str) -> None:
        from autograder.assignments.kit.programs import InputGenerator

        for check in assignments.load(name, hidden=True).checks:
            for case in check.cases:
                first, again, other = (case.build(InputGenerator(seed, name, case.id)) for seed in ("a", "a", "b"))
                assert first == again, case.id
                assert [type(step) for step in first.steps] == [type(step) for step in other.steps]
