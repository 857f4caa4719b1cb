"""Choose the file that counts among those that a student handed in (contract, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.assignments import NAMES
from autograder.intake.names import SOURCES, expected_name, listed, note, only_note, quoted, several_note, suffix_of
from autograder.intake.tree import Leaf, Tree


@dataclass(frozen=True)
class Choice:
    """The file that counts, or none. ``several``: only the student knows which one is meant."""

    leaf: Leaf | None
    note: str = ""
    several: bool = False


def choose(trees: Sequence[Tree], assignment: str) -> Choice:
    """Return the file that counts in the parts of one entry. Earlier parts take precedence."""
    for tree in trees:
        exact = sorted(_usable(tree, "exact"), key=lambda leaf: _order(leaf, assignment))
        if exact:
            return Choice(exact[0], _others_note(exact))
    alike = [leaf for tree in trees for leaf in _usable(tree, "alike")]
    if len(alike) == 1:
        return Choice(alike[0], only_note(assignment, alike[0].name))
    if alike:
        return Choice(None, several_note(assignment, [leaf.name for leaf in alike]), several=True)
    return Choice(None, missing_note(trees, assignment))


def missing_note(trees: Sequence[Tree], assignment: str) -> str:
    """Return a note on what was found instead of the expected file."""
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    for leaf in leaves:
        if leaf.trouble and leaf.rank != "other":
            return note(f"{quoted(leaf.name)} {leaf.trouble}; expected {expected_name(assignment)}")
    leaves.sort(key=lambda leaf: (suffix_of(leaf.name) not in SOURCES, leaf.path))  # code first
    names = [leaf.name for leaf in leaves]
    found = listed(names) if names else "no files"
    remarks = (remark for tree in trees for remark in tree.remarks)
    return note(f"found {found}; expected {expected_name(assignment)}", *remarks)


def _usable(tree: Tree, rank: str) -> list[Leaf]:
    return [leaf for leaf in tree.leaves if leaf.rank == rank and not leaf.trouble]


def _order(leaf: Leaf, assignment: str) -> tuple[int, bool, int, tuple[str, ...]]:
    """Return a sorting key: shallow files first, then those outside other assignments' folders, then .py files."""
    elsewhere = any(step in NAMES and step != assignment for step in leaf.path[:-1])
    return len(leaf.path), elsewhere, list(SOURCES).index(suffix_of(leaf.name)), leaf.path


def _others_note(exact: Sequence[Leaf]) -> str:
    """Return a note on other files with the exact name, which are not read."""
    others = [leaf for leaf in exact[1:] if len(leaf.path) == len(exact[0].path)]
    return f"took {quoted(exact[0].name)} and not {listed(leaf.name for leaf in others)}" if others else ""
