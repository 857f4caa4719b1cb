"""Public checks get cases with secret numbers while grading: students have the inputs of the others."""

from __future__ import annotations

import random
from collections.abc import Collection

from msgspec.structs import replace

from autograder import model


def redrawn(spec: model.Spec, seed: str) -> model.Spec:
    """Return the spec with redrawn cases in its public checks: at least one in each, which the seed chooses.

    Checks share them, since each costs as much as any other case.
    """
    public = [check for check in spec.checks if check.visibility == "public" and check.cases]
    chosen: set[str] = set()
    for check in sorted(public, key=lambda check: len(check.cases)):
        telling = most_telling(check)
        if not chosen & set(telling):
            chosen.add(random.Random(f"{seed} {check.id}").choice(telling))
    return replace(spec, checks=tuple(_with_redrawn(check, chosen) for check in spec.checks))


def most_telling(check: model.Check) -> list[str]:
    """Return the cases in which most of the check's assertions must hold."""
    counts = {case.id: sum(not one.cases or case.id in one.cases for one in check.assertions) for case in check.cases}
    return [name for name, count in counts.items() if count == max(counts.values())]


def _with_redrawn(check: model.Check, chosen: Collection[str]) -> model.Check:
    if check.visibility == "hidden":
        return check
    return replace(check, redrawn=tuple(case.redrawn() for case in check.cases if case.id in chosen))
