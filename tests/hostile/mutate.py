"""Mutations of values, MessagePack, notebooks and zips, that know what they change; drawn from a seed."""

from __future__ import annotations

import copy
import io
import json
import random
import struct
import zipfile
from typing import Any

import msgspec

from autograder.protocol.arrays import DEVICES, DTYPES

ODD = (
    None,
    True,
    False,
    0,
    -1,
    1,
    255,
    2**31,
    2**32,
    2**53,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    0.5,
    -0.0,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "x",
    "code",
    "cells",
    "source",
    "tensor",
    "scalar",
    "float64",
    "object",
    "\0",
    "\ud7ff",
    "😀",
    "=1",
    "\x1b[2J\u202e",
    b"",
    b"\0" * 8,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"is": "tensor"},
)
MARKS = (b"PK\1\2", b"PK\3\4", b"PK\5\6")
NAMES = (
    "bahdanau.py",
    "bahdanau.ipynb",
    "a/bahdanau.py",
    "../bahdanau.py",
    "/x",
    "C:\\x",
    "a//b",
    ".x",
    "x/",
    "\x1b",
    "pyvenv.cfg",
    "__MACOSX/x",
    "bahdanau (1).py",
    "Bahdanau.py",
    "é.py",
    "n" * 200,
)
TOKENS = (
    "%",
    "%%",
    "!",
    "?",
    "'",
    '"',
    "'''",
    '"""',
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "#",
    "=",
    " = ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "x",
    "if x:",
    "pip install ",
    "%%bash",
    "%time ",
    "\x0c",
    "\0",
    "é",
    "😀",
    ",",
    ".",
    "a.b[0]",
    " " * 300,
    "\n" * 50,
    "'" * 40,
    "x?" * 20,
    "\u2028",
)
SHAPES: tuple[list[int], ...] = ([], [0], [1], [-1], [2**62, 4], [1] * 17, [0, 2**62])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a value."""
    found, todo = [], [value]
    while todo:
        each = todo.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        for key in keys:
            found.append((each, key))
            todo.append(each[key])
    return found


def odd(rng_state: random.Random) -> Any:
    """Something that is hardly ever expected."""
    kind = rng_state.randrange(12)
    if kind == 0:
        nested: Any = None
        for _ in range(rng_state.choice((3, 30, 90))):
            nested = [nested] if rng_state.random() < 0.7 else {"x": nested}
        return nested
    if kind == 1:
        return [copy.deepcopy(rng_state.choice(ODD))] * rng_state.choice((2, 63, 65, 600))
    if kind == 2:
        return {f"k{number}": None for number in range(rng_state.choice((2, 600)))}
    if kind == 3:
        return "\u202e<b>" * rng_state.choice((1, 500))
    return copy.deepcopy(rng_state.choice(ODD))


def mutated(value: Any, rng_state: random.Random, changes: int = 3) -> Any:
    """A copy in which some parts are replaced, dropped, doubled or given to others."""
    root = [copy.deepcopy(value)]
    for _ in range(rng_state.randint(1, changes)):
        all_places = places(root)
        where, key = rng_state.choice(all_places)
        change = rng_state.randrange(6)
        if change == 0 and where is not root:
            del where[key]
        elif change == 1 and isinstance(where, list) and where is not root:
            where.extend([where[key]] * rng_state.choice((1, 5)))
        elif change == 2:
            other, its = rng_state.choice(all_places)
            where[key] = copy.deepcopy(other[its])
        elif change == 3 and isinstance(where, dict):
            where[rng_state.choice(("is", "x", "shape", "data", "cells", "source", "dtype", "score"))] = odd(rng_state)
        else:
            where[key] = odd(rng_state)
    return root[0]


def lying(answer: list[Any], rng_state: random.Random) -> list[Any]:
    """The steps of a right answer with other values in them, each of a form that the wire lets pass."""
    root = copy.deepcopy(answer)
    for _ in range(rng_state.randint(1, 4)):
        where, key = rng_state.choice(places(root))
        part = where[key]
        if isinstance(part, dict) and "data" in part:
            where[key] = array(part, rng_state)
        elif isinstance(part, dict) and "is" in part:
            where[key] = result(part, rng_state)
        elif key in ("gradients", "echoes", "parameters") and isinstance(part, dict):
            where[key] = {name: part[name] for name in part if rng_state.random() < 0.5}
        elif key == "raised":
            bases = rng_state.choice((["ValueError"], ["NotImplementedError"], [], ["\x1b"]))
            during = rng_state.choice(("call", "backward", "make", "load", "inspect", "skipped"))
            text = rng_state.choice(("", "{0}%s{why}", "<b>\u202e\0" * 120))
            where[key] = {
                "type": text[:50],
                "bases": bases,
                "message": text,
                "line": rng_state.choice((None, 0, -1, 2**60)),
                "code": text,
                "during": during,
            }
        elif key == "interface":
            where[key] = {"kind": rng_state.choice(("class", "function", "module", "other")), "arguments": ["\x1b"] * 9}
        elif key == "operations":
            where[key] = rng_state.choice(([], ["aten.add"], ["\x1b[2J"] * 100))
    return root


def array(part: dict[str, Any], rng_state: random.Random) -> dict[str, Any]:
    """An array that differs in shape, dtype, bytes or place; often it disagrees with itself."""
    changed = dict(part)
    size = len(part["data"])
    for _ in range(rng_state.randint(1, 2)):
        change = rng_state.randrange(5)
        if change == 0:
            changed["dtype"] = rng_state.choice(DTYPES)
        elif change == 1:
            changed["shape"] = rng_state.choice(SHAPES) if rng_state.random() < 0.8 else part["shape"][::-1]
        elif change == 2:
            fill = rng_state.choice((b"\0", b"\xff", b"\x7f\xf0\0\0\0\0\0\1", b"\0\0\0\0\0\0\xf0\x7f", b"\x01"))
            changed["data"] = (fill * (size // len(fill) + 1))[:size]
        elif change == 3:
            changed["data"] = rng_state.choice((b"", part["data"][:-1], part["data"] * 2, rng_state.randbytes(size)))
        else:
            changed["device"] = rng_state.choice(DEVICES)
    return changed


def result(part: dict[str, Any], rng_state: random.Random) -> dict[str, Any]:
    """Another kind of result."""
    empty = {"dtype": "float64", "shape": [], "data": bytes(8)}
    return rng_state.choice(
        (
            {
                "is": "scalar",
                "value": rng_state.choice((None, True, 2**63 - 1, float("nan"), float("inf"), "x" * 600, 0.0)),
            },
            {"is": "opaque", "type": rng_state.choice(("Tensor", "", "\x1b\u202e" * 100))},
            {
                "is": "sequence",
                "type": rng_state.choice(("tuple", "list", "\x1b")),
                "items": [part] * rng_state.randrange(4),
            },
            {"is": "sequence", "type": "list", "items": []},
            {"is": "tensor", "array": array(empty, rng_state)},
        )
    )


def scrambled(data: bytes, rng_state: random.Random, changes: int = 4) -> bytes:
    """Bytes that are changed, cut out, put in, doubled or cut off."""
    raw = bytearray(data)
    for _ in range(rng_state.randint(1, changes)):
        place = rng_state.randrange(len(raw) + 1)
        change = rng_state.randrange(5)
        if change == 0:
            raw[place : place + 1] = rng_state.randbytes(1)
        elif change == 1:
            del raw[place : place + rng_state.randint(1, 9)]
        elif change == 2:
            raw[place:place] = rng_state.randbytes(rng_state.randint(1, 9))
        elif change == 3:
            raw[place:place] = raw[place : place + rng_state.randint(1, 40)]
        elif rng_state.random() < 0.3:
            del raw[place:]
    return bytes(raw)


def msgpack(value: Any, rng_state: random.Random, lies: float = 0.0) -> bytes:
    """A value as MessagePack, some of whose lengths are not true."""

    def length(true: int) -> int:
        if rng_state.random() >= lies:
            return true
        return rng_state.choice((0, true + 1, max(0, true - 1), 2**16, 2**28, 2**31, 2**32 - 1))

    if isinstance(value, dict):
        parts = [msgpack(part, rng_state, lies) for item in value.items() for part in item]
        return b"\xdf" + struct.pack(">I", length(len(value))) + b"".join(parts)
    if isinstance(value, list | tuple):
        parts = [msgpack(part, rng_state, lies) for part in value]
        return b"\xdd" + struct.pack(">I", length(len(value))) + b"".join(parts)
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        return b"\xdb" + struct.pack(">I", length(len(data))) + data
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", length(len(value))) + value
    return msgspec.msgpack.encode(value)


def cell(rng_state: random.Random) -> str:
    """A cell of odds and ends that magics are made of."""
    return "".join(rng_state.choice(TOKENS) for _ in range(rng_state.randint(1, 40)))


def notebook(seed: Any, rng_state: random.Random) -> bytes:
    """A notebook that is odd in its structure, its cells, its bytes or its encoding."""
    book = mutated(seed, rng_state) if rng_state.random() < 0.7 else copy.deepcopy(seed)
    if isinstance(book, dict) and isinstance(book.get("cells"), list):
        book["cells"].append({"cell_type": "code", "source": cell(rng_state)})
    text = json.dumps(book, ensure_ascii=rng_state.random() < 0.5, default=lambda data: data.hex())
    encoding = rng_state.choice(("utf-8",) * 6 + ("utf-16", "utf-32", "utf-8-sig", "latin-1"))
    data = text.encode(encoding, "replace")
    return scrambled(data, rng_state) if rng_state.random() < 0.4 else data


def archive(rng_state: random.Random, content: bytes) -> bytes:
    """A zip that is odd in its names, its fields or its bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as book:
        for number in range(rng_state.randint(0, 4)):
            name = rng_state.choice(NAMES[:3] if rng_state.random() < 0.5 else NAMES)
            member = zipfile.ZipInfo(name + ("" if rng_state.random() < 0.8 else str(number)))
            member.compress_type = rng_state.choice((0, 8, 8, 8, 8, 8, 12, 14))
            member.external_attr = rng_state.choice((0, 0, 0o100644 << 16, 0o120777 << 16, 0o040755 << 16, 2**32 - 1))
            if rng_state.random() < 0.1:
                member.extra = struct.pack("<HHQQ", 1, 16, 2**60, rng_state.choice((0, 2**40)))
            inner = content if rng_state.random() < 0.8 else bytes(200_000)
            book.writestr(member, inner)
    raw = bytearray(data.getvalue())
    for _ in range(rng_state.randint(0, 3)):
        start = raw.rfind(rng_state.choice(MARKS))
        if start >= 0:
            place = start + rng_state.randrange(4, 46)
            raw[place : place + 4] = rng_state.choice((b"\xff" * 4, bytes(4), b"\0\0\0\x80", rng_state.randbytes(4)))
    return scrambled(bytes(raw), rng_state) if rng_state.random() < 0.4 else bytes(raw)
