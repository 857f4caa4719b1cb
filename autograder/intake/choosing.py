"""Choose the file that counts among those that a student handed in (contract, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.assignments import NAMES
from autograder.intake.names import (
    SOURCES,
    Rank,
    assignment_of,
    defining_note,
    expected_name,
    listed,
    note,
    only_note,
    quoted,
    several_note,
    suffix_of,
)
from autograder.intake.tree import Leaf, Tree


@dataclass(frozen=True)
class Choice:
    """The file that counts, or none. ``several``: only the student knows which one is meant."""

    leaf: Leaf | None
    note: str = ""
    several: bool = False


class Work(NamedTuple):
    """What a file holds: only the starter file's statements, and a definition of one of the assignment's names."""

    starter: bool
    defines: bool


class Candidate(NamedTuple):
    """A file that may count, with the number of its part. Earlier parts take precedence."""

    part: int
    leaf: Leaf


MOST_READ = 200  # files of other names
RANKS: tuple[Rank, ...] = ("exact", "alike", "other")


def choose(trees: Sequence[Tree], assignment: str, look: Callable[[Leaf], Work]) -> Choice:
    """Return the file that counts in the parts of one entry.

    A file that is still the starter file stands behind every other, whatever their names. ``look`` reads a file; it is
    not asked where there is only one.
    """
    sources = [Candidate(at, leaf) for at, tree in enumerate(trees) for leaf in tree.leaves if _is_source(leaf)]
    named = [one for one in sources if one.leaf.rank != "other"]
    if len(sources) == 1 and named:
        return _choice(named, [], assignment)
    starters = [one for one in named if look(one.leaf).starter]
    if worked := [one for one in named if one not in starters]:
        return _choice(worked, starters, assignment)
    other = sorted((one for one in sources if _may_count(one.leaf)), key=lambda one: _order(one, assignment))
    works = {one: look(one.leaf) for one in other[:MOST_READ]}
    if worked := [one for one, work in works.items() if work.defines and not work.starter]:
        return _choice(worked, starters, assignment)
    if candidates := [
        *starters,
        *(one for one, work in works.items() if work.defines),
    ]:  # nobody worked in any of them, so all are the same
        return Choice(min(candidates, key=lambda one: (RANKS.index(one.leaf.rank), _order(one, assignment))).leaf)
    return Choice(None, missing_note(trees, assignment))


def _choice(candidates: Sequence[Candidate], starters: Sequence[Candidate], assignment: str) -> Choice:
    """Return the first of the exact name, or else the only look-alike, or else the only one of another name."""
    rank = next(rank for rank in RANKS if any(one.leaf.rank == rank for one in candidates))
    best = sorted((one for one in candidates if one.leaf.rank == rank), key=lambda one: _order(one, assignment))
    leaf = best[0].leaf
    untouched = [one.leaf.name for one in starters if one.leaf.rank == "exact"]
    beside = f"{listed(untouched)} is still the starter file" if untouched else ""
    if rank == "exact":
        return Choice(leaf, note(_others_note(best), f"took {quoted(leaf.name)}" if beside else "", beside))
    if len(best) > 1:
        return Choice(None, several_note(assignment, sorted(one.leaf.name for one in best)), several=True)
    told = only_note if rank == "alike" else defining_note
    return Choice(leaf, note(told(assignment, leaf.name), beside))


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


def _is_source(leaf: Leaf) -> bool:
    return suffix_of(leaf.name) in SOURCES and not leaf.trouble


def _may_count(leaf: Leaf) -> bool:
    """Return whether a file of another name may be this assignment's: not where its name says that it is another's."""
    named = leaf.rank != "other" or assignment_of(leaf.path[-1]) is not None
    return not named and not any(step in NAMES for step in leaf.path[:-1])


def _order(one: Candidate, assignment: str) -> tuple[int, int, bool, int, tuple[str, ...]]:
    """Return a sorting key: shallow files first, then those outside other assignments' folders, then .py files."""
    path = one.leaf.path
    elsewhere = any(step in NAMES and step != assignment for step in path[:-1])
    return one.part, len(path), elsewhere, list(SOURCES).index(suffix_of(one.leaf.name)), path


def _others_note(exact: Sequence[Candidate]) -> str:
    """Return a note on other files with the exact name, which are not read."""
    first = exact[0]
    others = [one.leaf for one in exact[1:] if (one.part, len(one.leaf.path)) == (first.part, len(first.leaf.path))]
    return f"took {quoted(first.leaf.name)} and not {listed(leaf.name for leaf in others)}" if others else ""
