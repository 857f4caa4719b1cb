"""The only codec between the grader and a worker.

A frame is a fixed header (magic, version, length) and one MessagePack document of a type in ``protocol``. Decoding
builds only those types, numbers, text and bytes. It rejects unknown fields, wrong types and frames that are too long.
Arrays travel as raw bytes with a dtype name and a shape, and become NumPy arrays only if all three agree. There is no
pickle.
"""

from __future__ import annotations

import math
import os
import select
import struct
import time
from typing import TypeVar, cast

import msgspec
import numpy as np

from autograder import protocol
from autograder.protocol.arrays import READABLE

MAGIC = b"ATTN"
VERSION = 1
HEADER = struct.Struct(">4sHQ")
DTYPES = {name: np.dtype(name) for name in READABLE}
MAX_AXES = 16
AT_ONCE = 1 << 16  # bytes of questions, or of answers, that travel together

T = TypeVar("T")


class WireError(Exception):
    """The other side sent something other than a frame of the expected type."""


class Closed(WireError):
    """The other side closed the connection."""


class TimedOut(WireError):
    """No frame arrived before the deadline."""


class Deadline:
    """The time until which to wait for an answer, in seconds of ``time.monotonic``."""

    def __init__(self, at: float) -> None:
        self.at = at

    def remaining(self) -> float:
        """Return the seconds that remain, at least 0. It is asked again after that time, and may return more then."""
        return max(0.0, self.at - time.monotonic())


class Stream:
    """Bytes in and out of two file descriptors.

    Deadlines are in seconds of ``time.monotonic``. They need a platform that can wait on a pipe.
    """

    def __init__(self, read_fd: int, write_fd: int, *, blocking: bool = True) -> None:
        """Unless ``blocking``, writing keeps its deadline too if the other side does not read."""
        self.read_fd = read_fd
        self.write_fd = write_fd
        self.ahead = bytearray()  # bytes that are read but not yet returned
        if not blocking and hasattr(select, "poll"):
            os.set_blocking(write_fd, False)

    def close(self) -> None:
        """Close both file descriptors."""
        for fd in {self.read_fd, self.write_fd}:
            os.close(fd)

    def read(self, count: int, deadline: float | Deadline | None = None) -> bytes:
        """Return exactly ``count`` bytes. Raises Closed or TimedOut."""
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
        """Write all of ``data``. Raises Closed or TimedOut."""
        view = memoryview(data)
        while view:
            if deadline is not None:
                wait(self.write_fd, True, deadline)
            try:
                view = view[os.write(self.write_fd, view[: 1 << 16]) :]
            except BlockingIOError:  # the pipe has less room than that
                wait(self.write_fd, True, deadline)
            except OSError as error:
                raise Closed(str(error)) from None


def wait(fd: int, writing: bool, deadline: float | Deadline | None) -> None:
    """Wait until ``fd`` can be read or written. Raises TimedOut after ``deadline``."""
    if not hasattr(select, "poll"):  # on Windows the caller's watchdog ends the worker instead
        return
    poller = select.poll()
    poller.register(fd, select.POLLOUT if writing else select.POLLIN)
    if deadline is None:
        poller.poll()
        return
    ends = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    left = ends.remaining()
    while not poller.poll(left * 1000):
        if not left:
            raise TimedOut("no answer before the deadline")
        left = ends.remaining()


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as one frame."""
    return frame(msgspec.msgpack.encode(message))


def frame(payload: bytes) -> bytes:
    """Return an encoded document as one frame."""
    return HEADER.pack(MAGIC, VERSION, len(payload)) + payload


def receive(stream: Stream, kind: type[T], limit: int, deadline: float | Deadline | None = None) -> T:
    """Return the next frame as a value of ``kind``. Raises WireError if it is not one; see also receive_payload."""
    return decode(receive_payload(stream, limit, deadline), kind)


def receive_payload(stream: Stream, limit: int, deadline: float | Deadline | None = None) -> bytes:
    """Return the document in the next frame, still encoded.

    Raises Closed or TimedOut, and WireError for a frame over ``limit`` bytes or of another version.
    """
    magic, version, length = HEADER.unpack(stream.read(HEADER.size, deadline))
    if magic != MAGIC or version != VERSION:
        raise WireError("not a frame of this protocol")
    if length > limit:
        raise WireError(f"a frame of {length} bytes is over the limit of {limit}")
    return stream.read(length, deadline)


def decode(payload: bytes, kind: type[T]) -> T:
    """Return a document as a value of ``kind``. Raises WireError if it is not one."""
    try:
        return msgspec.msgpack.decode(payload, type=kind)
    except (msgspec.MsgspecError, RecursionError, ValueError, MemoryError) as error:
        raise WireError(f"malformed frame: {str(error)[:200]}") from None


def to_array(values: np.ndarray, device: protocol.ArrayDevice = "cpu", requires_grad: bool = False) -> protocol.Array:
    """Return a NumPy array as it travels: its bytes in C order."""
    dtype = cast(protocol.ArrayDtype, values.dtype.name)
    return protocol.Array(dtype, values.shape, values.tobytes(), device, requires_grad)


def to_numpy(array: protocol.Array) -> np.ndarray:
    """Return a received array, read-only. Raises WireError if dtype, shape and bytes disagree."""
    dtype = DTYPES.get(array.dtype)
    if dtype is None or len(array.shape) > MAX_AXES or min(array.shape, default=0) < 0:
        raise WireError(f"an array of dtype {array.dtype} and {len(array.shape)} axes can't be read")
    if math.prod(array.shape) * dtype.itemsize != len(array.data):
        raise WireError("an array's bytes do not fill its shape")
    try:
        return np.frombuffer(array.data, dtype).reshape(array.shape)
    except (ValueError, OverflowError) as error:  # an array without entries whose axis is too long for NumPy
        raise WireError(f"an array can't be read: {error}") from None


class _Ask(msgspec.Struct, frozen=True, tag_field="is", tag="ask"):
    nonce: str
    program: msgspec.Raw
    more: bool


def ask(nonce: str, program: bytes, more: bool = False) -> bytes:
    """Return ``protocol.Ask`` as a frame. The program is encoded once for all students of a run."""
    return encode(_Ask(nonce, msgspec.Raw(program), more))
