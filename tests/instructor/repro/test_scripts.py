"""The scripts of ``attngrade repro``: each is Python without the grader, and says of a work what the grade says."""

from __future__ import annotations

import ast
import base64
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autograder import judge, model
from autograder.grading.suite import CheckSuite
from autograder.instructor import repro
from autograder.instructor.repro.embedded import comparing
from autograder.instructor.repro.expectations import RENAMED
from autograder.instructor.repro.literals import Literals
from autograder.protocol import wire
from tests.corpus.suites import FIRST, ONE_BY_DAY, SOME, drawn
from tests.paths import ROOT

from .playing import played, script, work_of

ALLOWED = {"torch", "numpy", *sys.stdlib_module_names}


def solution(assignment: str) -> str:
    return (ROOT / "solutions" / assignment / f"{assignment}.py").read_text()


def covering(suite: CheckSuite) -> Iterator[model.Check]:
    """Yield checks, few of them, in which every assertion of the assignment occurs, with every kind of step."""
    seen: set[str] = set()
    for check in suite.spec.checks:
        steps = {type(step).__name__ for case in check.all_cases for step in suite.prepared[case.id].program.steps}
        has = {one.name for one in check.assertions} | steps
        if has - seen:
            seen |= has
            yield check


@pytest.mark.parametrize("assignment", SOME)
def test_every_case_of_every_check_becomes_python_that_imports_no_grader(assignment: str) -> None:
    suite = drawn(assignment)
    for check in suite.spec.checks:
        text, _ = script(suite, check, work_of("pass"))
        assert text.startswith("# STAFF ONLY.")
        head = text if check is suite.spec.checks[0] else text.partition("# ---- the same for all checks")[0]
        tree = ast.parse(head)
        compile(tree, check.id, "exec")
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert {name.partition(".")[0] for name in names} <= ALLOWED
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert sum(name.startswith("case_") for name in functions) == len(check.all_cases)


@pytest.mark.parametrize("assignment", FIRST)
def test_the_solution_is_equal(assignment: str, tmp_path: Path) -> None:
    suite = drawn(assignment)
    found = played(tmp_path, suite, covering(suite), work_of(solution(assignment)))
    wrong = {id: one.printed for id, one in found.items() if one.status != 0 or "all equal" not in one.printed}
    assert not wrong


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_the_solution_is_equal_everywhere(assignment: str, tmp_path: Path) -> None:
    suite = drawn(assignment)
    found = played(tmp_path, suite, suite.spec.checks, work_of(solution(assignment)))
    assert not {id: one.printed for id, one in found.items() if one.status != 0}


def test_a_wrong_work_fails_where_the_judge_says_so(tmp_path: Path) -> None:
    suite = drawn("bahdanau")
    work = work_of(solution("bahdanau").replace("torch.tanh(", "torch.sigmoid("))
    checks = [check for check in suite.spec.checks if check.part == "BahdanauAttention" and check.kind != "constraint"]
    checks += [check for check in suite.spec.checks if check.id == "softmax-values"]
    found = played(tmp_path, suite, checks, work)
    passed = {id for id, one in found.items() if one.status == 0}
    assert passed == {"softmax-values"}
    printed = found["attention-values"].printed
    assert "FAIL  values of `out`: `context`" in printed
    assert ": Got " in printed
    assert ", expected " in printed
    assert "ok    shapes of `out`: equal" in printed


@pytest.mark.thorough
def test_an_exception_is_shown_with_its_place_and_the_steps_after_it_run(tmp_path: Path) -> None:
    suite = drawn("bahdanau")
    text = solution("bahdanau").replace("        return self.v(torch.tanh(", "        return self.nothing(torch.tanh(")
    check = next(check for check in suite.spec.checks if check.id == "attention-values")
    printed = played(tmp_path, suite, [check], work_of(text))["attention-values"].printed
    assert 'student.py", line ' in printed
    assert "return self.nothing(" in printed
    assert "Got AttributeError" in printed
    assert "in step `out`, expected a result" in printed


def test_plain_numbers_and_the_letters_of_a_quiz(tmp_path: Path) -> None:
    """The right ones are equal. Neither are letters that no option has, nor right numbers in other places."""
    suite = drawn("bottleneck")
    names = {"numbers", "placed", "chosen"}
    checks = [one for one in suite.spec.checks if names & {assertion.name for assertion in one.assertions}]
    checks = [one for one in checks if one.part in ("own_answers", "quiz_answers")]
    right = solution("bottleneck")
    found = played(tmp_path, suite, checks, work_of(right))
    assert {id: one.printed for id, one in found.items() if one.status != 0} == {}
    turned = "tuple(reversed(right_answers(own)))"
    wrong = f"{right}\n\nright_answers = own_answers\n\ndef own_answers(own):\n    return {turned}\n"
    found = played(tmp_path, suite, checks, work_of(f"{wrong}\n\ndef quiz_answers():\n    return 12 * 'Z'\n"))
    assert {one.status for one in found.values()} == {1}


def test_a_work_that_exits_when_loaded_is_no_success(tmp_path: Path) -> None:
    suite = drawn("bahdanau")
    found = played(tmp_path, suite, suite.spec.checks[:1], work_of("raise SystemExit(0)"))
    (one,) = found.values()
    assert one.status == "raised"
    assert "ends the program while it is loaded" in one.printed


@pytest.mark.thorough
def test_a_notebook_runs_cell_by_cell_and_goes_on_after_an_error(tmp_path: Path) -> None:
    suite = drawn("bahdanau")
    cells = ("1 / 0", "def (", f"from __future__ import annotations\n{solution('bahdanau')}", "get_ipython().system()")
    check = next(check for check in suite.spec.checks if check.id == "attention-values")
    one = played(tmp_path, suite, [check], work_of(*cells, kind="notebook"))["attention-values"]
    assert one.status == 0, one.printed
    assert "ZeroDivisionError" in one.printed
    assert 'student.py", line 2' in one.printed
    assert (tmp_path / "student.py").read_text().startswith("# %% code cell 1\n1 / 0\n")


def test_forbidden_operations_are_named(tmp_path: Path) -> None:
    suite = drawn("bahdanau")
    work = work_of(
        solution("bahdanau") + "\ndef stable_softmax(scores, dim=-1):\n    return torch.softmax(scores, dim)\n"
    )
    check = next(check for check in suite.spec.checks if any(one.name == "untouched" for one in check.assertions))
    one = played(tmp_path, suite, [check], work)[check.id]
    assert one.status == 1
    assert "aten::softmax" in one.printed


def test_every_assertion_of_the_judge_is_there() -> None:
    methods = {RENAMED.get(name, name) for name in judge.ASSERTIONS}
    assert not {name for name in methods if not callable(getattr(comparing.Case, name, None))}


@pytest.mark.parametrize(
    "values",
    [
        np.array([[0.1, -0.0], [np.inf, np.nan]]),
        np.array([0.1, 1e-45, 3.4e38, 1 / 3], np.float32),
        np.array(1.5),
        np.zeros((0, 3)),
        np.arange(3),
        np.array([[True, False]]),
        np.random.default_rng(0).normal(size=(9, 7)).astype(np.float32),
    ],
)
def test_arrays_come_back_bit_by_bit(values: np.ndarray) -> None:
    literals = Literals()
    source = literals.array(wire.to_array(values))
    given: dict[str, object] = {}
    exec(literals.data(), given)  # noqa: S102 # what we wrote

    def packed(digest: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        data: dict[str, str] = given["DATA"]  # type: ignore[assignment]
        return np.frombuffer(base64.b64decode("".join(data[digest])), dtype).reshape(shape)

    scope = {"array": lambda numbers, dtype: np.array(numbers, dtype), "packed": packed, "nan": np.nan, "inf": np.inf}
    back = eval(source, scope)
    assert (back.dtype, back.shape, back.tobytes()) == (values.dtype, values.shape, values.tobytes())


@pytest.mark.parametrize("text", ["# x\nimport os", "a\u2028b", "\x1b[31m", '"""', "{x}"])
def test_texts_of_students_stay_comments(text: str) -> None:
    suite = drawn("bahdanau")
    check = suite.spec.checks[0]
    facts = repro.Facts(text, text, text, "student.py", (), (text,))
    plain = repro.Facts("what", "graded", "script", "student.py", (), ("remark",))
    made = [repro.script("bahdanau", check, suite.prepared, one, False) for one in (facts, plain)]
    assert ast.dump(ast.parse(made[0])) == ast.dump(ast.parse(made[1]))
