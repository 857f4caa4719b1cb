"""What a grader takes from a worker is limited, whatever the worker sends."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import inspect

from autograder import protocol
from autograder.protocol import answers, wire


def unlimited(kind: Any, seen: set[type], path: str = "") -> list[str]:
    """Return where a type takes text or collections of any length."""
    match kind:
        case inspect.StructType(cls=cls, fields=fields):
            if cls in seen:
                return []
            seen.add(cls)
            return [found for one in fields for found in unlimited(one.type, seen, f"{path}.{one.name}")]
        case inspect.UnionType(types=types):
            return [found for one in types for found in unlimited(one, seen, path)]
        case inspect.StrType(max_length=None):
            return [path]
        case inspect.VarTupleType(item_type=item, max_length=most):
            return [path] * (most is None) + unlimited(item, seen, f"{path}[]")
        case inspect.DictType(key_type=key, value_type=value, max_length=most):
            return [path] * (most is None) + unlimited(key, seen, f"{path}.key") + unlimited(value, seen, f"{path}[]")
    return []


@pytest.mark.parametrize("kind", [protocol.Answer, protocol.Loaded])
def test_every_text_and_collection_has_a_maximum_length(kind: type) -> None:
    assert unlimited(inspect.type_info(kind), set()) == []


LONG = "n" * (answers.MAX_NAME + 1)


@pytest.mark.parametrize(
    "result",
    [
        {"into": LONG},
        {"into": "out", "operations": [LONG]},
        {"into": "out", "later": [LONG]},
        {"into": "out", "parameters": {LONG: {"dtype": "bool", "shape": [], "data": b"\0"}}},
        {"into": "out", "interface": {"kind": "module", "modules": {"child": LONG}}},
        {"into": "out", "value": {"is": "opaque", "type": LONG}},
        {"into": "out", "value": {"is": "scalar", "value": LONG * 3}},
        {"into": "out", "raised": {"type": LONG, "bases": [], "message": ""}},
    ],
)
def test_a_longer_name_makes_an_answer_malformed(result: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError, match="length"):
        wire.decode(msgspec.msgpack.encode({"nonce": "n", "results": [result]}), protocol.Answer)
