"""What comes back from a worker: data, and nothing that decides anything."""

from __future__ import annotations

from typing import Literal

import msgspec

from autograder.model.arrays import Array


class Sequence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="sequence"):
    """A tuple or list that was returned."""

    type: str
    items: tuple[Value, ...]


class Scalar(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="scalar"):
    """A Python number, text or None that was returned."""

    value: bool | int | float | str | None


class Tensor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="tensor"):
    """A tensor that was returned."""

    array: Array


class Opaque(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="opaque"):
    """Something that is neither: only its type's name is told."""

    type: str


Value = Sequence | Scalar | Tensor | Opaque


class Raised(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An exception of the student's code: its type, the built-in types it is one of, its text,
    and the place in the student's own file."""

    type: str
    bases: tuple[str, ...]
    message: str
    line: int | None = None
    code: str = ""
    during: Literal["call", "backward", "make", "load", "inspect", "skipped"] = "call"


class ParameterInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter as ``named_parameters`` tells it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool


class Interface(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What can be told of a name without calling it; ``modules`` maps a child's name to its class and the
    settings that matter."""

    kind: Literal["class", "function", "module", "other"]
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    variadic: bool = False
    parameters: tuple[ParameterInfo, ...] = ()
    modules: dict[str, str] = {}
    persistent_buffers: tuple[str, ...] = ()


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one step showed. All fields but ``into`` may be empty; that is for the grader to judge."""

    into: str
    value: Value | None = None
    raised: Raised | None = None
    gradients: dict[str, Array | None] = {}
    echoes: dict[str, Array] = {}
    operations: tuple[str, ...] = ()
    interface: Interface | None = None
    parameters: dict[str, Array] = {}
    training: bool | None = None
    drew: bool = False  # whether a call drew random numbers
    changed: tuple[int, ...] = ()  # which of a call's arguments, lists, are not as they were


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that one program showed, tied to its question by the nonce."""

    nonce: str
    seen: tuple[Seen, ...]
    printed: str = ""


class Loaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What running the source showed: what a script died of, or what single cells of a notebook did."""

    nonce: str
    raised: Raised | None = None
    cell_errors: tuple[Raised, ...] = ()
    printed: str = ""
