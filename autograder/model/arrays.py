"""Arrays as they travel."""

from __future__ import annotations

import msgspec


class Array(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An array on the wire: C-ordered bytes with a dtype name and a shape; for tensors that came
    back also where they lived and whether a gradient could flow."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    device: str = "cpu"
    requires_grad: bool = False
