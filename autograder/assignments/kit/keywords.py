"""Unknown keywords of what authors call are errors, with a suggestion: a check would else lack what they ask."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from autograder.model.text import suggestion

P = ParamSpec("P")
R = TypeVar("R")


def known_only(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise TypeError for a keyword that it does not take, and for a missing argument."""

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        takes = keywords(function)
        for name in kwargs:
            if name not in takes:
                near = suggestion(name, takes) or "."
                raise TypeError(f"{function.__name__} takes no {name}{near} It takes: {', '.join(takes)}")
        return function(*args, **kwargs)

    return checked


@functools.cache
def keywords(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the keywords that a function takes, those of an unpacked table included."""
    parameters = inspect.signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    spread = next((one.name for one in parameters if one.kind is one.VAR_KEYWORD), None)
    table = typing.get_args(typing.get_type_hints(function)[spread])[0] if spread else None
    return (*named, *(table.__annotations__ if table else ()))
