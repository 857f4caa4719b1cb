"""Reading a source: where it names a function, and whether it tampers with the recorders."""

from __future__ import annotations

import pytest

from autograder import model
from autograder.judge import source, tampering
from autograder.judge.source import Source
from tests.paths import ROOT

WORDS = ["softmax", "log_sum_exp"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(x):\n    return torch.softmax(x)", 2),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return x.log_softmax(0)", 4),
        ("g = torch.softmax\ndef f(x):\n    return g(x)", 1),
        ("from torch.nn.functional import softmax as g\ndef f(x):\n    return g(x)", 1),
        ("def f(x):\n    return getattr(x, 'soft' + 'max')(0)", 2),
        ("class C:\n    def m(self):\n        return LogSumExp()\nf = lambda x: C().m()", 3),
        ("def f(x):\n    return torch.softmax(x)\ndef f(x):\n    return x", None),
        ("def f(x):\n    return x\ndef g(x):\n    return torch.softmax(x)", None),
        ('def f(x):\n    """softmax"""\n    # softmax\n    return softmax(x)\ndef softmax(x):\n    pass', None),
        ("def f(x:\n    return torch.softmax(x)", None),
    ],
)
def test_the_line_that_names_a_word_is_found(text: str, line: int | None) -> None:
    found = Source("script", [text.encode()]).find_use("f", WORDS)
    assert (found and found.line) == line


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("def other(x):\n    return x\ndef f(x):\n    return other(x)", True),
        ("class f:\n    def m(self, other):\n        return other\n    def n(self):\n        return other(1)", True),
        # a name of the function is not the variable that the file has under it
        ("def f(x, y):\n    return x + y\nif __name__ == '__main__':\n    x, y = other()", False),
        ("def f(a):\n    x = a\n    return x\nx = other()", False),
        ("class f:\n    def m(self, x):\n        return [x for _ in range(3)]\nx = other()", False),
        ("f = lambda x: x\nx = other()", False),
    ],
)
def test_which_function_uses_another(text: str, uses: bool) -> None:
    assert Source("script", [text.encode()]).uses("f", "other") is uses


def test_a_place_shows_its_line() -> None:
    cells = (b"x = 1", b"def f(x):\n    return x.softmax(0)  # here")
    assert str(Source("notebook", cells).find_use("f", WORDS)) == "line 2: return x.softmax(0)  # here"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import sys\nsys.setprofile(None)", True),
        ("from autograder.worker import tracing", True),
        ("import autograder.worker.interpreter", True),
        ("sys.modules['autograder.' + 'worker.tracing']", True),
        ("getattr(A, '_enable_record' + '_function')(False)", True),
        ("from torch.autograd.profiler_legacy import profile", True),
        ("# sys.setprofile\nprint('for the autograder')", False),
        ("'''autograder.worker is not mine to touch; nor is setprofile.'''", False),
        ("import sys, gc, inspect\nif 'google.colab' in sys.modules:\n    gc.collect()", False),
        ("import torch.profiler\nwith torch.profiler.profile() as p:\n    pass", False),
        ("\0", False),
        ("import torch\ntorch.softmax = f", True),
        ("import torch\ndel torch.Tensor.exp", True),
        ("from collections import Counter\nCounter.update = f", True),
        ("import sys\nsys.modules['msgspec'].msgpack.encode = f", True),
        ("import numpy as np\nsetattr(np.random, 'seed', f)", True),
        ("import torch\nE = torch._C\nE.name = f", True),
        ("import torch\nt = torch\nt.softmax = f", True),
        ("import torch\ntorch.backends.cudnn.deterministic = True", False),
        ("import torch.backends.cudnn as cudnn\ncudnn.deterministic = True", False),
        ("from torch.backends import cudnn\ncudnn.benchmark = False", False),
        ("import pandas as pd\npd.options.display.max_rows = 10", False),  # a submission gets an empty one
        ("from bahdanau import Attention\nAttention.forward = f", False),
        ("import sys, io\nsys.stdout = io.StringIO()\nsys.path += ['..']", False),
        ("import os\nos.path.isabs = f", True),
        ("import copy\ndef f(m):\n    copy = m\n    copy.training = False", False),
        ("import math\ndef f(math):\n    math.x = 1", False),
        ("import math\ndef f():\n    import math\n    math.x = 1", True),
        ("from torch.nn.functional import softmax\ndef softmax(x):\n    softmax.calls += 1", False),
        ("print(loss.grad_fn.next_functions[0][0])", False),
        ("loss.grad_fn.next_functions[0][0](g)", True),
        ("class Timer:\n    def __enter__(self):\n        return super().__enter__()", False),
        ("import torch\nlayer = torch.nn.Linear(2, 2)\nlayer.bias = None\nsetattr(layer, 'weight', w)", False),
        ("class A:\n    def f(self):\n        self.g = A.g = self.__class__", False),
        ("out.__class__ = A", True),
        ("setattr(out, '__class__', A)", True),
        ("class A:\n    def __del__(self):\n        pass", True),
        ("out.grad_fn(g)", True),
        ("print(out.grad_fn)", False),
        ("getattr(A, 'eliforp'[::-1])", True),
        ("getattr(A, bytes([97]).decode())", False),  # ``bytes`` may be a name of the file's own
        ("getattr(self, f'w_{name}'), getattr(self, 'w_' + 'q'), getattr(self, names[0].lower())", False),
    ],
)
def test_tampering_with_the_recorders(text: str, found: bool) -> None:
    assert (Source("script", [text.encode()]).tampering is not None) is found


def test_a_source_that_is_too_long_counts_as_tampering() -> None:
    """Its tree would take gigabytes of the grader's memory."""
    long = (b"x = 1\n" * source.MOST_WORDS,)
    assert "too many" in str(Source("script", long).tampering)
    assert Source("notebook", (*long, b"def f(x): return softmax(x)")).find_use("f", WORDS) is None
    picture = b"'" + b"A" * 3_000_000 + b"'"  # many bytes and few words
    assert Source("script", [picture]).tampering is None


# ---------------------------------------------------------------- a hostile source

FORBIDDEN = "def f(x):\n    return torch.softmax(x)\n"
DEEP = {
    "sum": "+".join(["x"] * 1300),
    "minus": "-" * 1000 + "x",
    "attributes": "x" + ".a" * 900,
    "calls": "x" + "()" * 900,
    "subscripts": "x" + "[0]" * 900,
    "brackets": "(" * 90 + "x" + ")" * 90,
    "lambdas": "lambda: " * 500 + "x",
    "comparisons": "not " * 900 + "x",
    "comprehensions": "[" * 60 + "x" + " for x in x]" * 60,
    "texts": "+".join(["'a'"] * 1300),
}


@pytest.mark.parametrize("code", DEEP.values(), ids=DEEP)
def test_depth_costs_no_stack(code: str) -> None:
    """Each is within what Python's parser takes, and deeper than a function of ours may call itself."""
    found = Source("script", [f"{FORBIDDEN}if 0:\n    y = {code}\n".encode()])
    assert found.tampering is None
    assert str(found.find_use("f", WORDS)) == "line 2: return torch.softmax(x)"


@pytest.mark.parametrize("code", ["x" + ".a" * 50_000, "-" * 100_000 + "x"])
def test_what_the_parser_gives_up_counts_as_tampering(code: str) -> None:
    """A notebook can raise the limit of recursion in one cell and run another. Only a syntax error can't run."""
    found = Source("notebook", [FORBIDDEN.encode(), code.encode()])
    assert "too deeply" in str(found.tampering)
    assert found.find_use("f", WORDS) is None
    assert Source("notebook", [b"def f(:"]).tampering is None


def test_a_source_is_walked_once_and_each_node_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    real = source._parsed
    monkeypatch.setattr(source, "_parsed", lambda text: [parsed.append(text), *real(text)][1:])
    work = model.Submission("eve", "ready", "script", "x.py", (f"{FORBIDDEN}y = {'+'.join(['x'] * 900)}".encode(),))
    for words in (WORDS, ["vjp"], WORDS):
        assert source.read(work).tampering is None
        source.read(work).find_use("f", words)
    assert len(parsed) == 1
    assert source.read(work).visited < 2000  # each name and its context once
    assert source.read(work).compared <= 2 * 5


def test_nested_names_that_are_computed_are_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    real = source.ast.walk
    monkeypatch.setattr(tampering.ast, "walk", lambda node: (looked.append(part) or part for part in real(node)))
    nested = f"{'getattr(a, ' * 50}{['x'] * 500}{')' * 50}"
    Source("script", [nested.encode()])
    assert tampering.MOST_PARTS < len(looked) <= 50 * tampering.MOST_PARTS


@pytest.mark.parametrize("term", ["x", "'a'", "('a' + 'b')", "(x + 'b')", "x.a", "f()"])
def test_the_work_on_a_chain_grows_with_its_length_and_not_faster(term: str) -> None:
    visited = [Source("script", [f"y = {' + '.join([term] * count)}".encode()]).visited for count in (100, 200, 400)]
    assert visited[2] - visited[1] == 2 * (visited[1] - visited[0])


def test_joined_texts_are_each_in_one_name_only() -> None:
    statement = source.ast.parse("x + 'set' + 'profile' + (y + ('a' + 'b')) - ('c' + 'd')").body[0]
    names = [name.name for node, _ in Source()._walk(statement) for name in source._names(node)]
    assert sorted(names) == ["a", "ab", "b", "c", "cd", "d", "profile", "set", "setprofile", "x", "y"]


def test_over_the_budget_of_nodes_a_source_is_too_long_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_NODES", 100)
    found = Source("script", [(FORBIDDEN + "y = [1, 2]\n" * 100).encode()])
    assert "too many" in str(found.tampering)
    assert found.find_use("f", WORDS) is None
    assert found.visited == 101


def test_over_the_budget_of_names_no_place_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = "".join(f"def f{i}(): return f{i + 1}()\n" for i in range(30)) + "def f30(): return softmax()"
    assert str(Source("script", [chain.encode()]).find_use("f0", WORDS)) == "line 31: def f30(): return softmax()"
    monkeypatch.setattr(source, "MOST_NODES", 200)
    found = Source("script", [chain.encode()])
    for number in range(30):
        found.find_use(f"f{number}", WORDS)
    assert found.find_use("f0", ["other"]) is None
    assert found.compared <= 201 + 30


def test_the_text_that_is_searched_is_the_one_that_runs() -> None:
    hidden = b"# coding: latin-1\n'\xe4'\nimport sys\rsys.setprofile(None)"
    assert str(Source("script", [hidden]).tampering) == "line 4: sys.setprofile(None)"
    assert Source("script", [b"# coding: utf-7\nsys.setprofile(None)"]).tampering is None  # it does not run


def test_a_line_is_told_as_python_counts_it() -> None:
    text = "a = '\x0c\u2028'\n\x0cdef f(x):\r    return x.softmax()  # here"
    assert str(Source("script", [text.encode()]).find_use("f", WORDS)) == "line 3: return x.softmax()  # here"


def test_a_function_that_is_defined_in_an_if_is_followed() -> None:
    text = "if True:\n    def g(x):\n        return x.softmax()\ndef f(x):\n    return g(x)"
    assert str(Source("script", [text.encode()]).find_use("f", WORDS)) == "line 3: return x.softmax()"


@pytest.mark.parametrize("name", ["resource_deep_sum", "resource_long_sums"])
def test_the_work_on_a_hostile_file_is_a_few_steps_a_word(name: str) -> None:
    text = (ROOT / f"tests/hostile/submissions/attacks/{name}.py").read_bytes()
    found = Source("script", [text])
    assert found.find_use("stable_softmax", ["other"]) is None
    assert found.tampering is None
    assert found.visited + found.compared < 2 * len(source.WORD.findall(text.decode()))


def test_no_name_is_kept() -> None:
    """Names of operators come from the submission, and a grader lives for a whole class."""
    assert source.contains("aten::_log_SoftMax", WORDS)
    assert not source.contains("aten::exp", WORDS)
    assert not hasattr(source.contains, "cache_info")
