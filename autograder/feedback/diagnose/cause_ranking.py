"""From failed checks to their causes (contract, section 5).

There are four kinds of evidence, the most certain first:

- A *symptom* allows only one cause.
- A *variant* is a known mistake with the same answer as the student's.
- A *pattern* is what the failing cases have in common, and the passing ones don't.
- A *sign* is a relation between actual and expected values that only one cause makes.

A check gets a cause where evidence supports it, none contradicts it, and no other cause has equal support. Otherwise it
gets none, and the student reads only the symptom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from autograder import model, protocol
from autograder.feedback.diagnose import patterns, signs, symptoms, variants
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import Rerun, SubmissionRecords
from autograder.feedback.diagnose.variants import VariantTable

LEVELS = {"structure": 5, "symptom": 4, "variant": 3, "pattern": 2, "sign": 1}
FIRM = LEVELS["variant"]  # evidence of this level stands beside any other, except a structural fault
STRUCTURE = {"wrong-parameters", "forbidden-call"}  # anything else that is wrong may follow from these
# cause -> causes that explain it: beside one of them it is not reported
FOLLOWS_FROM = {
    "detached-graph": {"modifies-input", "hard-attention", "hardcoded-answer"},
    "device-hardcoded": {"detached-graph"},  # through NumPy, for example
    "random-in-eval": {"wrong-parameters"},  # a parameter outside the state dict is random in every new module
    "mask-leaks": {"mask-not-used"},
}
MIXED = {"silent-broadcast"}  # patterns that two mistakes of other kinds make together
# Findings that numbers do not explain.
NO_NUMBERS = {"did-not-raise", "raised-other", "wrong-signature", "wrong-kind", "changed-mode", "no-interface"}

Levels = dict[str, int]  # cause -> level of its best evidence


class FailedCheck(NamedTuple):
    """A failed check, with the first finding of each failing case."""

    check: model.Check
    findings: Mapping[str, model.Finding]  # by case


class _Evidence(NamedTuple):
    """All sources of evidence about one submission."""

    impossible: Collection[str]
    submission: SubmissionRecords
    variants: variants.VariantMatcher
    signs: signs.SignMatcher


def causes(
    failed: Sequence[FailedCheck],
    prepared: Mapping[str, model.Prepared],
    answers: Mapping[str, protocol.Answer | None],
    variant_table: VariantTable,
    rerun: Rerun,
    own_backward: bool = False,
    impossible: Collection[str] = (),
    helped: Collection[str] = (),
) -> dict[str, str | None]:
    """Return the cause of each failed check, by its id; None where no cause is certain.

    ``prepared`` and ``answers`` are by case. ``rerun`` runs a program several times in a new process.
    ``own_backward``: the file defines a backward pass by hand. ``impossible``: causes that no pattern of failing cases
    shows here. ``helped``: cases that were answered with right parts in the place of the submission's.
    """
    if not failed:
        return {}
    records = {name: CaseRecord(prepared[name], answer) for name, answer in answers.items()}
    failing = {case for check in failed for case in check.findings}
    submission = SubmissionRecords(records, failing, rerun, own_backward, frozenset(helped))
    evidence = _Evidence(
        impossible, submission, variants.VariantMatcher(submission, variant_table), signs.SignMatcher()
    )
    classes = [submission.classes(check.findings) for check in failed]
    parts = [_parts(check, submission) for check in failed]
    part_fails = [any(inner & other for other in classes) for inner in parts]
    candidates = [_candidates(check, evidence, fails) for check, fails in zip(failed, part_fails, strict=True)]
    about = [own | inner for own, inner in zip(classes, parts, strict=True)]
    best = {names: _best(names, classes, candidates) for names in set(about)}
    supported = [_supported(found, *best[names]) for found, names in zip(candidates, about, strict=True)]
    votes = Counter(cause for found in supported for cause in found)
    chosen = [
        _chosen(found, votes, _signs(check, evidence) if len(found) > 1 and not fails else set())
        for check, found, fails in zip(failed, supported, part_fails, strict=True)
    ]
    return {
        check.check.id: None if FOLLOWS_FROM.get(cause or "", set()) & _related(own, chosen, classes) else cause
        for check, cause, own in zip(failed, chosen, classes, strict=True)
    }


def _candidates(failed: FailedCheck, evidence: _Evidence, part_fails: bool) -> Levels:
    """Return the causes that may explain a failed check. ``part_fails``: a part of the called module fails by itself,
    so patterns and signs would only show what follows from that."""
    submission = evidence.submission
    for case, finding in failed.findings.items():
        cause = symptoms.cause(finding, submission.records[case], submission)
        if cause:
            return {cause: LEVELS["structure" if cause in STRUCTURE else "symptom"]}
    if any(finding.symptom in NO_NUMBERS for finding in failed.findings.values()):
        return {}
    found = dict.fromkeys(evidence.variants.causes(failed.findings), LEVELS["variant"])
    if found or part_fails:
        return found
    alike = submission.failing_of(submission.targets(failed.findings))
    found = dict.fromkeys(evidence.signs.causes(alike), LEVELS["sign"])
    refuted = set(evidence.impossible) | _refuted_patterns(alike, evidence)
    return found | {
        cause: LEVELS["symptom" if cause in patterns.CERTAIN else "pattern"]
        for cause in patterns.causes(submission, failed.findings) - refuted
    }


def _signs(failed: FailedCheck, evidence: _Evidence) -> set[str]:
    """Return the causes whose signs all failing cases of the same calls show."""
    submission = evidence.submission
    return evidence.signs.causes(submission.failing_of(submission.targets(failed.findings)))


def _refuted_patterns(failing: Sequence[CaseRecord], evidence: _Evidence) -> set[str]:
    """Return the patterns that other mistakes refute. Where a known mistake explains one of the cases exactly, the part
    has several mistakes, and a pattern over all failing cases mixes them."""
    exact = [found for one in failing if (found := evidence.variants.exact(one.prepared.id))]
    return {cause for cause in MIXED if any(cause not in found for found in exact)}


def _parts(failed: FailedCheck, submission: SubmissionRecords) -> frozenset[str]:
    """Return the classes that are parts of what a check calls in its failing cases."""
    return frozenset().union(*(submission.records[case].program.parts for case in failed.findings))


def _related(own: frozenset[str], chosen: Iterable[str | None], classes: Iterable[frozenset[str]]) -> set[str]:
    """Return the causes of all checks that call some of the same functions and classes."""
    return {cause for cause, others in zip(chosen, classes, strict=True) if cause and own & others}


def _best(
    about: frozenset[str], classes: Sequence[frozenset[str]], candidates: Sequence[Levels]
) -> tuple[int, set[str]]:
    """Return the highest level of evidence about these functions and classes in any check, and its causes."""
    related = [found for found, others in zip(candidates, classes, strict=True) if about & others]
    highest = max((level for found in related for level in found.values()), default=0)
    return highest, {cause for found in related for cause, level in found.items() if level == highest}


def _supported(found: Levels, highest: int, agreed: set[str]) -> Levels:
    """Return a check's candidates without those that better evidence about the same functions outvotes. Weak evidence
    may only show what follows from the same mistake."""
    least = highest if highest == LEVELS["structure"] else min(highest, FIRM)
    return {cause: level for cause, level in found.items() if level >= least or cause in agreed}


def _chosen(found: Levels, votes: Counter[str], signs: Collection[str]) -> str | None:
    """Return the best supported cause: by level, then by the number of checks that it explains, then by its sign. None
    where two tie, or where the best is a known mistake without an id in the contract."""
    ranked = sorted(((level, votes[cause], cause in signs, cause) for cause, level in found.items()), reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][:3] == ranked[1][:3]):
        return None
    return ranked[0][3] or None
