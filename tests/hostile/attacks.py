"""The attacks of tests/hostile/submissions, as they are handed in."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Literal

import msgspec

from tests.paths import ROOT

FOLDER = ROOT / "tests" / "hostile" / "submissions"
Sign = Literal["loot", "trace", "process", "points", "ours", "raw", "neighbour"]


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See attacks.toml for what the fields mean."""

    name: str
    signs: tuple[Sign, ...]
    most: float
    status: tuple[Literal["graded", "partial", "import-error"], ...]
    assignment: str = "masking"
    base: bool = False
    beside: dict[str, str] = {}
    layer: str = ""
    control: Literal["", "anyone", "root"] = ""
    slow: bool = False
    needs: str = ""

    @property
    def family(self) -> str:
        """What kind of attack it is: the first word of its name."""
        return self.name.split("_")[0]

    @property
    def file(self) -> Path:
        """Where its source lies."""
        return FOLDER / "attacks" / f"{self.name}.py"

    def source(self, words: dict[str, str]) -> str:
        """Its text, with ``words`` in the places of their names."""
        text = solution(self.assignment) + "\n\n" if self.base else ""
        return filled(text + self.file.read_text(encoding="utf-8"), words)

    def hand_in(self, folder: Path, words: dict[str, str]) -> None:
        """Writes it, and what lies beside it, as a student's folder."""
        files = {f"{self.assignment}.py": self.source(words)}
        for name, text in (files | {n: filled(t, words) for n, t in self.beside.items()}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


def filled(text: str, words: dict[str, str]) -> str:
    """A text with all ``@NAME@`` replaced."""
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text


def solution(assignment: str) -> str:
    """The model submission."""
    return (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")


def declared() -> tuple[Attack, ...]:
    """All attacks that this machine can run."""
    found = msgspec.toml.decode((FOLDER / "attacks.toml").read_bytes(), type=dict[str, tuple[Attack, ...]])
    return tuple(attack for attack in found["attack"] if attack.needs in ("", platform.machine()))
