"""The base of all messages, and arrays as they travel."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

Shape = Annotated[tuple[int, ...], msgspec.Meta(max_length=64)]  # torch's own maximum
# A worker may send no other word than these. For what it can't name, it says ``other``.
_Readable = Literal[
    "bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64", "complex128"
]
ArrayDtype = Literal[_Readable, "bfloat16", "other"]
ArrayDevice = Literal["cpu", "cuda", "meta", "other"]
READABLE: tuple[str, ...] = get_args(_Readable)  # dtypes whose values travel
DTYPES: tuple[str, ...] = get_args(ArrayDtype)
DEVICES: tuple[str, ...] = get_args(ArrayDevice)


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of what travels between the grader and a worker. Fields with their default value are not sent."""


class Array(Message, frozen=True):
    """An array on the wire: bytes in C order, with a dtype name and a shape.

    For a returned tensor, ``device`` and ``requires_grad`` are the tensor's own.
    """

    dtype: ArrayDtype
    shape: Shape
    data: bytes
    device: ArrayDevice = "cpu"
    requires_grad: bool = False
