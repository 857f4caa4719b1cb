"""Which checks hold on the reference itself, and show something."""

from __future__ import annotations

from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.assignments.kit.programs import InputGenerator
from autograder.instructor import oracle
from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.judge import result_tables
from autograder.protocol import wire

SEEDS = ("one", "two")
OF_THE_REFERENCE = ("permuted", "same", "sums", "raises")  # assertions that a reference can fail
COMPARED = ("permutation", "alone", "shift")


def holds(assignment: str, candidate: Candidate) -> bool:
    """Whether the reference passes a check, for several draws, and the check would not pass anything."""
    try:
        check = candidate.check
        cases = [(case, seed) for case in check.cases for seed in SEEDS]
        return all(_passes(assignment, check, case, seed) for case, seed in cases) and _shows(assignment, candidate)
    except Exception:  # the reference does not take these inputs
        return False


def _passes(assignment: str, check: model.Check, case: model.Case, seed: str) -> bool:
    prepared = oracle.prepare(assignment, case, seed)
    wanted = [one for one in check.assertions if one.name in OF_THE_REFERENCE]
    refused = {one.step for one in wanted if one.name == "raises"}
    if any(one.raised and one.into not in refused for one in prepared.expected_results):
        return False
    answer = protocol.Answer("", prepared.expected_results)
    return judge.first_failure(wanted, prepared, answer) is None


def _shows(assignment: str, candidate: Candidate) -> bool:
    """Whether the inputs matter: gradients are not all 0, and what is moved makes a difference somewhere."""
    case = candidate.check.cases[0]
    prepared = oracle.prepare(assignment, case, SEEDS[0])
    if candidate.kind == "gradients" and not candidate.options:
        found = [one for result in prepared.expected_results for one in result.gradients.values() if one]
        return any(wire.to_numpy(one).any() for one in found)
    if candidate.kind in COMPARED:
        other = case.build(InputGenerator(SEEDS[1], assignment, case.id))
        changed = {candidate.options[0].strip('"')} if candidate.kind == "shift" else set(other.arrays)
        arrays = {name: (other if name in changed else prepared.program).arrays[name] for name in other.arrays}
        program = replace(prepared.program, arrays=arrays)
        results = result_tables.table(program, oracle.right_results(assignment, program))
        before = result_tables.table(prepared.program, prepared.expected_results)
        return any(before[key].shape != results[key].shape or (before[key] != results[key]).any() for key in before)
    return True
