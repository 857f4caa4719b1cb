"""Checks that are proposed for one assignment, and what they catch. Importing this needs the references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autograder import assignments, model
from autograder.assignments import places
from autograder.grading import suite
from autograder.grading.usual import usual_limits
from autograder.instructor.audit.corpus import CorpusError, Sample, mutants_of
from autograder.instructor.authoring.suggest import choosing, declared, subjects, writing
from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.instructor.authoring.suggest.declared import DeclaredError
from autograder.instructor.authoring.suggest.suggestion import Failing, Suggestion, Survivor
from autograder.instructor.authoring.suggest.survey import Survey
from autograder.instructor.authoring.suggest.trying import Bench
from autograder.model.checks import HIDDEN
from autograder.runs import pool

__all__ = ["CorpusError", "DeclaredError", "NothingToSuggest", "suggested"]

SOLVED = 3  # seeds with which the solution must pass
NOT_GRADED = "(not graded)"  # in place of a check: a mutant that can't be run


class NothingToSuggest(Exception):
    """No check can be proposed. The message says why."""


def suggested(assignment: str, lines: Sequence[str], seed: str, jobs: int) -> Suggestion:
    """Propose checks from the solution and the reference alone, and grade mutants of the solution with them.

    ``lines`` say what calls take, beside the reference's INPUTS. Raises DeclaredError, CorpusError, NothingToSuggest,
    CourseError, SuiteError or SandboxError.
    """
    place = places.place(assignment)
    solution = place.solution.read_text(encoding="utf-8")
    mutants = mutants_of(solution, place.corpus)
    known = subjects.assignment(assignment, solution)
    survey = Survey(Bench(assignment), known, declared.table(known, lines))
    likely = choosing.likely(survey)
    if not likely:
        raise NothingToSuggest(_why(assignment, survey))
    grader = _Grader(assignment, likely, seed, jobs)
    unsolved = grader.failing(solution)
    held = [one for one in likely if one.check.id not in unsolved]
    if not held:
        raise NothingToSuggest(f"{assignment}: the solution passes nothing: {next(iter(unsolved.values()))}")
    wrong = {one.name: one for one in mutants if one.sort == "mutant"}
    caught = grader.caught({name: one.source for name, one in wrong.items()}, held)
    chosen = choosing.chosen(held, caught)
    return _suggestion(assignment, chosen, wrong, caught, unsolved, [str(one) for one in survey.missing])


def _why(assignment: str, survey: Survey) -> str:
    missing = "; ".join(map(str, survey.missing))
    return missing or f"{assignment}: solution.py and reference.py define no function or class of the same name"


def _suggestion(
    assignment: str,
    chosen: Sequence[Candidate],
    wrong: Mapping[str, Sample],
    caught: Mapping[str, set[str]],
    unsolved: Mapping[str, str],
    missing: list[str],
) -> Suggestion:
    title = str(assignments.declared(assignment, "", "TITLE", assignment))
    ids = [one.check.id for one in chosen]
    found = {name: found & {*ids, NOT_GRADED} for name, found in caught.items()}
    return Suggestion(
        assignment=assignment,
        files=writing.files(title, chosen, choosing.points(chosen)),
        mutants=len(wrong),
        killed=sum(map(bool, found.values())),
        caught={id: sum(id in each for each in found.values()) for id in ids},
        alone={id: sum(each == {id} for each in found.values()) for id in ids},
        survived=[Survivor(name, wrong[name].diff) for name, each in found.items() if not each],
        unsolved=[Failing(id, message) for id, message in unsolved.items()],
        missing=missing,
    )


class _Grader:
    """Grades submissions with proposed checks, in confined workers."""

    def __init__(self, assignment: str, candidates: Sequence[Candidate], seed: str, jobs: int) -> None:
        self.assignment = assignment
        self.candidates = candidates
        self.jobs = jobs
        self.plan = pool.RunPlan(assignment, seed, usual_limits(assignment), timing=False, causes=False)
        self.suite = suite.drafted(assignment, [one.check for one in candidates], seed)

    def failing(self, solution: str) -> dict[str, str]:
        """Return the checks that the solution fails, with a message; for other inputs too."""
        found: dict[str, str] = {}
        checks = [one.check for one in self.candidates]
        for number in range(SOLVED):
            seed = f"{self.plan.seed} {number}"
            tried = self.suite if not number else suite.drafted(self.assignment, checks, seed)
            for _, grade in self._graded({"solution": solution}, tried, 1):
                if grade.status != "graded":
                    raise NothingToSuggest(f"{self.assignment}: the solution can't be graded: {grade.message}")
                found |= {_own(one.id): one.message for one in grade.checks if one.status != "passed"}
        return found

    def caught(self, sources: Mapping[str, str], held: Sequence[Candidate]) -> dict[str, set[str]]:
        """Return the checks that catch each mutant. Only what core checks let through is tried on the others."""
        core = [one for one in held if one.is_core]
        found = self._caught(sources, core)
        left = {name: source for name, source in sources.items() if not found.get(name)}
        others = [one for one in held if not one.is_core]
        return found | (self._caught(left, others) if left and others else {})

    def _caught(self, sources: Mapping[str, str], checks: Sequence[Candidate]) -> dict[str, set[str]]:
        narrow = self.suite.only({f"{HIDDEN}{one.check.id}" for one in checks})
        found: dict[str, set[str]] = {}
        for name, grade in self._graded(sources, narrow, self.jobs):
            failed = {_own(one.id) for one in grade.checks if one.status not in ("passed", "skipped")}
            found[name] = failed if grade.status in ("graded", "partial") else {NOT_GRADED}
        return {name: found[name] for name in sources}

    def _graded(
        self, sources: Mapping[str, str], checks: suite.CheckSuite, jobs: int
    ) -> Iterator[tuple[str, model.Grade]]:
        names = list(sources)
        works = [
            model.Submission(str(number), "ready", "script", f"{self.assignment}.py", (sources[name].encode(),))
            for number, name in enumerate(names)
        ]
        for work, grade in pool.grade_all(self.plan, works, jobs, checks):
            yield names[int(work.student)], grade


def _own(id: str) -> str:
    return id.removeprefix(HIDDEN)
