"""What is wrong with an assignment of a course, as far as its files show it without running student code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from autograder import assignments, judge, model
from autograder.assignments import declarations, places
from autograder.assignments.kit.programs import PUBLIC_SEED, InputGenerator
from autograder.instructor.authoring import answers, known_mistakes, texts
from autograder.instructor.authoring.problem import Files, Problem
from autograder.instructor.authoring.words import mistakes
from autograder.instructor.release import course_files
from autograder.instructor.release.leaks import leaks_of

WHOLE = 100


def found(assignment: str, known: Collection[str]) -> list[Problem]:
    """Return the problems of an assignment, in the order of its files. ``known``: the causes that have words."""
    files = Files(assignment)
    first = blocking(assignment)
    if any(one.blocks for one in first):
        return first
    spec = assignments.load(assignment)
    return [
        *first,
        *texts.of_solution(files, spec),
        *_of_checks(files, spec),
        *known_mistakes.found(files, spec, known),
        *texts.of_handout(files, spec),
        *texts.of_hints(files, spec),
        *texts.of_explanations(files, {*known, *(one.variant.cause for one in mistakes(assignment))}),
        *(Problem("built/students", 0, leak) for leak in leaks_of(assignment)),
    ]


def blocking(assignment: str) -> list[Problem]:
    """Return what keeps an assignment from being built or graded: files that are missing, do not run, or lack a piece.

    The answers of the reference come last, also those that block nothing.
    """
    files = Files(assignment)
    if missing := list(_missing(files)):
        return missing
    try:
        spec = assignments.load(assignment)
        names = vars(places.imported(places.reference_name(assignment)))
        unmade = list(_unmade(files, spec))
        problems = [*texts.unreadable(files, spec, not unmade), *_of_reference(files, spec, names), *unmade]
        problems += known_mistakes.unreadable(files)
        course_files.given(assignment)
        return problems or answers.problems_in(files, spec.checks)
    except model.CourseError as error:
        return [files.raised(error)]


def _missing(files: Files) -> Iterator[Problem]:
    for name in ("solution.py", "handout.md", "reference.py", "checks.py"):
        if not (files.folder / name).is_file():
            yield Problem(name, 0, "the file is missing; attngrade author new shows what it holds", blocks=True)


def _of_reference(files: Files, spec: model.Spec, names: Mapping[str, Any]) -> Iterator[Problem]:
    defined = texts.defined(files)
    classes = {name for name, node in defined.items() if isinstance(node, ast.ClassDef)}
    for part in defined.keys() & spec.parts:
        if part not in names:
            yield Problem("reference.py", 0, f"it does not define {part}; students write it", blocks=True)
        elif isinstance(names[part], type) != (part in classes):
            sort = "function", "class"
            text = f"{part} is a {sort[part in classes]} in solution.py and a {sort[part not in classes]} here"
            line = declarations.line_of(files.folder / "reference.py", part)
            yield Problem("reference.py", line, f"{text}; make them the same", blocks=True)


def _unmade(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield cases whose program can't be written, and assertions that do not exist."""
    try:
        judge.validate(spec.checks)
    except judge.InvalidAssertion as error:
        name = str(error).partition(":")[0].removeprefix("check ").removeprefix(model.HIDDEN)
        yield files.at("checks.py", f'"{name}"', str(error), blocks=True)
    told = set[tuple[str, int]]()
    for check in spec.checks:
        for case in check.cases:
            try:
                for name in (case.id, case.redrawn().id):
                    case.build(InputGenerator(PUBLIC_SEED, files.assignment, name))
            except Exception as error:
                problem = files.raised(places.blamed(error, f"the inputs of the case {case.id} can't be made"))
                if not problem.line:
                    problem = files.at(_file(check), f'"{check.part}"', problem.text, blocks=True)
                if problem[:2] not in told:
                    yield problem
                told.add(problem[:2])


def _of_checks(files: Files, spec: model.Spec) -> Iterator[Problem]:
    yield from _of_points(files, spec.checks)
    yield from ids_twice(files, spec.checks)
    if not any(check.visibility == "hidden" for check in spec.checks):
        yield Problem("hidden_checks.py", 0, "there is no hidden check, so a table of the public answers passes")
    if not any(check.visibility == "public" for check in spec.checks):
        yield Problem("checks.py", 0, "there is no public check, so students can't check their work")
    for check in spec.checks:
        for case in check.cases:
            if _is_fixed(files.assignment, case):
                why = "has the same inputs while grading, so a table of answers passes; use builder.example"
                text = f"the case {case.id} of {check.id} {why}"
                yield files.at(_file(check), check.id.removeprefix(model.HIDDEN), text)


def _of_points(files: Files, checks: Iterable[model.Check]) -> Iterator[Problem]:
    sums = Counter[str]()
    for check in checks:
        sums[check.visibility] += check.points  # type: ignore[assignment]  # points may be fractions
    total = sum(sums.values())
    if abs(total - WHOLE) > 1e-6:
        change = f"add {WHOLE - total:g} to them" if total < WHOLE else f"take {total - WHOLE:g} from them"
        shares = f"{sums['public']:g} in checks.py and {sums['hidden']:g} in hidden_checks.py"
        text = f"the points of all checks add up to {total:g}, expected {WHOLE}: {shares}; {change}"
        yield files.at("checks.py", "CHECKS =", text)


def ids_twice(files: Files, checks: Iterable[model.Check]) -> Iterator[Problem]:
    """Yield ids that occur twice: of two checks, or of two cases."""
    twice = {name for name, count in Counter(check.id for check in checks).items() if count > 1}
    told = set[tuple[str, ...]]()
    for name in sorted(twice):
        parts = tuple(dict.fromkeys(check.part for check in checks if check.id == name))
        if len(parts) == 1:
            text = f'{sum(check.id == name for check in checks)} checks have the id {name}; give one of them id="..."'
            yield files.at("checks.py", f'"{parts[0]}"', text)
        elif parts not in told:
            told.add(parts)
            why = f"{' and '.join(parts)} give their checks the same ids, such as {name}"
            text = f'{why}; write id="..." in module(...), or in the checks of one of them'
            yield files.at("checks.py", f'"{parts[1]}"', text)
    names = Counter(case.id for case in {id(case): case for check in checks for case in check.cases}.values())
    of_checks = {case.id for check in checks if check.id in twice for case in check.cases}
    for name, count in names.items():
        if count > 1 and name not in of_checks:
            yield files.at("checks.py", name, f"{count} different cases have the name {name}; rename one")


def _is_fixed(assignment: str, case: model.Case) -> bool:
    """Whether a case has the same inputs while grading as students have."""
    first, other = (case.build(InputGenerator(PUBLIC_SEED, assignment, name)) for name in (case.id, case.redrawn().id))
    return bool(first.arrays) and first.arrays == other.arrays and first.device == "cpu"


def _file(check: model.Check) -> str:
    return "hidden_checks.py" if check.visibility == "hidden" else "checks.py"
