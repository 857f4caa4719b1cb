"""The wire and the judge under mutated answers: they are read or refused, soon, and in little memory.

``make test`` takes a few thousand, ``make thorough`` a hundred thousand frames.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
import warnings
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import judge, model, protocol
from autograder.feedback import messages
from autograder.grading import suite
from autograder.model import text as text_module
from autograder.protocol import wire
from autograder.sandbox.limits import Limits

from . import mutate
from .fuzzing import LONGEST, fuzz, thorough

PIPE = 60_000  # bytes that a pipe takes before anybody reads
LIMIT = Limits().answer_bytes

# ---------------------------------------------------------------- the wire

ARRAY = wire.to_array(np.arange(6.0).reshape(2, 3))
RAISED = protocol.Raised("ValueError", ("ValueError", "Exception"), "no", 3, "x = 1")
SEEN = (
    protocol.StepResult(
        "out", protocol.Sequence("tuple", (protocol.Tensor(ARRAY), protocol.Scalar(1.5))), operations=("a", "b")
    ),
    protocol.StepResult("bad", raised=RAISED, changed=(1,), training=True),
    protocol.StepResult(
        "odd", protocol.Sequence("list", (protocol.Opaque("dict"), protocol.Scalar(None), protocol.Scalar("x")))
    ),
    protocol.StepResult("step", gradients={"x": ARRAY, "y": None}, echoes={"x": ARRAY}, parameters={"w": ARRAY}),
    protocol.StepResult(
        "it",
        interface=protocol.Interface(
            "class",
            ("self", "x"),
            ("x",),
            parameters=(protocol.ParameterInfo("w", (2,), "float32", True),),
            modules={"w": "Linear"},
        ),
    ),
)
ANSWERS = (
    (protocol.Answer, msgspec.to_builtins(protocol.Answer("nonce", SEEN, "printed"), builtin_types=(bytes,))),
    (protocol.Loaded, msgspec.to_builtins(protocol.Loaded("nonce", RAISED, (RAISED,) * 3), builtin_types=(bytes,))),
)


def framed(rng_state: random.Random) -> tuple[bytes, type[Any]]:
    """A frame that is odd in its types, its lengths, its bytes, or its header."""
    kind, value = rng_state.choice(ANSWERS)
    how = rng_state.randrange(10)
    if how < 5:
        value = mutated_as_plain(value, rng_state)
    payload = mutate.msgpack(value, rng_state, lies=0.02 if how in (4, 5, 6) else 0)
    if how in (6, 7, 8):
        payload = mutate.scrambled(payload, rng_state)
    length = len(payload)
    if how == 9:
        length = rng_state.choice((0, length - 1, length + 1, LIMIT, LIMIT + 1, 2**32, 2**63, 2**64 - 1, length))
    header = wire.HEADER.pack(wire.MAGIC, wire.VERSION, length)
    return (mutate.scrambled(header, rng_state, 1) if how == 9 and rng_state.random() < 0.5 else header) + payload, kind


def mutated_as_plain(value: Any, rng_state: random.Random) -> Any:
    """Tuples would be passed over as leaves."""
    return mutate.mutated(json_like(value), rng_state)


def json_like(value: Any) -> Any:
    """The same of lists and dicts."""
    if isinstance(value, dict):
        return {key: json_like(part) for key, part in value.items()}
    return [json_like(part) for part in value] if isinstance(value, list | tuple) else value


def received(frame: bytes, kind: type[Any]) -> Any:
    """What the grader reads when a worker sends ``frame`` and goes away."""
    if len(frame) > PIPE:
        return wire.decode(frame[wire.HEADER.size :], kind)
    reading, writing = os.pipe()
    try:
        os.write(writing, frame)
        os.close(writing)
        return wire.receive(wire.Stream(reading, reading), kind, LIMIT, time.monotonic() + LONGEST)
    finally:
        os.close(reading)


def arrays(value: Any) -> Iterator[protocol.Array]:
    """Every array in a message."""
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, protocol.Array):
            yield each
        elif isinstance(each, msgspec.Struct):
            todo += [getattr(each, name) for name in each.__struct_fields__]
        elif isinstance(each, tuple | dict):
            todo += each.values() if isinstance(each, dict) else each


def answered(sent: tuple[bytes, type[Any]]) -> bool:
    """Whether what was sent can be read. Its arrays are read, too, or refused."""
    try:
        message = received(*sent)
    except wire.WireError:
        return False
    assert type(message) is sent[1]
    for array in arrays(message):
        with contextlib.suppress(wire.WireError):
            values = wire.to_numpy(array)
            assert values.dtype.name in wire.DTYPES
            assert not values.flags.writeable
    return True


@thorough(4000, 100_000)
def test_frames_are_read_or_refused(count: int) -> None:
    fuzz(count, "frames", framed, answered)


START = b"\x82\xa5nonce\xa1n\xa7results"
SMALL = {  # what takes little room on the wire and much in memory
    "steps": START + b"\xdd%s" + b"\x81\xa4into\xa0" * 1_000_000,
    "operations": START + b"\x91\x82\xa4into\xa0\xaaoperations\xdd%s" + b"\xa2ab" * 1_000_000,
    "changes": START + b"\x91\x82\xa4into\xa0\xa7changed\xdd%s" + b"\xcd\1\1" * 1_000_000,
    "items": START
    + b"\x91\x82\xa4into\xa0\xa5value\x83\xa2is\xa8sequence\xa4type\xa0\xa5items\xdd%s"
    + b"\x82\xa2is\xa6scalar\xa5value\xc0" * 1_000_000,
    "axes": START
    + b"\x91\x82\xa4into\xa0\xa6echoes\x81\xa1x\x83\xa5dtype\xa5other\xa5shape\xdd%s"
    + b"\xcd\1\1" * 1_000_000,
    "gradients": START
    + b"\x91\x82\xa4into\xa0\xa9gradients\xdf%s"
    + b"".join(b"\xa5%05d\xc0" % number for number in range(100_000)),
    "bases": b"\x82\xa5nonce\xa1n\xa6raised\x83\xa4type\xa0\xa5bases\xdd%s" + b"\xa2ab" * 1_000_000,
}


@pytest.mark.parametrize("length", [b"\0\x0f\x42\x40", b"\x0f\xff\xff\xff", b"\xff\xff\xff\xff"])
@pytest.mark.parametrize("name", SMALL)
def test_collections_have_a_most(name: str, length: bytes) -> None:
    """Refused by the announced length, before anything is built: it would be forty times as large as the frame."""
    kind = protocol.Loaded if name == "bases" else protocol.Answer
    with pytest.raises(wire.WireError, match="of length <="):
        wire.decode(SMALL[name].replace(b"%s", length, 1), kind)


def test_a_lack_of_memory_is_the_answers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(wire.msgspec.msgpack, "decode", decode)
    with pytest.raises(wire.WireError):
        wire.decode(b"", protocol.Answer)


# ---------------------------------------------------------------- the judge


@pytest.fixture(scope="module")
def paper() -> suite.CheckSuite:
    return suite.full("masking", "the fuzz's seed")


@thorough(300, 20_000)
def test_any_answer_is_judged(count: int, paper: suite.CheckSuite) -> None:
    """An answer of the right form and any content is judged and put into words; it is never our own fault."""
    checks = [(check, case.id) for check in paper.spec.checks for case in check.cases]

    def make(rng_state: random.Random) -> tuple[model.Check, model.Prepared, protocol.Answer]:
        check, case = rng_state.choice(checks)
        prepared = paper.prepared[case]
        expected = json_like(msgspec.to_builtins(prepared.expected_results, builtin_types=(bytes,)))
        answer = {"nonce": "n", "results": mutate.lying(expected, rng_state)}
        return check, prepared, msgspec.convert(answer, protocol.Answer)

    def judged(one: tuple[model.Check, model.Prepared, protocol.Answer]) -> bool:
        check, prepared, answer = one
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            finding = judge.first_failure(check.assertions, prepared, answer)
            if finding is not None:
                for hidden in (False, True):
                    said = messages.message(finding, prepared, hidden)
                    assert said.isprintable()
                    assert len(said) <= text_module.LIMIT
        return finding is None

    fuzz(count, "answers", make, judged)
