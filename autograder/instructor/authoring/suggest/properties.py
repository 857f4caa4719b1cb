"""The properties that a call may have, as checks: all that its inputs allow. Whether they hold is tried afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.assignments.kit.calls import Call
from autograder.assignments.kit.inputs import Input, names_in
from autograder.assignments.kit.sizes import BATCH
from autograder.instructor.authoring.suggest.candidates import Candidate, combined, worded
from autograder.instructor.authoring.suggest.drafts import quoted
from autograder.instructor.authoring.suggest.survey import Form

WEIGHTS = {  # of the points
    "signature": 1.0,
    "values": 6.0,
    "shapes": 2.0,
    "gradients": 4.0,
    "trains": 6.0,
    "blank_rows": 3.0,
    "raises": 1.0,
}
OTHERS = 1.0
SCORES = ("score", "logit", "energ")
PUBLIC = ("signature", "values", "shapes", "gradients", "trains")


def of(form: Form) -> Iterator[Candidate]:
    """Yield the checks that a call may pass."""
    draft = form.tried.draft
    if draft.trains:
        assert draft.module is not None
        yield _candidate(form, "trains", draft.module.variable, core=form.is_main)
        return
    whole = form.is_main and form.is_first
    if whole or form.is_opening:
        yield _candidate(form, "signature")
    yield _candidate(form, "values", core=form.is_main or _is_masked(form))
    yield from _by_draws(form)
    if _is_differentiable(form):
        yield _candidate(form, "gradients", core=form.is_main)
    if form.is_main:
        yield from _of_main(form, whole)


def _of_main(form: Form, whole: bool) -> Iterator[Candidate]:
    """Yield the checks of a call's first form. ``whole``: in the first setting of its class, too."""
    if _has_zeros(form):
        yield _candidate(form, "zeros")
    if not form.tried.is_free:
        yield _candidate(form, "shapes", core=whole)
        yield _candidate(form, "ones", core=False)
    module = form.tried.call.module
    for axis in names_in(module.widths) if module else ():
        sizes = f"sizes={{{quoted(axis)}: 1}}"
        yield _candidate(form, "values", sizes, core=False, tag=f"{axis}-1", words=f"where {axis} is 1")
    for kind in ("strides", "stateless", "devices"):
        if _takes(form, kind):
            yield _candidate(form, kind, core=whole)
    yield from _moved(form, whole)
    rows = _rows(form)
    for name in rows:
        tag, words = (name, f"in {name}") if len(rows) > 1 else ("", "")
        yield _candidate(form, "row_sums", quoted(name), core=whole, tag=tag, words=words)


def _candidate(form: Form, kind: str, *options: str, core: bool = True, tag: str = "", words: str = "") -> Candidate:
    draft = form.tried.draft
    setting = draft.module.tag if draft.module and not draft.trains else ""
    return Candidate(
        part=form.part,
        kind=kind,
        draft=draft,
        weight=WEIGHTS.get(kind, OTHERS),
        options=options,
        tag=combined(setting, draft.tag, tag),
        words=worded(draft.words, words),
        is_core=core,
        is_public=core and form.is_main and kind in PUBLIC,
    )


def _is_masked(form: Form) -> bool:
    """Whether this form has a mask that the main one has not."""
    return form.tried.draft.tag.endswith("mask")


def _takes(form: Form, kind: str) -> bool:
    arrays = form.tried.call.arrays
    return bool(arrays) and not (kind == "devices" and form.tried.call.numpy)


def _is_differentiable(form: Form) -> bool:
    call = form.tried.call
    floating = _floating(call) or any(one.weights for one in form.tried.draft.modules)
    every = len(form.tried.floats) == len(call.returns)
    return bool(floating and every and not call.numpy and not form.tried.is_free)


def _by_draws(form: Form) -> Iterator[Candidate]:
    """Yield checks with large numbers, and with rows in which everything is masked, or weights that are 0."""
    for name, one in form.tried.call.arrays.items():
        is_score = any(word in name for word in SCORES)
        if one.large and (form.is_main or _is_masked(form)):
            yield _candidate(form, "large", quoted(name), core=form.is_main and is_score, tag=name, words=f"in {name}")
            if _is_differentiable(form):
                draws = f'draws={{{quoted(name)}: "large"}}'
                yield _candidate(form, "gradients", draws, core=False, tag=f"large-{name}", words=f"for large {name}")
        if one.blank and one.sort == "bool" and _is_differentiable(form):
            yield _candidate(form, "blank_rows", quoted(name), core=form.is_main or _is_masked(form))
        elif one.blank:
            draws = f'draws={{{quoted(name)}: "blank"}}'
            yield _candidate(
                form, "values", draws, core=form.is_main, tag=f"blank-{name}", words=f"where some of {name} are 0"
            )
        if one.whole and form.is_main:
            draws = f'draws={{{quoted(name)}: "whole"}}'
            yield _candidate(
                form, "values", draws, core=False, tag=f"whole-{name}", words=f"for whole numbers in {name}"
            )


def _moved(form: Form, whole: bool) -> Iterator[Candidate]:
    """Yield checks that move something along an axis."""
    call = form.tried.call
    widths = names_in(call.module.widths) if call.module else []
    for axis in names_in(one.axes for one in call.arrays.values()):
        if axis in widths or not _stands_alone(axis, call):
            continue
        is_last = any(one.axes.split()[-1:] == [axis] and len(one.axes.split()) > 1 for one in _floating(call).values())
        if axis == BATCH:
            yield _candidate(form, "alone", core=whole)
        else:
            yield _candidate(form, "permutation", quoted(axis), core=whole and not is_last)
    for name, one in _floating(call).items():
        for axis in dict.fromkeys(one.axes.split()):
            if axis.isidentifier():
                yield _candidate(form, "shift", quoted(name), quoted(axis), core=whole, tag=f"along-{axis}")


def _floating(call: Call) -> dict[str, Input]:
    return {name: one for name, one in call.arrays.items() if one.sort == "float"}


def _stands_alone(axis: str, call: Call) -> bool:
    """Whether an axis is a whole axis wherever it occurs, so that it can be put in another order."""
    texts = [*(one.axes for one in call.arrays.values()), *call.returns.values()]
    words = {word for text in texts for word in text.split() if axis in names_in([word])}
    used = names_in([use for one in call.arrays.values() for use in one.uses])
    return words == {axis} and (axis == BATCH or axis not in used)


def _has_zeros(form: Form) -> bool:
    """Whether a result with floating numbers has entries that are exactly 0, and others."""
    floating = [array for arrays in form.tried.results for array in arrays if array.dtype.kind == "f"]
    return any((array == 0).any() and array.any() for array in floating)


def _rows(form: Form) -> list[str]:
    """Return the results whose rows sum to 1, and not only because there is one entry."""
    pairs = zip(form.tried.draft.returns, *form.tried.results, strict=True)
    return [name for name, *arrays in pairs if name in form.tried.floats and all(map(_sums_to_one, arrays))]


def _sums_to_one(array: np.ndarray) -> bool:
    if array.ndim == 0 or array.shape[-1] < 2:
        return False
    return bool((array >= 0).all() and np.allclose(array.sum(-1), 1.0, atol=1e-9))
