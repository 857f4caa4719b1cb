"""Values as Python source: small arrays as lists of numbers, large ones by the digest of their bytes."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from typing import Any

import numpy as np

from autograder import protocol
from autograder.protocol import wire

WIDTH = 110  # characters of a line
LITERAL = 48  # entries of an array that is written as numbers


class Literals:
    """Writes arrays as source. ``packed`` holds the large ones in base64, by digest."""

    def __init__(self) -> None:
        self.packed: dict[str, str] = {}

    def array(self, array: protocol.Array, indent: str = "") -> str:
        """Return the source of an array: ``array([[1.0, 2.0]], "float64")``, or ``packed(DIGEST, SHAPE, DTYPE)``."""
        values = wire.to_numpy(array)
        if 0 < values.size <= LITERAL:
            numbers = _shortest(values)
            if _same(np.array(numbers, values.dtype), values):
                return f'array({_rows(numbers, indent)}, "{values.dtype.name}")'
        digest = hashlib.sha256(values.tobytes()).hexdigest()[:16]
        self.packed[digest] = base64.b64encode(values.tobytes()).decode()
        return f'packed("{digest}", {values.shape}, "{values.dtype.name}")'

    def data(self) -> str:
        """Return the source of the dictionary ``DATA`` of all large arrays."""
        rows = []
        for digest, text in self.packed.items():
            lines = "\n".join(f'        "{line}"' for line in textwrap.wrap(text, WIDTH - 10) or [""])
            rows.append(f'    "{digest}": (\n{lines}\n    ),\n')
        return "DATA = {\n" + "".join(rows) + "}\n"


def _shortest(values: np.ndarray) -> Any:
    """Return nested lists of numbers with as few digits as the dtype needs."""
    if values.dtype.kind != "f":
        return values.tolist()
    short = np.array([float(str(one)) for one in values.ravel()], np.float64)
    return short.reshape(values.shape).tolist()


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    return first.shape == second.shape and first.tobytes() == second.tobytes()


def _rows(numbers: Any, indent: str) -> str:
    """Return nested lists as source, in lines of at most WIDTH characters."""
    text = repr(numbers)
    if len(indent) + len(text) <= WIDTH or not isinstance(numbers, list):
        return text
    inner = f"{indent}    "
    if isinstance(numbers[0], list):
        return "[\n" + "".join(f"{inner}{_rows(row, inner)},\n" for row in numbers) + f"{indent}]"
    return "[\n" + textwrap.fill(text[1:-1], WIDTH, initial_indent=inner, subsequent_indent=inner) + f"\n{indent}]"
