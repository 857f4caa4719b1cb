"""Messages, and arrays as they travel in them."""

from __future__ import annotations

from typing import Annotated

import msgspec

Shape = Annotated[tuple[int, ...], msgspec.Meta(max_length=64)]  # torch itself knows no more axes


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What travels between the grader and a worker. Most fields of most messages are what they are by default, and
    are not sent."""


class Array(Message, frozen=True):
    """An array on the wire: C-ordered bytes with a dtype name and a shape; for tensors that came
    back also where they lived and whether a gradient could flow."""

    dtype: str
    shape: Shape
    data: bytes
    device: str = "cpu"
    requires_grad: bool = False
