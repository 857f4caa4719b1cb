"""The pages' templates, with what all of them may use. Everything that comes from a student is escaped."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from autograder.course.decisions import words
from autograder.course.marks import reckoning
from autograder.model.text import harmless
from autograder.report import mistakes, summary

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@cache
def environment() -> Environment:
    """Return the templates in ``pages/``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, because few commands need it

    pages = Environment(
        loader=PackageLoader("autograder.report.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(breakable=_breakable, with_code=_with_code)
    pages.globals.update(
        beside=summary.beside,
        leaders=mistakes.leaders,
        parts=mistakes.parts,
        points=summary.number,
        reckoning=reckoning,
        score=summary.score,
        sentence=summary.sentence,
        to_mend=summary.TO_MEND,
        words=words,
    )
    return pages


def _breakable(name: str) -> Markup:
    """Return a name of code that may break where a word of it ends."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(harmless(word)) for word in re.split(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)", name))


def _with_code(text: str) -> Markup:
    """Return a text in which what stands between backticks is code."""
    from markupsafe import Markup, escape

    pieces = re.split(r"`([^`]+)`", harmless(text))  # every second one is code
    return Markup().join(
        Markup("<code>{}</code>").format(piece) if at % 2 else escape(piece) for at, piece in enumerate(pieces)
    )


def _shown(value: object) -> object:
    """Return what a page shows of a value. ``Markup`` is not of type ``str``: it has been through here."""
    return harmless(value) if type(value) is str else value
