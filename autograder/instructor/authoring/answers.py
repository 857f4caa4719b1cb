"""What is wrong with the answers of a reference: errors, NaN, and results that are not as checks declare them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from autograder import model, protocol
from autograder.assignments import declarations, places
from autograder.assignments.kit.programs import PUBLIC_SEED, InputGenerator
from autograder.instructor import oracle
from autograder.instructor.authoring.problem import Files, Problem
from autograder.judge import result_tables
from autograder.judge.result_tables import Key

NUMBER = re.compile(r"[\d(), ]+")  # a problem is told once, whatever the sizes are
NUMPY = '; for NumPy arrays, declare the call with numpy=True, or set builder.library = "numpy"'
OF_RESULTS = {"shapes", "dtypes", "values", "gradients", "same", "permuted", "sums", "zeros"}


def problems_in(files: Files, checks: Iterable[model.Check]) -> list[Problem]:
    """Return what is wrong with the answers to the cases of some checks: each problem once, at its first case."""
    found: dict[tuple[str, str], Problem] = {}
    checks = list(checks)
    for check in checks:
        for case in check.cases:
            asked = _Asked(files, case, [one for other in checks if case in other.cases for one in other.assertions])
            for about, problem in asked.problems():
                found.setdefault((problem.file, NUMBER.sub("", about)), problem)
        for timed in check.timed:
            program = timed.build(InputGenerator(PUBLIC_SEED, files.assignment, timed.name), timed.at, 1)
            for about, problem in _played(files, program, timed.name, ()):
                found.setdefault((problem.file, NUMBER.sub("", about)), problem)
    return list(found.values())


def _played(
    files: Files, program: protocol.Program, case: str, errors: tuple[str, ...]
) -> Iterator[tuple[str, Problem]]:
    """Yield the error that the reference raises and must not: what it is about, and the problem."""
    try:
        oracle.right_results(files.assignment, program, errors)
    except oracle.Ambiguous:
        return
    except Exception as error:
        problem = files.raised(places.blamed(error, f"the reference has no answer to the case {case}"))
        named = problem if problem.line else problem._replace(file="reference.py")
        yield f"{named.line} {type(error).__name__}", named


class _Asked:
    """A case, with the assertions of all checks that look at it."""

    def __init__(self, files: Files, case: model.Case, assertions: Iterable[model.Assertion]) -> None:
        self.files, self.case = files, case
        asserted = [one for one in assertions if not one.cases or case.id in one.cases]
        self.raising = {one.step for one in asserted if one.name == "raises"}
        self.looked_at = {one.step for one in asserted if one.name in OF_RESULTS} - self.raising

    def problems(self) -> Iterator[tuple[str, Problem]]:
        """Yield what is wrong: what it is about, and the problem."""
        program = self.case.build(InputGenerator(PUBLIC_SEED, self.files.assignment, self.case.id))
        values = program.with_calls(wrt=(), modules=(), cotangents=())
        found = list(_played(self.files, values, self.case.id, self.case.errors)) or list(self._shown(values))
        yield from found
        if not found and values != program:
            yield from _played(self.files, program, self.case.id, self.case.errors)

    def _shown(self, program: protocol.Program) -> Iterator[tuple[str, Problem]]:
        """Yield what is wrong with the results of the reference."""
        try:
            results = oracle.right_results(self.files.assignment, program, self.case.errors)
        except oracle.Ambiguous:
            return
        for result in results:
            if result.raised and result.into not in self.raising and result.raised.during != "skipped":
                yield from _played(self.files, program, self.case.id, ())
                return
            if not result.raised and result.into in self.raising:
                text = f"it does not raise {self.case.errors[0]} in the step {result.into} of the case {self.case.id}"
                yield f"{self.case.id} {result.into}", Problem("reference.py", 0, text)
        table = result_tables.table(program, results)
        for call in program.calls:
            if call.into in self.looked_at:
                wrong = self._wrong(program, call, table)
                yield from ((text, self._of_call(program, call, text)) for text in wrong)

    def _wrong(self, program: protocol.Program, call: protocol.Call, table: result_tables.Table) -> Iterator[str]:
        """Yield how the results of a call differ from what is declared."""
        if Key(call.into, "structure", "") in table:
            count = int(table[Key(call.into, "structure", "")][0]) or 1
            yield f"returns {count} results, but the checks declare {len(call.outputs)}: {', '.join(call.outputs)}"
            return
        for name in call.outputs:
            values = table.get(Key(call.into, "value", name))
            declared = self.case.returns.get(name) if tuple(self.case.returns) == tuple(call.outputs) else None
            if values is None:
                yield f"returns no array and no number as {name}{NUMPY if program.library == 'torch' else ''}"
            elif declared is not None and values.shape != declared:
                yield f"returns {name} of shape {values.shape}, but the checks declare {declared}"
            elif values.dtype.kind == "f" and np.isnan(values).any():
                yield f"returns NaN in {name}, which no answer can match"

    def _of_call(self, program: protocol.Program, call: protocol.Call, text: str) -> Problem:
        target = program.target(call)
        line = declarations.line_of(self.files.folder / "reference.py", target.partition(".")[0])
        what = "mend the reference, or draw other inputs" if "NaN" in text else "mend one of them"
        return Problem("reference.py", line, f"{target} {text} (case {self.case.id}); {what}", "NaN" not in text)
