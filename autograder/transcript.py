"""What a submission said when it was asked, and why it said nothing where it did not."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from autograder import model

PRINTED_KEPT = 100_000  # characters


class Failure(msgspec.Struct, frozen=True):
    """Why a case has no answer."""

    symptom: str
    status: Literal["error", "timeout"]
    facts: dict[str, Any] = {}
    ours: bool = False  # it was killed, or the fork server was, which may be another's doing


class Transcript(msgspec.Struct):
    """All that a submission said: how loading went, and an answer or a failure for every case."""

    loaded: model.Loaded | Failure
    replies: dict[str, model.Answer | Failure] = {}
    printed: str = ""
    exhausted: bool = False  # the submission's whole time ran out

    def print(self, text: str) -> None:
        """Keeps what was printed, as far as it is kept."""
        self.printed += text[: PRINTED_KEPT - len(self.printed)]


def import_trouble(loaded: model.Loaded | Failure) -> str:
    """Why the file could not be run, as a sentence; empty where it could."""
    if isinstance(loaded, Failure):
        return f"The file could not be run: {loaded.facts['why']}."
    if loaded.raised is None:
        return ""
    raised = loaded.raised
    where = f" (line {raised.line}: {raised.code})" if raised.line and "line " not in raised.message else ""
    return f"The file could not be run: {raised.type}: {raised.message}{where}."
