"""The checks, as data: one module a topic for the public ones, and in ``hidden`` one for the rest.

``hidden`` is left out of a student's installation.
"""

from __future__ import annotations

import importlib
import importlib.util

from autograder import model


def load(topic: str, hidden: bool | None = None) -> model.Spec:
    """A topic's spec. ``hidden``: with the hidden checks too; None: if they are installed.

    Raises KeyError for an unknown topic and ModuleNotFoundError for hidden checks that are not installed.
    """
    if topic not in model.TOPICS:
        raise KeyError(topic)
    public = importlib.import_module(f"autograder.specs.{topic}")
    checks = tuple(public.CHECKS)
    if hidden is None:
        hidden = importlib.util.find_spec("autograder.specs.hidden") is not None
    if hidden:
        checks += tuple(importlib.import_module(f"autograder.specs.hidden.{topic}").CHECKS)
    return model.Spec(topic, public.TITLE, checks)
