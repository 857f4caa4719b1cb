"""The kinds of checks: ``value("id", points, "title").on(case, ...).expects(assertions, ...)``."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import NamedTuple

from autograder import model
from autograder.assignments.kit.assertions import Assertions


class Draft(NamedTuple):
    """A check that still lacks its cases and assertions: ``value(...).on(...).expects(...)``."""

    kind: model.Kind
    id: str
    points: float
    title: str
    cases: tuple[model.Case, ...] = ()

    def on(self, *cases: model.Case) -> Draft:
        """Return the draft with the cases that the check looks at."""
        return self._replace(cases=cases)

    def expects(self, *assertions: Assertions) -> model.Check:
        """Return the check. It is hidden if its cases are: their names begin with ``hidden-``.

        Raises ValueError for a mix of public and hidden cases.
        """
        hidden = {case.id.startswith("hidden-") for case in self.cases}
        if len(hidden) > 1:
            raise ValueError(f"Check {self.id} mixes public and hidden cases. Split it into two checks.")
        visibility: model.Visibility = "hidden" if hidden == {True} else "public"
        return model.Check(
            self.id, self.title, self.kind, self.points, self.cases, tuple(chain(*assertions)), visibility
        )


# Each takes the id, the points and the title. Checks of kind "timing" are made in ``kit.speed``.
interface = partial(Draft, "interface")
shape = partial(Draft, "shape")
value = partial(Draft, "value")
weight_sum = partial(Draft, "weight_sum")
gradient = partial(Draft, "gradient")
mask = partial(Draft, "mask")
invariance = partial(Draft, "invariance")
constraint = partial(Draft, "constraint")
training = partial(Draft, "training")
