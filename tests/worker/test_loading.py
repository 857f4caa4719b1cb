"""Loading scripts and notebooks, in this process."""

from __future__ import annotations

import linecache
import signal
import time

import pytest

from autograder import model
from tests.small_suite_helpers import loaded, notebook, script

DATACLASS = """
import dataclasses
@dataclasses.dataclass
class Point:
    x: int
    y: "Point | None" = None
value = Point(1).x
"""


# ---------------------------------------------------------------- scripts


@pytest.mark.parametrize(
    "text",
    [
        "value = 1",
        "\ufeffvalue = 1",
        "# -*- coding: latin-1 -*-\nvalue = 1  # \xe4".encode("latin-1"),
        "value = 1\r\n\r\nx = 2\r\n",
        "value = 1\rx = 2",
        "\x0cvalue = 1",
        DATACLASS,
        "from __future__ import annotations\n" + DATACLASS,
        "from __future__ import annotations\ndef f(x: Nowhere) -> Never: pass\nvalue = 1",
        "import __main__\nvalue = 1",
        "import small\nvalue = 1",
        "value = 1\nif __name__ == '__main__':\n    raise SystemExit(main())",
        "value = 1 if __name__ == 'small' else 2",
        "value = 1 if __file__ == 'small.py' else 2",
        "class A:\n    pass\nimport pickle\nvalue = len(pickle.loads(pickle.dumps([A()])))",
        "import inspect\ndef f(): pass\nvalue = inspect.getsource(f).count('def')",
        "import sys\nvalue = sys.getrecursionlimit() > 0",
        "import typing\nclass A(typing.NamedTuple):\n    x: int\nvalue = A(1).x",
        "import enum\nclass E(enum.IntEnum):\n    A = 1\nvalue = E.A",
    ],
)
def test_scripts_run(text: str | bytes) -> None:
    module, trouble, cells = loaded(script(text))
    assert (trouble, cells) == (None, ())
    assert module.value == 1


def test_an_empty_script_runs() -> None:
    assert loaded(script(""))[1] is None
    assert loaded(model.Submission("ana", "ready", "script", "small.py", ()))[1] is None


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("def f(:\n    pass", "SyntaxError", 1),
        ("x = 1\n\ty = 2", "IndentationError", 2),
        ("x = 1\nx = nothing", "NameError", 2),
        ("import no_such_module", "ModuleNotFoundError", 1),
        ("from . import helper", "ImportError", 1),
        ("from .helper import f", "ImportError", 1),
        ("raise SystemExit", "SystemExit", 1),
        ("import sys\nsys.exit('bye')", "SystemExit", 2),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("def f():\n    f()\nf()", "RecursionError", 2),
        ("x = '\xe4'".encode("latin-1"), "SyntaxError", None),
        ("x = 1\0", "SyntaxError", None),
        ("x = 1".encode("utf-16"), "SyntaxError", None),
        ("# coding: no-such-codec\n", "SyntaxError", None),
        ("(" * 10_000 + ")" * 10_000, None, None),
        ("-" * 200_000 + "1", None, None),
        ("return 5", "SyntaxError", 1),
        ("x = 1\nfrom __future__ import annotations", "SyntaxError", 2),
    ],
)
def test_scripts_that_do_not_run_tell_why(text: str | bytes, kind: str | None, line: int | None) -> None:
    _, trouble, _ = loaded(script(text))
    assert trouble is not None
    assert trouble.during == "load"
    assert kind is None or kind == trouble.type or (kind == "SyntaxError" and trouble.type == "ValueError")
    assert line is None or trouble.line == line


def test_what_a_script_defined_before_it_failed_does_not_matter() -> None:
    assert loaded(script("value = 1\n1 / 0"))[1] is not None


def test_lines_are_counted_as_python_counts_them() -> None:
    _, trouble, _ = loaded(script("a = '\u2028\x1c\x85'\n\x0c\r\nb = 1\nraise ValueError  # here"))
    assert trouble is not None
    assert (trouble.line, trouble.code) == (4, "raise ValueError  # here")


def test_the_source_is_where_tracebacks_look_for_it() -> None:
    loaded(script("x = 1\ny = 2"))
    assert linecache.getline("small.py", 2) == "y = 2"


# ---------------------------------------------------------------- notebooks


def test_the_last_definition_wins_and_cells_see_each_other() -> None:
    module, trouble, cells = loaded(notebook("x = 1", "def f(): return x + y", "y = 2", "x = 10", "value = f()"))
    assert (trouble, cells) == (None, ())
    assert module.value == 12


@pytest.mark.parametrize(
    "broken",
    [
        "1 / 0",
        "raise SystemExit",
        "exit()",
        "def f(:",
        "x = '",
        "raise KeyboardInterrupt",
        "x = 1\0",
        "raise type('Bad', (Exception,), {'__str__': lambda s: 1 / 0})",
        "raise type('Bad', (BaseException,), {})",
        "import no_such_module",
        "f = lambda: f()\nf()",
        "await something",
        "return 1",
    ],
)
def test_a_cell_that_fails_stops_nothing_else(broken: str) -> None:
    module, trouble, cells = loaded(notebook("first = 1", broken, "last = 2"))
    assert trouble is None
    assert len(cells) == 1
    assert (module.first, module.last) == (1, 2)


def test_a_statement_that_fails_does_not_take_its_cell_along() -> None:
    module, _, cells = loaded(notebook("before = 1\n1 / 0\ndef after():\n    return 2\nnothing"))
    assert [error.type for error in cells] == ["ZeroDivisionError", "NameError"]
    assert [error.line for error in cells] == [2, 5]
    assert [error.code for error in cells] == ["1 / 0", "nothing"]
    assert (module.before, module.after()) == (1, 2)


def test_an_empty_notebook_runs() -> None:
    assert loaded(notebook())[1:] == (None, ())
    assert loaded(notebook("", "# nothing"))[1:] == (None, ())


def test_future_annotations_hold_for_all_later_cells_as_in_a_notebook() -> None:
    module, _, cells = loaded(
        notebook("from __future__ import annotations\nx = 1", "def f(a: Nowhere) -> Nothing: return a", DATACLASS)
    )
    assert cells == ()
    assert module.f.__annotations__ == {"a": "Nowhere", "return": "Nothing"}
    assert module.value == 1


def test_without_it_annotations_are_looked_up() -> None:
    module, _, cells = loaded(notebook("x = 1", "def f(a: int): return a", "class A:\n    x: Nowhere"))
    assert module.f.__annotations__ == {"a": int}
    assert [error.type for error in cells] == ["NameError"]


@pytest.mark.parametrize(
    "endless",
    [
        "while True: pass",
        "while True:\n    try:\n        work()\n    except Exception:\n        pass",
        pytest.param("import time\ntime.sleep(60)", marks=pytest.mark.thorough),
        "import threading\nthreading.Event().wait()",
        "from itertools import count\nfor _ in count(): pass",
    ],
)
def test_a_cell_that_does_not_end_is_left(endless: str) -> None:
    module, _, cells = loaded(notebook("first = 1", f"before = 2\n{endless}\nafter = 3", "last = 4"), 0.2)
    assert [error.type for error in cells] == ["CellTimeout"]
    assert (module.first, module.before, module.last) == (1, 2, 4)
    assert not hasattr(module, "after")


def test_many_endless_cells_end_within_three_times_the_limit_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    real = signal.setitimer

    def noted(which: int, seconds: float, *rest: float) -> tuple[float, float]:
        """Let each share pass at once."""
        if which == signal.ITIMER_PROF and seconds:
            shares.append(seconds)
            return real(which, 0.001)
        return real(which, seconds, *rest)

    monkeypatch.setattr(signal, "setitimer", noted)
    monkeypatch.setattr(time, "process_time", lambda: sum(shares))
    module, _, cells = loaded(notebook(*["while True: pass"] * 9, "last = 1"), 0.1)
    assert len(cells) == 9
    assert module.last == 1
    assert shares[0] == 0.1
    assert sum(shares) < 3 * 0.1 + 9 * 0.1 / 50


def test_a_time_limit_leaves_no_alarm_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    loaded(notebook("x = 1"), 0.5)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
