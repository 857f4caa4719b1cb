"""The only codec between the grader and a worker.

A frame is a fixed header (magic, version, length) and one MessagePack document whose shape is a
type of ``model``. Decoding builds nothing but those types, numbers, text and bytes; unknown
fields, wrong types and over-long frames are refused. Arrays travel as raw bytes with a dtype
name and a shape, and become NumPy arrays only if all three agree. There is no pickle.
"""

from __future__ import annotations

import math
import os
import select
import struct
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec
import numpy as np

from autograder import model

MAGIC = b"ATTN"
VERSION = 1
HEADER = struct.Struct(">4sHQ")
DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64",
        "complex64", "complex128",
    )
}  # fmt: skip
MAX_AXES = 16
AT_ONCE = 1 << 16  # bytes of questions, or of answers, that travel together

T = TypeVar("T")


class WireError(Exception):
    """The other side sent something that is not a frame of the agreed kind."""


class Closed(WireError):
    """The other side went away."""


class Late(WireError):
    """Nothing came before the deadline."""


class Deadline:
    """Until when an answer is waited for, in seconds of time.monotonic. It is put off by the time for which the other
    side was ready to run and had no processor: a machine that is busy is nobody's fault."""

    def __init__(self, at: float, held_up: Callable[[], float] = lambda: 0.0) -> None:
        """``held_up``: the seconds of such time since it was asked before."""
        self.at = at
        self.held_up = held_up

    def remaining(self) -> float:
        """Seconds; 0 when it is over."""
        left = self.at - time.monotonic()
        if left <= 0:
            more = self.held_up()
            self.at += more
            left += more
        return max(0.0, left)


class Stream:
    """Bytes in and out of two file descriptors, with a deadline (seconds of ``time.monotonic``)
    where the platform can wait on a pipe."""

    def __init__(self, read_fd: int, write_fd: int, *, blocking: bool = True) -> None:
        """Not ``blocking``: writing gives up at its deadline, too, where the other side does not read."""
        self.read_fd = read_fd
        self.write_fd = write_fd
        self.ahead = bytearray()  # what has been read and not been asked for
        if not blocking and hasattr(select, "poll"):
            os.set_blocking(write_fd, False)

    def close(self) -> None:
        for fd in {self.read_fd, self.write_fd}:
            os.close(fd)

    def read(self, count: int, deadline: float | Deadline | None = None) -> bytes:
        """Exactly ``count`` bytes. Raises Closed or Late."""
        while len(self.ahead) < count:
            if deadline is not None:
                wait(self.read_fd, False, deadline)
            try:
                chunk = os.read(self.read_fd, min(max(count - len(self.ahead), AT_ONCE), 1 << 20))
            except BlockingIOError:
                wait(self.read_fd, False, deadline)
                continue
            except OSError as error:
                raise Closed(str(error)) from None
            if not chunk:
                raise Closed("the other side closed the connection")
            self.ahead += chunk
        data = bytes(self.ahead[:count])
        del self.ahead[:count]
        return data

    def write(self, data: bytes, deadline: float | Deadline | None = None) -> None:
        """All of ``data``. Raises Closed or Late."""
        view = memoryview(data)
        while view:
            if deadline is not None:
                wait(self.write_fd, True, deadline)
            try:
                view = view[os.write(self.write_fd, view[: 1 << 16]) :]
            except BlockingIOError:  # there is less room than that
                wait(self.write_fd, True, deadline)
            except OSError as error:
                raise Closed(str(error)) from None


def wait(fd: int, writing: bool, deadline: float | Deadline | None) -> None:
    """Until ``fd`` can be read or written. Raises Late after ``deadline``."""
    if not hasattr(select, "poll"):  # Windows: the caller's watchdog ends the worker instead
        return
    poller = select.poll()
    poller.register(fd, select.POLLOUT if writing else select.POLLIN)
    if deadline is None:
        poller.poll()
        return
    ends = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    while not poller.poll(ends.remaining() * 1000):
        if not ends.remaining():
            raise Late("no answer before the deadline")


def encode(message: msgspec.Struct) -> bytes:
    """A message as one frame."""
    return frame(msgspec.msgpack.encode(message))


def frame(payload: bytes) -> bytes:
    """A document that is already encoded as one frame."""
    return HEADER.pack(MAGIC, VERSION, len(payload)) + payload


def receive(stream: Stream, kind: type[T], limit: int, deadline: float | Deadline | None = None) -> T:
    """The next frame, as a value of ``kind``.

    Raises Closed, Late, or WireError for a frame over ``limit`` bytes, of another version or shape.
    """
    magic, version, length = HEADER.unpack(stream.read(HEADER.size, deadline))
    if magic != MAGIC or version != VERSION:
        raise WireError("not a frame of this protocol")
    if length > limit:
        raise WireError(f"a frame of {length} bytes is over the limit of {limit}")
    return decode(stream.read(length, deadline), kind)


def decode(payload: bytes, kind: type[T]) -> T:
    """A document as a value of ``kind``; WireError where it is not one."""
    try:
        return msgspec.msgpack.decode(payload, type=kind)
    except (msgspec.MsgspecError, RecursionError, ValueError, MemoryError) as error:
        raise WireError(f"malformed frame: {str(error)[:200]}") from None


def to_array(values: np.ndarray, device: str = "cpu", requires_grad: bool = False) -> model.Array:
    """A NumPy array as it travels: its bytes in C order."""
    return model.Array(values.dtype.name, values.shape, values.tobytes(), device, requires_grad)


def to_numpy(array: model.Array) -> np.ndarray:
    """The array that was sent, read-only. Raises WireError where dtype, shape and bytes disagree."""
    dtype = DTYPES.get(array.dtype)
    if dtype is None or len(array.shape) > MAX_AXES or min(array.shape, default=0) < 0:
        raise WireError(f"an array of dtype {array.dtype[:40]!r} and {len(array.shape)} axes can't be read")
    if math.prod(array.shape) * dtype.itemsize != len(array.data):
        raise WireError("an array's bytes do not fill its shape")
    try:
        return np.frombuffer(array.data, dtype).reshape(array.shape)
    except (ValueError, OverflowError) as error:  # no entries, but an axis too long for NumPy
        raise WireError(f"an array can't be read: {error}") from None


class _Ask(msgspec.Struct, frozen=True, tag_field="is", tag="ask"):
    nonce: str
    program: msgspec.Raw
    more: bool


def ask(nonce: str, program: bytes, more: bool = False) -> bytes:
    """``model.Ask`` as a frame, from a program encoded once for all students of a run."""
    return encode(_Ask(nonce, msgspec.Raw(program), more))
