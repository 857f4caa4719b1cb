"""What a worker sends back: data that decides nothing.

Every collection and every text has a maximum length. Small objects take far more room in memory than on the wire, and a
name may be kept. So the limit on bytes alone would let one answer fill gigabytes of the grader's memory. Honest answers
stay far below each maximum.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec

from autograder.protocol.arrays import Array, ArrayDtype, Message, Shape

T = TypeVar("T")
MAX_NAME, MAX_TEXT, MAX_PRINTED = 200, 600, 10_000  # characters
MOST = msgspec.Meta(max_length=500)
MANY = msgspec.Meta(max_length=20_000)
Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Printed = Annotated[str, msgspec.Meta(max_length=MAX_PRINTED)]
Some = Annotated[tuple[T, ...], MOST]
Table = Annotated[dict[Name, T], MOST]


class Sequence(Message, frozen=True, tag_field="is", tag="sequence"):
    """A returned tuple or list."""

    type: Name
    items: Annotated[tuple[Value, ...], MANY]


class Scalar(Message, frozen=True, tag_field="is", tag="scalar"):
    """A returned Python number, text or None."""

    value: bool | int | float | Text | None


class Tensor(Message, frozen=True, tag_field="is", tag="tensor"):
    """A returned tensor."""

    array: Array


class Opaque(Message, frozen=True, tag_field="is", tag="opaque"):
    """Any other returned object. Only the name of its type travels."""

    type: Name


Value = Sequence | Scalar | Tensor | Opaque


class Raised(Message, frozen=True):
    """An exception of the student's code."""

    type: Name
    bases: Annotated[tuple[Name, ...], msgspec.Meta(max_length=64)]  # the built-in types that it is an instance of
    message: Text
    line: int | None = None  # in the student's own file
    code: Text = ""  # that line
    during: Literal["call", "backward", "make", "load", "inspect", "skipped"] = "call"


class ParameterInfo(Message, frozen=True):
    """A parameter as ``named_parameters`` reports it."""

    name: Name
    shape: Shape
    dtype: ArrayDtype
    requires_grad: bool


class Interface(Message, frozen=True):
    """What a name shows without being called."""

    kind: Literal["class", "function", "module", "other"]
    arguments: Some[Name] = ()
    required: Some[Name] = ()
    variadic: bool = False
    parameters: Some[ParameterInfo] = ()
    modules: Table[Name] = {}  # a child's name -> its class and the settings that matter
    persistent_buffers: Some[Name] = ()


class StepResult(Message, frozen=True):
    """What one step did. All fields except ``into`` may be empty."""

    into: Name
    value: Value | None = None
    raised: Raised | None = None
    gradients: Table[Array | None] = {}
    echoes: Table[Array] = {}
    operations: Some[Name] = ()  # names of the operations that ran in a call
    interface: Interface | None = None
    parameters: Table[Array] = {}
    training: bool | None = None
    drew: bool = False  # whether a call drew random numbers
    changed: Some[int] = ()  # indices of the arguments, lists, that a call changed
    later: Some[Name] = ()  # names of the kernels that ran in its backward pass
    count: int = 0  # number of operators that ran in a traced call
    grown: int | None = None  # bytes: the peak memory after a weighed call, less that before the submission ran


def by_step(results: tuple[StepResult, ...]) -> dict[str, StepResult]:
    """Return results by step. Of two results about one object the first stays: it tells how making the object went."""
    return {result.into: result for result in reversed(results)}


class Answer(Message, frozen=True):
    """The results of one program's steps. ``nonce`` ties it to its question."""

    nonce: Name
    results: Annotated[tuple[StepResult, ...], msgspec.Meta(max_length=100)]
    printed: Printed = ""


class Loaded(Message, frozen=True):
    """How running the source went: the exception that ended a script, or those of single cells of a notebook."""

    nonce: Name
    raised: Raised | None = None
    cell_errors: Annotated[tuple[Raised, ...], MANY] = ()
    printed: Printed = ""
