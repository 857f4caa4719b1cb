"""What is wrong with the known mistakes of an assignment, and with the submissions that measure its checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from autograder import judge, model, protocol
from autograder.assignments import places
from autograder.assignments.kit.programs import PUBLIC_SEED
from autograder.instructor import oracle
from autograder.instructor.audit import corpus
from autograder.instructor.authoring.problem import Files, Problem
from autograder.instructor.authoring.words import mistakes
from autograder.instructor.oracle.mistakes import played, used_in, variants
from autograder.instructor.release import built
from autograder.judge.blocked import in_order
from autograder.model.text import suggestion

MISTAKES, WRONG = "mistakes.py", "submissions/wrong.toml"
CAUSE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Assertions about results. The wrong function of a mistake need not have the right arguments, nor the dtype of a case.
OF_RESULTS = {
    "shapes",
    "values",
    "gradients",
    "same",
    "permuted",
    "sums",
    "zeros",
    "tokens",
    "unchanged",
    "raises",
    "state",
}


def unreadable(files: Files) -> Iterator[Problem]:
    """Yield what keeps the causes from being made."""
    try:
        built.causes(files.assignment)
    except model.CourseError as error:
        yield files.raised(error)


def found(files: Files, spec: model.Spec, known: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with the mistakes and the submissions. ``known``: the causes that have words."""
    reference = vars(places.imported(places.reference_name(files.assignment)))
    declared = mistakes(files.assignment)
    for one in declared:
        cause = one.variant.cause
        for name in one.variant.names:
            if name not in reference:
                near = suggestion(name, spec.parts)
                yield files.at(MISTAKES, name, f"the mistake {cause} exchanges {name}, which reference.py lacks{near}")
        if not CAUSE.fullmatch(cause):
            yield files.at(MISTAKES, cause, f"{cause!r} is no id; expected words with hyphens: missing-scale")
        elif not one.sentence and cause not in known:
            text = f"the cause {cause} has no sentence and no hint{suggestion(cause, known)}"
            yield files.at(MISTAKES, cause, text)
        if one.share is not None and not 0 <= one.share <= 1:
            yield files.at(MISTAKES, cause, f"the share of {cause} is {one.share:g}; expected 0 to 1")
    for name, count in Counter(one.variant.id for one in declared).items():
        if count > 1:
            yield files.at(MISTAKES, name, f'{count} mistakes are called {name}; tell them apart with how="..."')
    yield from _unseen(files, spec)
    yield from _of_submissions(files, {*known, *(one.variant.cause for one in declared)})


def _unseen(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield mistakes that no check sees: their results are right, or so nearly that a guard would be as far off."""
    left = {one.id: one for one in variants(files.assignment)}
    for check in spec.checks:
        asserted = [one for one in in_order(check) if one.name in OF_RESULTS]
        for case in check.cases if asserted and left else ():
            prepared = oracle.prepare(files.assignment, case, PUBLIC_SEED)
            used = used_in(files.assignment, prepared.program)
            for name in [name for name, one in left.items() if used & one.names.keys()]:
                answer = protocol.Answer("", played(files.assignment, name, prepared.program))
                if judge.first_failure(asserted, prepared, answer, None, guarded=True):
                    del left[name]
    for name, one in left.items():
        text = f"no check sees the mistake {name}: its results are right, or off by no more than a guard of 1e-6 is"
        yield files.at(MISTAKES, one.cause, f"{text}; add a check whose inputs show it")


def _of_submissions(files: Files, known: Collection[str]) -> Iterator[Problem]:
    """Yield what keeps an audit from reading the submissions, and causes that nobody words."""
    place = places.place(files.assignment)
    try:
        samples = corpus.load(place.corpus, place.solution)
    except corpus.CorpusError as error:
        path, _, text = str(error).partition(": ")
        name = path.removeprefix(f"{files.folder}/")
        yield files.told(name, text, text.partition(":")[0])
        return
    for sample in samples:
        for cause in sample.right_causes - set(known):
            text = f"{sample.name} has the cause {cause}, which nothing explains{suggestion(cause, known)}"
            yield files.at(WRONG, cause, text)
