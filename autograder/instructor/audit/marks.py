"""What one mistake costs, measured on wrong submissions with one mistake each (contract, section 4: one mistake costs
once)."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from statistics import median

import msgspec

from autograder import model
from autograder.judge import score

ANSWERED = ("value", "gradient", "mask", "invariance")  # kinds of checks whose calls must answer


class Cost(msgspec.Struct, frozen=True):
    """The points that one mistake costs: in the parts that hold it, and in others.

    ``limit`` is the most that the contract lets it cost where it is. ``exempt``: it costs whatever it touches, because
    no cause was confirmed, or there is no answer to compare: calls only raise, or the cause leaves none.
    """

    name: str
    parts: tuple[str, ...]
    lost: float
    elsewhere: float
    limit: float
    exempt: bool

    @property
    def fair(self) -> bool:
        """Whether the cost keeps to the contract."""
        return self.elsewhere == 0 and self.lost <= self.limit

    def __str__(self) -> str:
        named = ", ".join(self.parts) or "no part"
        limit = "whatever it touches" if self.exempt else f"at most {self.limit:g}"
        return f"costs {self.lost:g} in {named} ({limit}), {self.elsewhere:g} elsewhere"


def cost(name: str, grade: model.Grade, parts: Collection[str], shares: score.Shares = score.NONE) -> Cost:
    """Return what a mistake in ``parts`` costs in a grade. ``shares``: the assignment's own, by cause."""
    counted = [check for check in grade.checks if check.status != "skipped"]
    own = [check for check in counted if check.part in parts]
    causes = {check.diagnosis for check in counted if check.points < check.max_points}
    answering = [check for check in own if check.kind in ANSWERED and check.points < check.max_points]
    only_raises = {check.status for check in answering} == {"error"}
    exempt = None in causes or not causes.isdisjoint(score.IN_FULL) or only_raises
    most = 1.0 if only_raises else max((score.share(cause, shares) for cause in causes), default=0.0)
    limit = most * sum(check.max_points for check in own)
    lost = _lost(own)
    return Cost(name, tuple(parts), lost, round(_lost(counted) - lost, 4), round(limit, 4), exempt)


def _lost(checks: Iterable[model.Outcome]) -> float:
    return round(sum(check.max_points - check.points for check in checks), 4)


def summary(costs: Iterable[Cost]) -> tuple[float, float]:
    """Return the median and the greatest cost of mistakes with a confirmed cause; 0 where there are none."""
    lost = [one.lost + one.elsewhere for one in costs if not one.exempt]
    return (median(lost), max(lost)) if lost else (0.0, 0.0)


def changed_parts(right: str, wrong: str, parts: Iterable[str]) -> tuple[str, ...]:
    """Return the parts that hold what differs between two sources: in their own code, or in a helper that they use."""
    before, after = _definitions(right), _definitions(wrong)
    changed = {name for name in before.keys() | after.keys() if _dump(before, name) != _dump(after, name)}
    known = set(parts)
    return tuple(part for part in parts if not _reached(part, before | after, known).isdisjoint(changed))


def _definitions(text: str) -> dict[str, list[ast.stmt]]:
    """Return the top-level statements that define each name. What defines none stands under ""."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(text).body:
        for name in _defined(statement) or {""}:
            found.setdefault(name, []).append(statement)
    return found


def _defined(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name.split(".")[0] for alias in names}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _dump(definitions: Mapping[str, list[ast.stmt]], name: str) -> list[str]:
    return [ast.dump(statement) for statement in definitions.get(name, [])]


def _reached(part: str, definitions: Mapping[str, list[ast.stmt]], parts: Collection[str]) -> set[str]:
    """Return the part and what its code names, through helpers but not through other parts."""
    waiting, seen = deque([part]), {part}
    while waiting:
        for statement in definitions.get(waiting.popleft(), []):
            for name in _named(statement) - seen:
                if name not in parts:
                    seen.add(name)
                    waiting.append(name)
    return seen


def _named(statement: ast.stmt) -> set[str]:
    nodes = list(ast.walk(statement))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
