"""Which of the files that a student handed in counts, and what to say about it (contract, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.intake.names import (
    SOURCES,
    expected,
    listed,
    note,
    only_note,
    quoted,
    several_note,
    suffix_of,
)
from autograder.intake.tree import Leaf, Tree
from autograder.model import TOPICS


@dataclass(frozen=True)
class Choice:
    """The file that counts, or none; ``several`` when only its owner could tell which one is meant."""

    leaf: Leaf | None
    note: str = ""
    several: bool = False


def choose(trees: Sequence[Tree], topic: str) -> Choice:
    """The file that counts in the parts of one entry, of which an earlier part goes before a later one."""
    for tree in trees:
        exact = sorted(_usable(tree, "exact"), key=lambda leaf: _order(leaf, topic))
        if exact:
            return Choice(exact[0], _others_note(exact))
    alike = [leaf for tree in trees for leaf in _usable(tree, "alike")]
    if len(alike) == 1:
        return Choice(alike[0], only_note(topic, alike[0].name))
    if alike:
        return Choice(None, several_note(topic, [leaf.name for leaf in alike]), several=True)
    return Choice(None, missing_note(trees, topic))


def missing_note(trees: Sequence[Tree], topic: str) -> str:
    """What was found instead of the file that was expected."""
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    for leaf in leaves:
        if leaf.trouble and leaf.rank != "other":
            return note(f"{quoted(leaf.name)} {leaf.trouble}; expected {expected(topic)}")
    leaves.sort(key=lambda leaf: (suffix_of(leaf.name) not in SOURCES, leaf.path))  # code first
    names = [leaf.name for leaf in leaves]
    found = listed(names) if names else "no files"
    remarks = (remark for tree in trees for remark in tree.remarks)
    return note(f"found {found}; expected {expected(topic)}", *remarks)


def _usable(tree: Tree, rank: str) -> list[Leaf]:
    return [leaf for leaf in tree.leaves if leaf.rank == rank and not leaf.trouble]


def _order(leaf: Leaf, topic: str) -> tuple[int, bool, int, tuple[str, ...]]:
    """Shallowest first, then .py; of two alike, not the one that lies in another assignment's folder."""
    elsewhere = any(step in TOPICS and step != topic for step in leaf.path[:-1])
    return len(leaf.path), elsewhere, list(SOURCES).index(suffix_of(leaf.name)), leaf.path


def _others_note(exact: Sequence[Leaf]) -> str:
    """A word on the files that have the right name, too, and were not read."""
    others = [leaf for leaf in exact[1:] if len(leaf.path) == len(exact[0].path)]
    return f"took {quoted(exact[0].name)} and not {listed(leaf.name for leaf in others)}" if others else ""
