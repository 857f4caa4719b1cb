"""The mutants by rule: what each operator makes of a line, what it leaves alone, and what the names promise."""

from __future__ import annotations

import ast
import tomllib
from functools import cache

import pytest

from autograder import assignments
from autograder.instructor.audit.mutants import Mutant, mutants
from tests.corpus.suites import ONE_BY_DAY, SOME
from tests.paths import ROOT

# operator, the body of a function of a, b, mask and t, a line of it afterwards
EXAMPLES = [
    ("axis changed", "return a.sum(dim=-1)", "return a.sum(dim=-2)"),
    ("axis changed", "return a.sum(dim=-1)", "return a.sum(dim=1)"),
    ("axis changed", "return torch.softmax(a, -1)", "return torch.softmax(a, 0)"),
    ("axis changed", "return a.unsqueeze(1)", "return a.unsqueeze(2)"),
    ("keepdim dropped", "return a.amax(dim=1, keepdim=True)", "return a.amax(dim=1)"),
    ("transpose changed", "return a.transpose(1, 2)", "return a"),
    ("transpose changed", "return a.transpose(1, 2)", "return a.transpose(0, 1)"),
    ("transpose changed", "return torch.transpose(a, -2, -1)", "return a"),
    ("transpose changed", "return torch.transpose(a, -2, -1)", "return torch.transpose(a, 0, 1)"),
    ("transpose dropped", "return a.T", "return a"),
    ("axes permuted", "return a.permute(0, 2, 1)", "return a.permute(0, 1, 2)"),
    ("sign flipped", "return a + b", "return a - b"),
    ("sign flipped", "return a - b", "return a + b"),
    ("sign flipped", "return -a", "return a"),
    ("scale dropped", "return a / math.sqrt(t)", "return a"),
    ("scale inverted", "return a / math.sqrt(t)", "return a * math.sqrt(t)"),
    ("scale inverted", "return a * b", "return a / b"),
    ("power dropped", "return a ** 2", "return a"),
    ("division changed", "return a // b", "return a % b"),
    ("constant shifted", "return [0, a]", "return [1, a]"),
    ("constant shifted", "return range(5)", "return range(6)"),
    ("constant shifted", "return a < 2.0", "return a < 2.002"),
    ("constant shifted", "return a < 0.0", "return a < 0.001"),
    ("order reversed", "return torch.cat([a, b], dim=1)", "return torch.cat([b, a], dim=1)"),
    ("order reversed", "return torch.stack((a, b))", "return torch.stack([b, a])"),
    ("index shifted", "return a[:, t]", "return a[:, t - 1]"),
    ("index shifted", "return a[:, -1]", "return a[:, -2]"),
    ("index shifted", "return a[t:b]", "return a[t:b - 1]"),
    ("index shifted", "return a[t:b]", "return a[t - 1:b]"),
    ("comparison changed", "return a < b", "return a <= b"),
    ("comparison changed", "return a >= b", "return a > b"),
    ("comparison changed", "return a == b", "return a != b"),
    ("comparison changed", "if a is None:\n        b = a\n    return b", "if a is not None:"),
    ("boolean inverted", "return a.masked_fill(~mask, t)", "return a.masked_fill(mask, t)"),
    ("boolean inverted", "return not a", "return a"),
    ("boolean inverted", "return a and b", "return a or b"),
    ("boolean inverted", "return a & b", "return a | b"),
    ("boolean inverted", "return a if b else t", "return t if b else a"),
    ("boolean inverted", "return nn.Linear(a, b, bias=False)", "return nn.Linear(a, b, bias=True)"),
    ("term dropped", "return a + b", "return b"),
    ("term dropped", "return a - b", "return a"),
    ("term dropped", "return a * b", "return a"),
    ("term dropped", "return a | b", "return a"),
    ("fill changed", "return a.masked_fill(mask, 0.0)", "return a.masked_fill(mask, 1e-06)"),
    ("fill changed", "return torch.finfo(a.dtype).min", "return -10000.0"),
    ("fill changed", "return torch.finfo(a.dtype).min", "return float('-inf')"),
    ("detached", "a = torch.exp(b)\n    return a, t", "a = torch.exp(b).detach()"),
    ("detached", "return a @ b, t", "return ((a @ b).detach(), t)"),
    ("detached", "return a @ b, t", "return (a @ b, t.detach())"),
    ("call dropped", "return torch.tanh(a)", "return a"),
    ("call dropped", "return a.tanh()", "return a"),
    ("call dropped", "return a.squeeze(1)", "return a"),
    ("function swapped", "return torch.tanh(a)", "return torch.sigmoid(a)"),
    ("function swapped", "return a.sum()", "return a.mean()"),
    ("function swapped", "return a.amin(1)", "return a.amax(1)"),
    ("function swapped", "return a.cos()", "return a.sin()"),
    ("function swapped", "return F.softmax(a, t)", "return F.log_softmax(a, t)"),
    ("function swapped", "return torch.zeros(t)", "return torch.ones(t)"),
    ("arguments swapped", "return attend(a, b, t)", "return attend(a, t, b)"),
    ("arguments swapped", "return a @ b", "return b @ a"),
    ("statement dropped", "a = b\n    return t", "a = b"),
    ("statement dropped", "a[:, t] = b\n    return t", "a[:, t] = b"),
    ("statement dropped", "a.zero_grad()\n    return t", "a.zero_grad()"),
    ("statement dropped", "if b:\n        raise ValueError(a)\n    return t", "raise ValueError(a)"),
]
UNTOUCHED = [
    'return "a + b"',
    'raise ValueError("no " + "yes", a - 1)',
    'print(a + 1, "text")',
    "while a < 0:\n        pass",
    "x: Annotated[int, 1 + 1]",
    "import torch",
    "return f'{a + 1}'",
]


def made(body: str) -> tuple[Mutant, ...]:
    return mutants(f"def f(a, b, mask, t):\n    {body}\n")


@cache
def of_solution(assignment: str) -> tuple[Mutant, ...]:
    return mutants(solution(assignment))


def solution(assignment: str) -> str:
    return (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")


def equivalent(assignment: str) -> list[dict[str, str]]:
    text = (ROOT / "tests" / "assignments" / assignment / "equivalent.toml").read_text(encoding="utf-8")
    rows: list[dict[str, str]] = tomllib.loads(text)["equivalent"]
    return rows


@pytest.mark.parametrize(("operator", "body", "after"), EXAMPLES)
def test_an_operator_makes(operator: str, body: str, after: str) -> None:
    found = {mutant.name: mutant for mutant in made(body)}
    mutant = found.get(f"f: {operator}: {after}")
    assert mutant, sorted(found)
    actual = ast.unparse(ast.parse(mutant.source)).splitlines()
    before = ast.unparse(ast.parse(f"def f(a, b, mask, t):\n    {body}")).splitlines()
    assert len(actual) == len(before)
    changed = [(old.strip(), new.strip()) for old, new in zip(before, actual, strict=True) if old != new]
    dropped = operator == "statement dropped"
    assert changed == [(changed[0][0], "pass" if dropped else after)]
    assert (changed[0][0] == after) == dropped
    assert f"-{before[actual.index(next(n for o, n in zip(before, actual, strict=True) if o != n))]}" in mutant.diff


@pytest.mark.parametrize("body", UNTOUCHED)
def test_nothing_is_made_of(body: str) -> None:
    assert [mutant.name for mutant in made(body) if not mutant.name.startswith("f: statement dropped")] == []


def test_what_is_no_function_is_left_alone() -> None:
    lines = ("import torch", "N = 1 + 1", 'if __name__ == "__main__":', "    print(-N)", "    N = N - 1")
    assert mutants("\n".join(lines)) == ()


def test_prints_docstrings_and_first_bindings_are_not_dropped() -> None:
    source = 'def f(a):\n    """Says 1 + 1."""\n    print(a)\n    b = a\n    return [b]\n'
    assert mutants(source) == ()


def test_what_may_end_a_loop_is_not_dropped() -> None:
    body = "while len(a) < t:\n        a.append(b)\n        t = t + 1\n        b = a\n    return b"
    dropped = [mutant.name for mutant in made(body) if "statement dropped" in mutant.name]
    assert dropped == ["f: statement dropped: b = a"]


def test_nothing_is_detached_where_no_gradient_is_asked_for() -> None:
    method = "def f(a):\n    b = a @ a\n    return b\n"
    assert any("detached" in mutant.name for mutant in mutants(method))
    assert not any("detached" in mutant.name for mutant in mutants(f"@torch.no_grad()\n{method}"))


def test_a_default_is_mutated_and_an_annotation_is_not() -> None:
    names = [mutant.name for mutant in mutants("def f(a: int = 1) -> 'x[1 + 1]':\n    pass\n")]
    assert names == ["f: constant shifted: def f(a: int=2) -> 'x[1 + 1]':"]


def test_where_letters_take_several_bytes_the_right_piece_is_replaced() -> None:
    source = "def f(σ, é):\n    return g('ñ', σ) + é  # α + β\n"
    flipped = next(mutant for mutant in mutants(source) if "sign flipped" in mutant.name)
    assert flipped.source == "def f(σ, é):\n    return (g('ñ', σ) - é)  # α + β\n"


def test_names_that_would_be_alike_are_numbered() -> None:
    twice = "def f(a):\n    a.step()\n    b = a\n    a.step()\n    return [b]\n"
    names = [mutant.name for mutant in mutants(twice)]
    assert names == ["f: statement dropped: a.step()", "f: statement dropped: a.step() #2"]


def test_a_long_statement_is_cut_around_what_changed() -> None:
    long = " + ".join(f"g_{number}()" for number in range(40))
    name = next(mutant.name for mutant in made(f"return [{long}, a < b]") if "comparison" in mutant.name)
    assert "a <= b" in name
    assert len(name) < 120


def test_skipped_names_are_left_out_and_do_not_change_the_others() -> None:
    names = [mutant.name for mutant in of_solution("masking")]
    skipped = names[::3]
    assert [m.name for m in mutants(solution("masking"), skip=skipped)] == [n for n in names if n not in skipped]


def test_names_do_not_depend_on_lines_or_on_other_functions() -> None:
    more = "# a comment\n\n\ndef before(x):\n    return x + 1\n\n\n" + solution("masking")
    there = {mutant.name: mutant.diff for mutant in mutants(more)}
    assert {m.name: m.diff for m in of_solution("masking")}.items() <= there.items()


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_mutants_of_a_solution_compile_and_differ(assignment: str) -> None:
    trees = [
        ast.dump(ast.parse(source)) for source in (solution(assignment), *(m.source for m in of_solution(assignment)))
    ]
    assert len(set(trees)) == len(trees)
    for mutant in of_solution(assignment):
        compile(mutant.source, "mutant", "exec")


@pytest.mark.parametrize("assignment", SOME)
def test_a_mutant_of_a_solution_differs_in_one_statement(assignment: str) -> None:
    for mutant in of_solution(assignment):
        lines = mutant.diff.splitlines()[3:]
        assert sorted(line[0] for line in lines if line[0] != " ") == ["+", "-"], mutant.diff
        assert lines[1][0] == "-" or lines[0][0] == "-", mutant.diff
        assert "\n" not in mutant.name
        assert len(mutant.name) < 160


@pytest.mark.parametrize("assignment", SOME)
def test_names_are_unique(assignment: str) -> None:
    names = [mutant.name for mutant in of_solution(assignment)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_text_outside_of_code_is_untouched(assignment: str) -> None:
    for mutant in of_solution(assignment):
        assert texts(mutant.source) == texts(solution(assignment)), mutant.name
        assert messages(mutant.source) <= messages(solution(assignment)), mutant.name


def texts(source: str) -> list[str]:
    """Docstrings, signatures but for defaults, imports, module-level code and conditions of loops."""
    tree = ast.parse(source)
    found = [ast.unparse(node) for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            found.append(ast.get_docstring(node, clean=False) or "")
        elif isinstance(node, ast.arg | ast.Import | ast.ImportFrom):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.While):
            found.append(ast.unparse(node.test))
    return found


def messages(source: str) -> set[str]:
    """The refusals; one that is dropped is not changed."""
    return {ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise)}


@pytest.mark.thorough
def test_there_are_many() -> None:
    counts = {assignment: len(of_solution(assignment)) for assignment in assignments.NAMES}
    assert sum(counts.values()) >= 300, counts
    assert min(counts.values()) >= 60, counts


@pytest.mark.thorough
def test_every_operator_is_used_by_some_solution_or_has_an_example() -> None:
    used = {mutant.name.split(": ")[1] for assignment in assignments.NAMES for mutant in of_solution(assignment)}
    assert used <= {operator for operator, _, _ in EXAMPLES}


@pytest.mark.parametrize("assignment", SOME)
def test_equivalents_are_mutants_and_have_a_reason(assignment: str) -> None:
    names = [mutant.name for mutant in of_solution(assignment)]
    rows = equivalent(assignment)
    assert [row["mutant"] for row in rows if row["mutant"] not in names] == []
    assert len({row["mutant"] for row in rows}) == len(rows)
    assert all(row.keys() == {"mutant", "reason"} and row["reason"].endswith(".") for row in rows)
