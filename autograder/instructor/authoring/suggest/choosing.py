"""Which of the checks that hold are proposed, and with how many points."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from autograder.instructor.authoring.suggest import holding, properties, refusals
from autograder.instructor.authoring.suggest.candidates import Candidate, combined
from autograder.instructor.authoring.suggest.subjects import Assignment
from autograder.instructor.authoring.suggest.survey import Survey

WHOLE = 100
Caught = Mapping[str, Collection[str]]  # mutant -> the ids of the checks that catch it


def likely(survey: Survey) -> list[Candidate]:
    """Return the checks that hold on the reference, each with an id of its own."""
    assignment = survey.assignment
    forms = (one for form in survey.forms for one in properties.of(form))
    every = [*forms, *refusals.of(survey)]
    held = [one for one in every if holding.holds(assignment.name, one)]
    return _apart(sorted(held, key=lambda one: _place(one, assignment)))


def _place(candidate: Candidate, assignment: Assignment) -> int:
    return [part.name for part in assignment.parts].index(candidate.part)


def _apart(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Give a longer id to a check whose id another one has: of a function and a class with like names."""
    seen: set[str] = set()
    found = []
    for one in candidates:
        number = 2
        first = one
        while one.check.id in seen:
            one = replace(first, tag=combined(first.tag, str(number)))
            number += 1
        seen.add(one.check.id)
        found.append(one)
    return found


def chosen(candidates: Sequence[Candidate], caught: Caught) -> list[Candidate]:
    """Return the core checks, and as few others as catch what these let through."""
    core = {one.check.id for one in candidates if one.is_core}
    left = {name for name, ids in caught.items() if ids and not core & set(ids)}
    kept = set(core)
    others = [one.check.id for one in candidates if not one.is_core]
    while left:
        best = max(others, key=lambda id: sum(id in caught[name] for name in left), default="")
        gained = {name for name in left if best in caught[name]}
        if not gained:
            break
        kept.add(best)
        left -= gained
    return [one for one in candidates if one.check.id in kept]


def points(checks: Sequence[Candidate]) -> dict[str, float]:
    """Return points by check that add up to 100: whole ones if there are at most 100 checks."""
    step = 1.0
    while len(checks) * step > WHOLE:
        step /= 2
    shares = {one.check.id: one.weight for one in checks}
    free, total = WHOLE - len(checks) * step, sum(shares.values()) or 1.0
    wanted = {id: free * share / total / step for id, share in shares.items()}
    given = {id: int(one) for id, one in wanted.items()}
    missing = round(free / step) - sum(given.values())
    for id in sorted(wanted, key=lambda id: given[id] - wanted[id])[:missing]:
        given[id] += 1
    return {id: step + count * step for id, count in given.items()}
