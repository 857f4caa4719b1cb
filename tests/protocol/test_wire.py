"""The codec: messages arrive unchanged, and anything else is rejected."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder import protocol
from autograder.protocol import wire
from tests.small_suite_helpers import call, program

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INTS = st.integers(-(2**63), 2**63 - 1)
NUMPY = st.sampled_from(list(wire.DTYPES.values())).flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
ARRAYS = st.builds(wire.to_array, NUMPY, st.sampled_from(["cpu", "cuda", "meta"]), st.booleans())
LITERALS = st.none() | st.booleans() | INTS | st.floats(allow_nan=False) | TEXT
REFS = st.builds(protocol.Ref, TEXT, st.none() | st.integers(0, 9))
ARGUMENTS = LITERALS | REFS | st.lists(LITERALS, max_size=3)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
SCALARS = st.builds(protocol.Scalar, LITERALS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | st.builds(protocol.Tensor, ARRAYS) | st.builds(protocol.Opaque, TEXT),
    lambda inner: st.builds(protocol.Sequence, TEXT, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=5,
)
RAISED = st.builds(
    protocol.Raised, TEXT, NAMES, TEXT, st.none() | INTS, TEXT, st.sampled_from(["call", "make", "load"])
)
KWARGS = st.dictionaries(TEXT, ARGUMENTS, max_size=2)
STEPS = st.one_of(
    st.builds(
        protocol.Make, TEXT, TEXT, st.lists(ARGUMENTS, max_size=3), KWARGS, st.dictionaries(TEXT, TEXT, max_size=2)
    ),
    st.builds(protocol.Call, TEXT, TEXT, st.lists(ARGUMENTS, max_size=3), KWARGS, NAMES, NAMES, NAMES),
    st.builds(protocol.Optimizer, TEXT, st.just("SGD"), TEXT),
    st.builds(protocol.SetGrads, TEXT, st.floats(allow_nan=False)),
    st.builds(protocol.Inspect, TEXT, TEXT),
    st.builds(protocol.State, TEXT, TEXT),
)
PROGRAMS = st.builds(
    protocol.Program,
    st.sampled_from(["float32", "float64"]),
    st.dictionaries(TEXT, ARRAYS, max_size=2),
    st.lists(STEPS, max_size=3).map(tuple),
)
INTERFACES = st.builds(protocol.Interface, st.sampled_from(["class", "function", "module"]), NAMES, NAMES)
SEEN = st.builds(
    protocol.StepResult,
    TEXT,
    st.none() | VALUES,
    st.none() | RAISED,
    st.dictionaries(TEXT, st.none() | ARRAYS, max_size=2),
    st.dictionaries(TEXT, ARRAYS, max_size=2),
    NAMES,
    st.none() | INTERFACES,
    st.dictionaries(TEXT, ARRAYS, max_size=1),
    st.none() | st.booleans(),
)
MESSAGES = st.one_of(
    st.builds(
        protocol.Load,
        TEXT,
        TEXT,
        st.sampled_from(["script", "notebook"]),
        TEXT,
        st.lists(st.binary(max_size=20), max_size=2).map(tuple),
        st.floats(0, 9),
    ),
    st.builds(protocol.Ask, TEXT, PROGRAMS),
    st.builds(protocol.Answer, TEXT, st.lists(SEEN, max_size=3).map(tuple), TEXT),
    st.builds(protocol.Loaded, TEXT, st.none() | RAISED, st.lists(RAISED, max_size=2).map(tuple), TEXT),
)


@pytest.fixture
def pipe() -> Iterator[tuple[int, wire.Stream]]:
    """A descriptor to write frames to, and the stream that reads them."""
    read, write = os.pipe()
    yield write, wire.Stream(read, write)
    for end in (read, write):
        with contextlib.suppress(OSError):
            os.close(end)


def received(data: bytes, kind: Any = protocol.Answer, limit: int = 1 << 20, blocking: bool = True) -> Any:
    """Return what is read when the other side sends ``data`` and closes the connection."""
    read, write = os.pipe()
    sender = threading.Thread(target=_send, args=(write, data, blocking))
    sender.start()
    try:
        return wire.receive(wire.Stream(read, read), kind, limit)
    finally:
        os.close(read)
        sender.join()


def _send(write: int, data: bytes, blocking: bool) -> None:
    try:
        wire.Stream(write, write, blocking=blocking).write(data)
    except wire.Closed:
        pass
    finally:
        os.close(write)


ANSWER = protocol.Answer(
    "nonce",
    (
        protocol.StepResult(
            "out", protocol.Sequence("tuple", (protocol.Tensor(wire.to_array(np.ones((2, 3)))),)), operations=("a",)
        ),
        protocol.StepResult("bad", raised=protocol.Raised("ValueError", ("ValueError",), "no", 3, "x")),
    ),
    "printed",
)


# ---------------------------------------------------------------- messages arrive


@settings(max_examples=150, deadline=None)
@given(MESSAGES)
def test_every_message_arrives_unchanged(message: msgspec.Struct) -> None:
    assert wire.decode(wire.encode(message)[wire.HEADER.size :], type(message)) == message


@settings(max_examples=100, deadline=None)
@given(NUMPY)
def test_arrays_arrive_bit_by_bit(values: np.ndarray) -> None:
    back = wire.to_numpy(wire.to_array(values))
    assert (back.dtype, back.shape, back.tobytes()) == (values.dtype, values.shape, values.tobytes())
    assert not back.flags.writeable


@pytest.mark.parametrize("values", [np.arange(24.0).reshape(2, 3, 4).T, np.arange(24.0)[::-2]])
def test_strides_do_not_travel(values: np.ndarray) -> None:
    np.testing.assert_array_equal(wire.to_numpy(wire.to_array(values)), values)


def test_frames_follow_each_other(pipe: tuple[int, wire.Stream]) -> None:
    write, stream = pipe
    for nonce in ("one", "two"):
        os.write(write, wire.encode(protocol.Loaded(nonce)))
    assert [wire.receive(stream, protocol.Loaded, 99).nonce for _ in range(2)] == ["one", "two"]


def test_a_question_of_an_encoded_program_is_an_ask() -> None:
    asked = program(call("f", "x"), x=np.ones(3))
    frame = wire.ask("n", msgspec.msgpack.encode(asked))
    assert received(frame, protocol.Load | protocol.Ask) == protocol.Ask("n", asked)


@pytest.mark.parametrize("blocking", [True, False])
def test_a_frame_larger_than_a_pipe_arrives(blocking: bool) -> None:
    array = protocol.Array("uint8", (1_000_000,), b"x" * 1_000_000)
    message = protocol.Answer("n", (protocol.StepResult("out", protocol.Tensor(array)),))
    assert received(wire.encode(message), protocol.Answer, 2_000_000, blocking) == message


# ---------------------------------------------------------------- rejected frames


@pytest.mark.parametrize("length", [0, 5, wire.HEADER.size, wire.HEADER.size + 1, 60])
def test_a_truncated_frame_means_that_the_other_side_has_gone(length: int) -> None:
    with pytest.raises(wire.Closed):
        received(wire.encode(ANSWER)[:length])


@pytest.mark.parametrize(
    "header",
    [
        wire.HEADER.pack(b"HTTP", wire.VERSION, 4),
        wire.HEADER.pack(wire.MAGIC, wire.VERSION + 1, 4),
        wire.HEADER.pack(wire.MAGIC, 0, 4),
        b"\0" * wire.HEADER.size,
    ],
)
def test_foreign_frames_are_rejected(header: bytes) -> None:
    with pytest.raises(wire.WireError, match="not a frame"):
        received(header + b"\x80\x80\x80\x80")


def test_an_oversized_frame_is_rejected_before_it_is_read() -> None:
    with pytest.raises(wire.WireError, match="over the limit"):
        received(wire.HEADER.pack(wire.MAGIC, wire.VERSION, 2**63))
    frame = wire.encode(ANSWER)
    size = len(frame) - wire.HEADER.size
    assert received(frame, limit=size) == ANSWER
    with pytest.raises(wire.WireError):
        received(frame, limit=size - 1)


@pytest.mark.parametrize(
    "document",
    [
        {"nonce": "n", "results": [], "score": 100},
        {"nonce": "n", "results": [{"into": "out", "passed": True}]},
        {"nonce": "n", "results": [{"into": "out", "value": {"is": "object", "type": "x"}}]},
        {"nonce": "n", "results": [{"into": "out", "value": {"is": "scalar", "value": {}}}]},
        {"nonce": "n", "results": [{"into": "out", "value": {"is": "ref", "name": "x"}}]},
        {"nonce": 1, "results": []},
        {"nonce": "n"},
        {"nonce": "n", "results": "out"},
        {"nonce": "n", "results": [{"into": "out", "training": 1}]},
        {"nonce": "n", "results": [{"into": "out", "raised": {"type": "E", "bases": [], "message": 5}}]},
        {"nonce": "n", "results": [{"into": "o", "echoes": {"x": None}}]},
        {"nonce": "n", "results": [{"into": "o", "echoes": {"x": {"dtype": "4711", "shape": [], "data": b""}}}]},
        {
            "nonce": "n",
            "results": [{"into": "o", "echoes": {"x": {"dtype": "other", "shape": [], "data": b"", "device": "4711"}}}],
        },
        [],
        None,
        "n",
    ],
)
def test_documents_of_another_type_are_rejected(document: Any) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(msgspec.msgpack.encode(document), protocol.Answer)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        b"\x91" * 100_000,
        b"\x82\xa5nonce\xa1\xff\xa7results\x90",  # not UTF-8
        b"\xdd\xff\xff\xff\xff",
        b"\x82\xa5nonce\xa1n\xa7results\xdd\xff\xff\xff\xff",
        msgspec.msgpack.encode(ANSWER) + b"\xc0",  # trailing bytes
    ],
)
def test_broken_documents_are_rejected(payload: bytes) -> None:
    with pytest.raises(wire.WireError, match=r"^malformed frame: (?!Object contains unknown field)"):
        wire.decode(payload, protocol.Answer)


def test_deeply_nested_values_are_rejected() -> None:
    opening = b"\x83\xa2is\xa8sequence\xa4type\xa1t\xa5items\x91"
    nested = opening * 50_000 + b"\x82\xa2is\xa6scalar\xa5value\xc0"
    payload = b"\x82\xa5nonce\xa1n\xa7results\x91\x82\xa4into\xa1o\xa5value" + nested
    with pytest.raises(wire.WireError, match="recursion"):
        wire.decode(payload, protocol.Answer)


@pytest.mark.parametrize(
    "array",
    [
        protocol.Array("float64", (2, 3), b"\0" * 47),
        protocol.Array("float64", (2, 3), b"\0" * 49),
        protocol.Array("float64", (), b""),
        protocol.Array("float64", (1,), b""),
        protocol.Array("float64", (-1,), b"\0" * 8),
        protocol.Array("float64", (-1, -1), b"\0" * 8),
        protocol.Array("float64", (2**62, 2**62), b""),
        protocol.Array("float64", (0, 2**62), b""),
        protocol.Array("float64", (0, 2**64), b""),
        protocol.Array("float64", (0, 2**40, 2**40), b""),
        protocol.Array("float64", (1,) * 17, b"\0" * 8),
        protocol.Array("object", (1,), b"\0" * 8),
        protocol.Array("O", (1,), b"\0" * 8),
        protocol.Array("bfloat16", (1,), b"\0\0"),
        protocol.Array("datetime64", (1,), b"\0" * 8),
        protocol.Array("f8", (1,), b"\0" * 8),
        protocol.Array("", (0,), b""),
    ],
)
def test_inconsistent_arrays_are_rejected(array: protocol.Array) -> None:
    with pytest.raises(wire.WireError):
        wire.to_numpy(array)


def test_empty_arrays_are_read() -> None:
    assert wire.to_numpy(protocol.Array("int64", (0, 3), b"")).shape == (0, 3)


def test_mutated_frames_are_read_or_rejected() -> None:
    """No other exception, whatever bytes are changed, removed or added."""
    rng_state = random.Random(5)
    frame = wire.encode(ANSWER)
    for _ in range(6000):
        data = bytearray(frame)
        for _ in range(rng_state.randint(1, 4)):
            place = rng_state.randrange(wire.HEADER.size, len(data))
            change = rng_state.randrange(3)
            if change == 0:
                data[place] = rng_state.randrange(256)
            elif change == 1:
                del data[place : place + rng_state.randint(1, 5)]
            else:
                data[place:place] = rng_state.randbytes(rng_state.randint(1, 5))
            if len(data) <= wire.HEADER.size:
                break
        try:
            answer = wire.decode(bytes(data[wire.HEADER.size :]), protocol.Answer)
            for result in answer.results:
                for value in getattr(result.value, "items", ()):
                    if isinstance(value, protocol.Tensor):
                        wire.to_numpy(value.array)
        except wire.WireError:
            pass


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_rejected(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(data, protocol.Answer)


# ---------------------------------------------------------------- deadlines


def test_silence_is_a_timeout(pipe: tuple[int, wire.Stream]) -> None:
    with pytest.raises(wire.TimedOut):
        wire.receive(pipe[1], protocol.Answer, 99, deadline=time.monotonic())


def test_half_a_frame_is_a_timeout(pipe: tuple[int, wire.Stream]) -> None:
    write, stream = pipe
    os.write(write, wire.encode(ANSWER)[:40])
    with pytest.raises(wire.TimedOut):
        wire.receive(stream, protocol.Answer, 1000, deadline=time.monotonic() + 0.01)


def test_buffered_data_is_read_after_the_deadline(pipe: tuple[int, wire.Stream]) -> None:
    os.write(pipe[0], wire.encode(ANSWER))
    assert wire.receive(pipe[1], protocol.Answer, 1000, deadline=time.monotonic() - 1) == ANSWER


def test_a_reader_that_does_not_read_is_a_timeout() -> None:
    read, write = os.pipe()
    stream = wire.Stream(read, write, blocking=False)
    with pytest.raises(wire.TimedOut):
        stream.write(b"x" * 10_000_000, deadline=time.monotonic() + 0.01)
    stream.close()


def test_writing_to_a_closed_connection_raises_closed() -> None:
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(wire.Closed):
        wire.Stream(write, write).write(b"x")
    os.close(write)


def test_a_stream_of_one_descriptor_is_closed_once() -> None:
    read, write = os.pipe()
    wire.Stream(read, read).close()
    wire.Stream(write, write).close()
    for end in (read, write):
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(end)


class Moving(wire.Deadline):
    """A deadline that has passed, and moves when it is asked, so many times."""

    def __init__(self, write: int, moves: int, answers: bool) -> None:
        super().__init__(time.monotonic() - 1)
        self.write, self.moves, self.answers = write, moves, answers

    def remaining(self) -> float:
        self.moves -= 1
        if not self.moves and self.answers:
            os.write(self.write, wire.encode(ANSWER))
        return 0.001 if self.moves > 0 else 0.0


def test_a_deadline_may_move_while_it_is_waited_for(pipe: tuple[int, wire.Stream]) -> None:
    """What has come by the last moment counts."""
    assert wire.receive(pipe[1], protocol.Answer, 1000, Moving(pipe[0], 3, answers=True)) == ANSWER


def test_a_deadline_moves_as_often_as_it_does(pipe: tuple[int, wire.Stream]) -> None:
    deadline = Moving(pipe[0], 3, answers=False)
    with pytest.raises(wire.TimedOut):
        wire.receive(pipe[1], protocol.Answer, 99, deadline)
    assert deadline.moves == 0
