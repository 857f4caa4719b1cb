"""The nouns of the grader: frozen values that the rooms hand to each other.

Nothing here does anything. Programs travel to a worker, answers come back, checks say
what an answer is held to, and a grade is what is left when all of it has been judged.
No room needs torch to speak of these: arrays are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

TOPICS = ("bahdanau", "luong", "self_attention", "masking", "seq2seq")

Kind = Literal[
    "interface",
    "shape",
    "value",
    "weight_sum",
    "gradient",
    "mask",
    "invariance",
    "constraint",
    "timing",
    "training",
]
Visibility = Literal["public", "hidden"]
CheckStatus = Literal["passed", "failed", "error", "timeout", "skipped"]
GradeStatus = Literal[
    "graded", "partial", "import-error", "missing", "unreadable", "infrastructure-error"
]


# ---------------------------------------------------------------- what students hand in


class Entry(msgspec.Struct, frozen=True):
    """Where one student's work lies; nothing of it has been read yet.

    ``parts`` are files or folders, the one that counts first.
    """

    student: str
    parts: tuple[Path, ...]
    note: str = ""


class Submission(msgspec.Struct, frozen=True):
    """One student's file, read but never executed.

    ``cells`` are the pieces of source to run in order: the raw bytes of a script as its only
    item, or the code cells of a notebook (UTF-8, magics and shell lines already taken out).
    ``note`` is what the student should be told about how the file was found, or why it was not.
    """

    student: str
    status: Literal["ready", "missing", "unreadable"]
    kind: Literal["script", "notebook"] = "script"
    filename: str = ""
    cells: tuple[bytes, ...] = ()
    note: str = ""
    digest: str = ""  # sha256 of kind and cells; the identity of the work, not of the student


# ---------------------------------------------------------------- what a worker is asked


class Ref(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="ref"):
    """An argument that is not a literal: an array of the program, an object made by an earlier
    step, or (with ``item``) one part of an earlier step's result."""

    name: str
    item: int | None = None


Argument = None | bool | int | float | str | Ref | list[Any]  # a list holds literals only
Layout = Literal["contiguous", "reversed", "gapped"]


class Make(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="make"):
    """Build ``name(*args, **kwargs)`` of the submission as ``into``, then load ``state``.

    ``state`` maps a parameter's name to the array that it gets. A module is brought to the
    program's dtype, and to eval mode unless ``train``.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    state: dict[str, str] = {}
    train: bool = False


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="call"):
    """Call a function of the submission, or ``object`` / ``object.method``, as ``into``.

    ``outputs`` names the results. ``wrt`` lists the arrays whose gradients are due and
    ``modules`` the objects whose parameters' gradients are due, when ``cotangents`` (one array
    name or None for each output) are sent back from the outputs. ``trace`` asks for the
    names of the torch operations that ran; ``echo`` for the inputs as they are afterwards.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    outputs: tuple[str, ...] = ("result",)
    wrt: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    cotangents: tuple[str | None, ...] = ()
    trace: bool = False
    echo: bool = False
    layout: Layout = "contiguous"


class Optimizer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="optimizer"):
    """Build ``torch.optim.<kind>(module.parameters(), **options)`` as ``into``."""

    into: str
    kind: Literal["SGD", "Adam"]
    module: str
    options: dict[str, float] = {}


class SetGrads(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="set-grads"):
    """Fill ``.grad`` of every parameter of ``module`` with ``value``: what an earlier, foreign backward left."""

    module: str
    value: float


class Inspect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="inspect"):
    """Describe a name of the submission: its argument names and, of a module, the parameters."""

    into: str
    name: str


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="state"):
    """Read the parameters of ``module`` and whether it is in train mode."""

    into: str
    module: str


Step = Make | Call | Optimizer | SetGrads | Inspect | State


class Array(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An array on the wire: C-ordered bytes with a dtype name and a shape; for tensors that came
    back also where they lived and whether a gradient could flow."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    device: str = "cpu"
    requires_grad: bool = False


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One conversation with a submission: arrays, and steps that use them in order.

    ``dtype`` is that of every floating array and module; floating arrays are rounded to it.
    """

    dtype: Literal["float32", "float64"]
    arrays: dict[str, Array]
    steps: tuple[Step, ...]
    device: str = "cpu"


class Load(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="load"):
    """Run a submission's source, once, before any program."""

    nonce: str
    module: str
    kind: Literal["script", "notebook"]
    filename: str
    cells: tuple[bytes, ...]
    cell_seconds: float  # a notebook's cell that takes longer is left where it is


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="ask"):
    """Run one program; the answer must carry the same nonce."""

    nonce: str
    program: Program


# ---------------------------------------------------------------- what comes back


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

    kind: Literal["class", "function", "module", "other", "absent"]
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


# ---------------------------------------------------------------- what an answer is held to


class Hold(msgspec.Struct, frozen=True):
    """One property that a check demands of a step's answer; ``options`` refine it (see ``judge``)."""

    what: str
    of: str
    options: dict[str, Any] = {}


class Case(msgspec.Struct, frozen=True):
    """A named recipe for a program. ``build`` gets a ``cases.Draw``, the only source of numbers. ``telling``
    says of what a right submission shows (step -> seen) whether it shows what the case is for; if not, other
    numbers are drawn."""

    id: str
    build: Callable[[Any], Program]
    telling: Callable[[dict[str, Seen]], bool] | None = None


class Prepared(msgspec.Struct, frozen=True):
    """A case with its numbers drawn and its right answer computed."""

    id: str
    program: Program
    expected: tuple[Seen, ...]


class Check(msgspec.Struct, frozen=True):
    """One line of the grade: it passes when every hold of every case is met."""

    id: str
    title: str
    kind: Kind
    points: float
    cases: tuple[Case, ...]
    holds: tuple[Hold, ...]
    visibility: Visibility = "public"
    section: str = ""  # heading in the handout that explains what is checked


class Spec(msgspec.Struct, frozen=True):
    """All checks of one assignment; their points add up to 100."""

    topic: str
    title: str
    checks: tuple[Check, ...]


# ---------------------------------------------------------------- what is decided


class Finding(msgspec.Struct, frozen=True):
    """Why a hold was not met, as facts for ``messages`` to put into words."""

    symptom: str
    step: str
    facts: dict[str, Any] = {}
    status: Literal["failed", "error", "timeout"] = "failed"
    diagnosis: str | None = None


class Outcome(msgspec.Struct, frozen=True):
    """A check's line in the results (contract, section 4)."""

    id: str
    title: str
    kind: Kind
    visibility: Visibility
    status: CheckStatus
    points: float
    max_points: float
    message: str = ""
    diagnosis: str | None = None
    hint: str = ""


class Grade(msgspec.Struct, frozen=True):
    """One student's result (contract, section 4); ``score`` is None when the fault is ours."""

    student: str
    assignment: str
    score: float | None
    max_score: float
    status: GradeStatus
    checks: tuple[Outcome, ...]
    environment: dict[str, str]
    seconds: float = 0.0
    message: str = ""
    schema_version: int = 1
