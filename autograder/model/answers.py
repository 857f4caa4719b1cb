"""What comes back from a worker: data, and nothing that decides anything.

Every collection has a most: small things take far more room in memory than on the wire, and the wire's limit on
bytes alone would let one answer fill gigabytes of the grader's. Each is far above what an honest answer holds.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec

from autograder.model.arrays import Array, Message, Shape

T = TypeVar("T")
MOST = msgspec.Meta(max_length=500)
MANY = msgspec.Meta(max_length=20_000)
Some = Annotated[tuple[T, ...], MOST]
Table = Annotated[dict[str, T], MOST]


class Sequence(Message, frozen=True, tag_field="is", tag="sequence"):
    """A tuple or list that was returned."""

    type: str
    items: Annotated[tuple[Value, ...], MANY]


class Scalar(Message, frozen=True, tag_field="is", tag="scalar"):
    """A Python number, text or None that was returned."""

    value: bool | int | float | str | None


class Tensor(Message, frozen=True, tag_field="is", tag="tensor"):
    """A tensor that was returned."""

    array: Array


class Opaque(Message, frozen=True, tag_field="is", tag="opaque"):
    """Something that is neither: only its type's name is told."""

    type: str


Value = Sequence | Scalar | Tensor | Opaque


class Raised(Message, frozen=True):
    """An exception of the student's code: its type, the built-in types it is one of, its text,
    and the place in the student's own file."""

    type: str
    bases: Annotated[tuple[str, ...], msgspec.Meta(max_length=64)]
    message: str
    line: int | None = None
    code: str = ""
    during: Literal["call", "backward", "make", "load", "inspect", "skipped"] = "call"


class ParameterInfo(Message, frozen=True):
    """A parameter as ``named_parameters`` tells it."""

    name: str
    shape: Shape
    dtype: str
    requires_grad: bool


class Interface(Message, frozen=True):
    """What can be told of a name without calling it; ``modules`` maps a child's name to its class and the
    settings that matter."""

    kind: Literal["class", "function", "module", "other"]
    arguments: Some[str] = ()
    required: Some[str] = ()
    variadic: bool = False
    parameters: Some[ParameterInfo] = ()
    modules: Table[str] = {}
    persistent_buffers: Some[str] = ()


class Seen(Message, frozen=True):
    """What one step showed. All fields but ``into`` may be empty; that is for the grader to judge."""

    into: str
    value: Value | None = None
    raised: Raised | None = None
    gradients: Table[Array | None] = {}
    echoes: Table[Array] = {}
    operations: Some[str] = ()  # that ran in a call
    interface: Interface | None = None
    parameters: Table[Array] = {}
    training: bool | None = None
    drew: bool = False  # whether a call drew random numbers
    changed: Some[int] = ()  # which of a call's arguments, lists, are not as they were
    later: Some[str] = ()  # of those, the kernels that ran while its gradients were taken
    count: int = 0  # of all operators that ran in a traced call


class Answer(Message, frozen=True):
    """Everything that one program showed, tied to its question by the nonce."""

    nonce: str
    seen: Annotated[tuple[Seen, ...], msgspec.Meta(max_length=100)]
    printed: str = ""


class Loaded(Message, frozen=True):
    """What running the source showed: what a script died of, or what single cells of a notebook did."""

    nonce: str
    raised: Raised | None = None
    cell_errors: Annotated[tuple[Raised, ...], MANY] = ()
    printed: str = ""
