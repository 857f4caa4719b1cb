"""Tokens: one line of a student's file that names its owner and gives numbers of its own.

    TOKEN = "attngrade1.ASSIGNMENT.STUDENT.SEED.SIGNATURE"

The student is UTF-8 in base64url without padding. The seed has 16 hexadecimal digits. The signature is the first 32
digits of HMAC-SHA256, with the course's key, of the fields before it; it is empty without a key. All that a student's
numbers need is the seed, so they need no key.
"""

from __future__ import annotations

import ast
import base64
import binascii
import functools
import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from autograder.model.submissions import Submission

FORM = re.compile(r"attngrade1\.([a-z][a-z0-9_]*)\.([A-Za-z0-9_-]*)\.([0-9a-f]{16})\.([0-9a-f]{32})?")
NAME = "TOKEN"  # what the file assigns it to
NO_SEED = 16 * "0"  # of a file without a token that can be read
SEED_DIGITS, SIGNATURE_DIGITS = 16, 32
LONGEST = 2000  # characters of a token that is read
State = Literal["", "ok", "missing", "unreadable", "unsigned", "forged", "foreign"]
# What a student reads about the state; of others only instructors know.
SAID: dict[str, str] = {
    "missing": "The file has no token, so its numbers are those of the empty token.",
    "unreadable": "The token in the file can't be read, so its numbers are those of the empty token."
    " Copy the line that your course gave you.",
}


class Token(NamedTuple):
    """The fields of a token that can be read. ``student`` is None if that field holds no text."""

    assignment: str
    student: str | None
    seed: str
    signature: str
    signed: str  # what the signature is about


def parse(text: object) -> Token | None:
    """Return the fields of a token, or None if it can't be read."""
    found = FORM.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST else None
    if found is None:
        return None
    assignment, student, seed, signature = found.groups(default="")
    return Token(assignment, _decoded(student), seed, signature, found[0].rpartition(".")[0])


def make(assignment: str, student: str, key: bytes = b"") -> str:
    """Return a student's token, signed if there is a key. The same student and key always give the same token."""
    name = base64.urlsafe_b64encode(student.encode("utf-8", "surrogatepass")).rstrip(b"=").decode()
    fields = f"attngrade1.{assignment}.{name}"
    digest = _signature(key, fields) if key else hashlib.sha256(fields.encode()).hexdigest()
    signed = f"{fields}.{digest[:SEED_DIGITS]}"
    return f"{signed}.{_signature(key, signed)[:SIGNATURE_DIGITS] if key else ''}"


def state(text: str | None, assignment: str, students: Sequence[str], key: bytes = b"") -> State:
    """Return the state of a token in a file of one of ``students``: it is one person under several ids.

    Without a key, no signature is looked at.
    """
    if not text:
        return "missing"
    token = parse(text)
    if token is None:
        return "unreadable"
    if key and not token.signature:
        return "unsigned"
    if key and not hmac.compare_digest(_signature(key, token.signed)[:SIGNATURE_DIGITS], token.signature):
        return "forged"
    return "ok" if token.assignment == assignment and token.student in students else "foreign"


@functools.lru_cache(maxsize=1)  # each answer to a quiz asks for it; a process grades one submission at a time
def written(submission: Submission) -> str | None:
    """Return the text that a file assigns to ``TOKEN`` at its top level; None if there is none. Nothing is run.

    The last assignment counts, as it does when the file runs.
    """
    found = None
    for cell in submission.cells:
        try:
            body = ast.parse(cell).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # a notebook's cell may be broken
            continue
        for statement in body:
            for name, value in _assigned(statement):
                found = value if name == NAME else found
    return found


def is_own(statement: ast.stmt) -> bool:
    """Return whether a statement assigns the token: a starter file with one is still a starter file."""
    return any(name == NAME for name, _ in _assigned(statement))


def draw(text: str | None, name: str) -> int:
    """Return a large number that follows from the seed of a token and a name. Given code does the same."""
    token = parse(text)
    seed = token.seed if token else NO_SEED
    return int(hashlib.sha256(f"{seed}.{name}".encode()).hexdigest(), 16)


def shuffled(text: str | None, question: str, options: Sequence[str]) -> list[str]:
    """Return the options of a question in the order of a token."""
    return sorted(options, key=lambda option: draw(text, f"{question} {option}"))


def _decoded(field: str) -> str | None:
    try:
        return base64.b64decode(field + "=" * (-len(field) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _signature(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, str | None]]:
    """Yield the names that a statement assigns, with the text if it is one."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            names = [name]
        case _:
            return
    text = value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    yield from ((name, text) for name in names)
