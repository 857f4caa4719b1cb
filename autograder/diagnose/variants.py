"""Holds a submission's answers against those of known mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from autograder import evidence, model, wire
from autograder.diagnose.record import Record
from autograder.evidence import Key

Shown = dict[Key, np.ndarray]
UNTOLD, MORE, EXACT = 0, 1, 2
UNNAMED = "\0"  # known mistakes without an id are one each
Page = dict[str, dict[str, Shown]]  # what variants show in a case, by cause and variant


class Album:
    """The known mistakes, case by case, for all submissions of a run."""

    def __init__(self, mistaken: Callable[[str], Sequence[model.Mistaken]]) -> None:
        self._mistaken = mistaken
        self._pages: dict[str, Page] = {}
        self.whole: set[str] = set()  # variants that any right case refutes

    def page(self, case: str) -> Page:
        """What variants show in a case. Read when it is first asked for."""
        if case not in self._pages:
            page: Page = {}
            for one in self._mistaken(case):
                shown = {
                    Key(step, what, name): wire.to_numpy(array)  # type: ignore[arg-type]
                    for step, what, name, array in one.arrays
                }
                cause = one.cause or UNNAMED + one.variant
                page.setdefault(cause, {})[one.variant] = shown
                if one.whole:
                    self.whole.add(one.variant)
            self._pages[case] = page
        return self._pages[case]


class Gallery:
    """One submission beside the known mistakes. Everything is looked at once, however many checks ask."""

    def __init__(self, records: Mapping[str, Record], album: Album) -> None:
        self.records = records
        self.album = album
        self._told: dict[frozenset[str], set[str]] = {}
        self._fits: dict[tuple[str, str], int | None] = {}
        self._refuted: dict[tuple[str, frozenset[str]], bool] = {}

    def causes(self, cases: Sequence[str]) -> set[str]:
        """The causes of which a variant answers as the submission did in each of the failing ``cases``; not those
        variants that are refuted by what else the submission shows. One mistake may be written twice in a file, so
        each case may have its own variant; but all that fails of the same functions and classes is to be explained
        together."""
        classes = frozenset().union(*(self.records[case].classes for case in cases))
        others = (
            case
            for case, record in self.records.items()
            if record.wrong and not record.extreme and record.classes <= classes
        )
        together = frozenset(cases).union(others)
        if together not in self._told:
            self._told[together] = self._explaining(together, classes)
        return self._told[together]

    def _explaining(self, cases: frozenset[str], classes: frozenset[str]) -> set[str]:
        """The causes that explain all cases: those that show in the first, less what each further one rules out.
        One that is wrong in just what the submission has wrong beats one that is wrong in more."""
        telling = [case for case in cases if self.records[case].wrong or self.records[case].raised]
        telling = [case for case in telling if self.records[case].program.device != "meta"]
        telling.sort(key=lambda case: (not self.records[case].wrong, case))
        alive: dict[str, list[int]] = {}
        for number, case in enumerate(telling):
            causes = list(alive) if number else list(self.album.page(case))
            said = {cause: self._best(cause, case, classes) for cause in causes}
            alive = {cause: [*alive.get(cause, ()), fit] for cause, fit in said.items() if fit is not None}
        shown = {cause: [fit for fit in fits if fit] for cause, fits in alive.items() if any(fits)}
        exact = {cause for cause, fits in shown.items() if min(fits) == EXACT}
        return {cause.partition(UNNAMED)[0] for cause in exact or shown}

    def _best(self, cause: str, case: str, classes: frozenset[str]) -> int | None:
        """How well the best of a cause's variants fits a case; None where none does. A variant that does not show in
        a case is right there, and the submission is not."""
        variants = self.album.page(case).get(cause, {})
        said = [
            self._fit(case, name, shown)
            for name, shown in variants.items()
            if not self._refutes(name, classes)
        ]
        return max((fit for fit in said if fit is not None), default=None)

    def _fit(self, case: str, name: str, shown: Shown) -> int | None:
        if (case, name) not in self._fits:
            self._fits[case, name] = fits(self.records[case], shown)
        return self._fits[case, name]

    def _refutes(self, name: str, classes: frozenset[str]) -> bool:
        """Whether the submission is right in a case in which the variant would be wrong: one of the same functions
        and classes, as a rule."""
        if (name, classes) not in self._refuted:
            self._refuted[name, classes] = any(
                record.right
                and (record.classes <= classes or name in self.album.whole)
                and self._shows(name, case)
                for case, record in self.records.items()
            )
        return self._refuted[name, classes]

    def _shows(self, name: str, case: str) -> bool:
        """Whether a variant is clearly wrong in a case, or raises there."""
        record = self.records[case]
        shown = next((one[name] for one in self.album.page(case).values() if name in one), None)
        return shown is not None and (
            not shown or any(_clearly_wrong(record, key, array) for key, array in shown.items())
        )


def _clearly_wrong(record: Record, key: Key, shown: np.ndarray) -> bool:
    """Whether a variant's array is another than is due. Whether a gradient is NaN depends on the spelling."""
    spelling = key.what == "gradient" and not np.isfinite(shown).all()
    return not spelling and evidence.differs(shown, record.due[key], record.dtype, key.what)


def fits(record: Record, shown: Shown) -> int | None:
    """How well the submission's answer is the variant's: EXACT, MORE (the variant is wrong in more), UNTOLD where
    this case can't tell, or None: not at all."""
    if record.raised or not shown:
        return UNTOLD  # a mistake may raise in one spelling and give wrong numbers in another
    if not all(
        key in shown and _same(record.came[key], shown[key], record.dtype, key.what) for key in record.wrong
    ):
        return None
    return EXACT if all(key in record.all_wrong for key in shown if key.what == "value") else MORE


def _same(came: np.ndarray, shown: np.ndarray, dtype: str, what: str) -> bool:
    if came.size and came.shape == shown.shape and came.dtype.kind == "f":
        one, other = float(came.flat[0]), float(shown.flat[0])
        if abs(one - other) > 0.1 * (abs(one) + abs(other)) + 0.1 * float(np.abs(shown).max()):
            return False  # most variants differ in the first entry already
    return evidence.same(came, shown, dtype, what)
