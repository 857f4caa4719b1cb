"""From what failed to its cause (contract, section 5).

Four kinds of witnesses speak, the most certain first: a *symptom* that leaves no doubt, a *variant* (a known
mistake whose answer is the student's), a *pattern* (what the cases that fail have in common, and those that
don't), and a *sign* (a relation between what came and what was due that only one cause makes). A cause is told
where one speaks for it, none against it, and no other cause is as well supported. Otherwise the honest symptom is
all that is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from autograder import model
from autograder.diagnose import patterns, signs, symptoms, variants
from autograder.diagnose.record import Record
from autograder.diagnose.variants import Album
from autograder.diagnose.whole import Again, Whole

__all__ = ["Album", "Failing", "causes"]

LEVELS = {"structure": 5, "symptom": 4, "variant": 3, "pattern": 2, "sign": 1}
FIRM = LEVELS["variant"]  # what is said at this level is heard beside all but a fault of the structure
STRUCTURE = {"wrong-parameters", "forbidden-call"}  # whatever else is wrong may follow from these
# A cause that is not told where one of these explains it.
FOLLOWS_FROM = {
    "detached-graph": {"modifies-input", "hard-attention", "hardcoded-answer"},
    "device-hardcoded": {"detached-graph"},  # through NumPy, say
    "random-in-eval": {"wrong-parameters"},  # one that no state dict sets is drawn anew in every module
    "mask-leaks": {"mask-not-used"},
}
# Findings that no numbers explain.
NO_NUMBERS = {
    "did-not-raise",
    "raised-other",
    "wrong-signature",
    "wrong-kind",
    "changed-mode",
    "no-interface",
}


class Failing(NamedTuple):
    """A check that failed: in which cases, each with the first thing that was wrong."""

    check: model.Check
    findings: Mapping[str, model.Finding]  # by case


def causes(
    failing: Sequence[Failing],
    prepared: Mapping[str, model.Prepared],
    answers: Mapping[str, model.Answer | None],
    album: Album,
    again: Again,
    own_backward: bool = False,
) -> dict[str, str | None]:
    """The cause of each failing check, or None where none is certain. ``answers`` are by case, ``album``
    holds what known mistakes would show in one, and ``again`` asks a program twice, in a new process;
    ``own_backward``: the file writes a backward by hand."""
    if not failing:
        return {}
    records = {name: Record(prepared[name], answer) for name, answer in answers.items()}
    gallery = variants.Gallery(records, album)
    everything = Whole(records, {case for one in failing for case in one.findings}, again, own_backward)
    reader = signs.Reader()
    classes = [_classes(one, records) for one in failing]
    parts = [_parts(one, records) for one in failing]
    candidates = [
        _candidates(one, records, gallery, everything, reader, any(inner & other for other in classes))
        for one, inner in zip(failing, parts, strict=True)
    ]
    about = [own | inner for own, inner in zip(classes, parts, strict=True)]
    best = {names: _best(names, classes, candidates) for names in set(about)}
    heard = [_heard(found, *best[names]) for found, names in zip(candidates, about, strict=True)]
    votes = Counter(cause for found in heard for cause in found)
    chosen = [_chosen(found, votes) for found in heard]
    told = {
        own: {other for other, others in zip(chosen, classes, strict=True) if other and own & others}
        for own in set(classes)
    }
    return {
        one.check.id: None if FOLLOWS_FROM.get(cause or "", set()) & told[own] else cause
        for one, cause, own in zip(failing, chosen, classes, strict=True)
    }


def _candidates(
    one: Failing,
    records: Mapping[str, Record],
    gallery: variants.Gallery,
    everything: Whole,
    reader: signs.Reader,
    inner: bool,
) -> dict[str, int]:
    """Causes that may explain a failing check, each with the level of its best witness. ``inner``: a part of what
    is called is wrong itself, so weak witnesses would only see what follows from that."""
    for case, finding in one.findings.items():
        cause = symptoms.cause(finding, records[case], everything)
        if cause:
            return {cause: LEVELS["structure" if cause in STRUCTURE else "symptom"]}
    if any(finding.symptom in NO_NUMBERS for finding in one.findings.values()):
        return {}
    cases = list(one.findings)
    found = dict.fromkeys(gallery.causes(cases), LEVELS["variant"])
    if found or inner:
        return found
    found = dict.fromkeys(reader.causes(everything.like(cases)), LEVELS["sign"])
    found |= {
        cause: LEVELS["symptom" if cause in patterns.CERTAIN else "pattern"]
        for cause in patterns.causes(everything, cases)
    }
    return found


def _classes(one: Failing, records: Mapping[str, Record]) -> frozenset[str]:
    """The functions and classes that a check calls where it fails."""
    return frozenset().union(*(records[case].classes for case in one.findings))


def _parts(one: Failing, records: Mapping[str, Record]) -> frozenset[str]:
    """The classes that are parts of what a check calls where it fails."""
    return frozenset().union(*(records[case].program.parts for case in one.findings))


def _best(
    about: frozenset[str],
    classes: Sequence[frozenset[str]],
    candidates: Sequence[Mapping[str, int]],
) -> tuple[int, set[str]]:
    """The level of the best witnesses, in whatever check, about these functions and classes; and what they say."""
    said = [one for one, others in zip(candidates, classes, strict=True) if about & others]
    loudest = max((level for one in said for level in one.values()), default=0)
    return loudest, {cause for one in said for cause, level in one.items() if level == loudest}


def _heard(found: Mapping[str, int], loudest: int, agreed: set[str]) -> dict[str, int]:
    """Those of a check's candidates that are not outvoiced by better witnesses about the same functions and classes:
    weaker ones may only have seen what follows from the same mistake."""
    least = loudest if loudest == LEVELS["structure"] else min(loudest, FIRM)
    return {cause: level for cause, level in found.items() if level >= least or cause in agreed}


def _chosen(found: Mapping[str, int], votes: Counter[str]) -> str | None:
    """The best supported cause: by its witness here, then by how many checks it explains; none where two tie, or
    where it is a known mistake that the contract has no id for."""
    ranked = sorted(((level, votes[cause], cause) for cause, level in found.items()), reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]):
        return None
    return ranked[0][2] or None
