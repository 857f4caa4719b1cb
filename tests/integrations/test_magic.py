"""``%attngrade PART``, ``all`` and ``weights``: what a cell of a notebook shows, whatever the cells above did."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import pytest

from autograder import assignments, model
from autograder.grading.suite import SuiteError
from autograder.instructor.release import check_cells
from autograder.integrations import jupyter, notebooks
from autograder.integrations.jupyter import Magic, Misused
from autograder.report.web.in_notebook import Shown
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
SKELETON = (ROOT / "assignments" / "bahdanau" / "bahdanau.py").read_text()
WRONG = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")
PASSED = "stable_softmax: 6 of 6 checks passed. 1 more runs only in grading."


def checked(name: str) -> set[str]:
    """The parts that have public checks."""
    return {one.part for one in assignments.load(name, hidden=False).checks}


def ran(line: str, *cells: str, use: str = "bahdanau") -> Shown:
    """What the line shows below cells that ran in this order."""
    shown = Magic(use).run(line, ["", *cells, f"%attngrade {line}"])
    assert shown is not None
    return shown


def first(line: str, *cells: str) -> str:
    return str(ran(line, *cells)).splitlines()[0]


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """What would be graded: assignment, cells, ids of checks."""
    asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []

    def grade_cells(assignment: str, cells: tuple[str, ...], ids: tuple[str, ...] = ()) -> model.Grade:
        asked.append((assignment, cells, ids))
        return model.Grade("you", assignment, 0.0, 1.0, "graded", (), {})

    monkeypatch.setattr(notebooks, "grade_cells", grade_cells)
    return asked


class TestOnCells:
    """With a worker."""

    def test_a_right_part_passes_and_has_its_picture(self) -> None:
        shown = ran("stable_softmax", SOLUTION)
        assert first("stable_softmax", SOLUTION) == PASSED
        assert ">returned<" in shown.html
        assert "BahdanauAttention" not in shown.html  # neither its checks nor its pictures

    def test_a_wrong_part_says_so_as_attngrade_check_does_and_has_its_pictures(self) -> None:
        shown = ran("BahdanauAttention", WRONG)
        assert "✗ The scores are v^T tanh(W_s s + W_h h_j)  [attention-score]  wrong-activation" in str(shown)
        assert "other checks fail or are not counted only because of this" in str(shown)
        assert shown.html.count(">returned<") == 2
        assert "The largest difference is in row a, column rouge" in str(shown)

    def test_a_stub_says_what_is_next_to_write_in_one_line(self) -> None:
        line = "Next to write: softmax_vjp in this notebook: replace `raise NotImplementedError` with your code."
        shown = str(ran("softmax_vjp", SKELETON, "stable_softmax([1.0])"))
        assert " ".join(shown.split()) == line

    def test_cells_that_fail_stop_nothing(self) -> None:
        assert first("stable_softmax", "1 / 0", "def broken(:", "undefined", SOLUTION, "raise SystemExit") == PASSED

    def test_a_name_error_in_the_part_is_told(self) -> None:
        text = "def stable_softmax(scores, dim=-1):\n    return undefined"
        assert "NameError: name 'undefined' is not defined" in str(ran("stable_softmax", text))

    def test_a_syntax_error_in_the_parts_cell_is_told_with_the_number_of_the_cell(self) -> None:
        shown = str(
            ran("stable_softmax", "x = 1", "%matplotlib inline", "def stable_softmax(scores, dim=-1:\n    pass")
        )
        assert shown.startswith("stable_softmax is not defined. Run the cell that defines it, and then this one.")
        assert "SyntaxError" in shown
        assert "code cell 3" in shown

    def test_what_a_student_raises_is_text(self) -> None:
        text = "def stable_softmax(scores, dim=-1):\n    raise ValueError('<img src=x onerror=alert(1)>')"
        shown = ran("stable_softmax", text)
        assert "&lt;img src=x" in shown.html
        assert "<img" not in shown.html

    def test_code_that_leaves_is_told(self) -> None:
        shown = str(ran("stable_softmax", SOLUTION, "import os; os._exit(3)"))
        assert shown == "stable_softmax: nothing could be checked.\nThe file could not be run: exit code 3."

    def test_all_and_the_name_of_an_assignment_run_every_public_check(self) -> None:
        public = assignments.load("bahdanau", hidden=False).checks
        timed = sum(check.kind == "timing" for check in public)
        line = (
            f"bahdanau: {len(public) - timed} of {len(public) - timed} checks passed. {timed} more run only in grading."
        )
        assert first("all", SOLUTION) == line
        assert str(ran("bahdanau", SOLUTION, use="")).splitlines()[0] == line

    def test_nothing_of_a_hidden_check_is_shown(self) -> None:
        shown = ran("all", WRONG)
        hidden = [one for one in assignments.load("bahdanau", hidden=True).checks if one.visibility == "hidden"]
        assert len(hidden) > 5
        for check in hidden:
            assert not re.search(rf"(?<![\w-]){re.escape(check.id)}(?![\w-])", shown.html + shown.text)

    def test_weights_draws_everything_of_the_assignment_whose_names_are_defined(self) -> None:
        shown = ran("weights", WRONG, use="")
        assert shown.html.count(">returned<") == 3
        assert shown == ran("show-weights", WRONG) == ran("weights bahdanau", WRONG, use="luong")
        assert str(ran("weights", SKELETON)).startswith("There are no weights to draw yet")

    def test_the_old_form_still_raises(self) -> None:
        with pytest.raises(jupyter.NotPassed, match="1 of 1 checks failed"):
            Magic("bahdanau").run("bahdanau attention-values", ["", WRONG])

    def test_it_never_runs_in_this_process(self) -> None:
        assert first("stable_softmax", "import sys; sys.modules['autograder.ran_here'] = sys", SOLUTION) == PASSED
        assert "autograder.ran_here" not in sys.modules


class TestWhatIsAsked:
    """Without a worker."""

    def test_a_part_asks_its_public_checks_alone(self, graded: list[Any]) -> None:
        ran("stable_softmax", SOLUTION)
        [(assignment, _, ids)] = graded
        public = assignments.load("bahdanau", hidden=False).checks
        assert (assignment, ids) == ("bahdanau", tuple(one.id for one in public if one.part == "stable_softmax"))

    def test_every_part_is_found_without_use(self, graded: list[Any]) -> None:
        for name in assignments.NAMES:
            for part in assignments.load(name, hidden=False).parts:
                if part != "self_attention" and part in checked(name):
                    ran(part, use="")
                    assert graded[-1][0] == name
                    assert graded[-1][2]

    def test_a_part_without_public_checks_says_so(self, graded: list[Any]) -> None:
        (part,) = {
            part for name in assignments.NAMES for part in assignments.load(name).parts if part not in checked(name)
        }
        assert "all its checks run only in grading" in repr(ran(part, use=""))
        assert graded == []

    def test_a_part_of_the_assignment_in_use_comes_before_an_assignment(self, graded: list[Any]) -> None:
        """self_attention is both."""
        ran("self_attention", use="self_attention")
        ran("self_attention", use="")
        part, whole = graded
        assert part[0] == whole[0] == "self_attention"
        assert part[2]
        assert whole[2] == ()

    def test_of_several_assignments_with_a_part_the_one_in_use_counts(
        self, graded: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = jupyter._parts
        monkeypatch.setattr(jupyter, "_parts", lambda name: (*real(name), *["attend"] * (name in ("luong", "masking"))))
        ran("attend", use="luong")
        ran("attend", use="masking")
        assert [asked[0] for asked in graded] == ["luong", "masking"]
        with pytest.raises(Misused, match="attend is a part of luong and of masking; first write: %attngrade use"):
            ran("attend", use="bahdanau")

    def test_use_says_nothing_and_counts_until_the_next(self, graded: list[Any]) -> None:
        magic = Magic()
        for name in ("luong", "masking"):
            assert magic.run(f"use {name}", [""]) is None
            magic.run("all", [""])
        assert [asked[0] for asked in graded] == ["luong", "masking"]

    def test_weights_are_those_of_the_assignment_in_use(self, graded: list[Any]) -> None:
        """Cells may define names of another one too."""
        ran("weights", SOLUTION, use="luong")
        ran("weights", SOLUTION, use="")
        assert [asked[0] for asked in graded] == ["luong", "bahdanau"]

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("stable_sofmax", "there is no part 'stable_sofmax'; did you mean stable_softmax"),
            ("use bahdanu", "there is no assignment 'bahdanu'; did you mean bahdanau?"),
            ("weights bahdanu", "there is no assignment 'bahdanu'; did you mean bahdanau?"),
            ("all", "first say which assignment: %attngrade use ASSIGNMENT"),
            ("use", "there is no part 'use'"),
        ],
    )
    def test_what_cannot_be_meant_is_one_line(self, line: str, says: str) -> None:
        with pytest.raises(Misused, match=re.escape(says)) as raised:
            ran(line, use="")
        assert len(raised.value._render_traceback_()) == 1

    def test_a_grader_that_cannot_run_says_so_in_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise SuiteError("the shipped values are out of step")

        monkeypatch.setattr(notebooks, "grade_cells", broken)
        with pytest.raises(Misused, match="could not check anything: the shipped values are out of step"):
            ran("stable_softmax")

    def test_only_own_cells_count_each_at_its_number(self, graded: list[Any]) -> None:
        payoff = f"{check_cells.MARK}\nslow()\ndef stable_softmax(x): return x\n%timeit slow()"
        ran("stable_softmax", "x = 1", "# a comment\n%attngrade all\n", payoff, "%%time\ny = 2", "x = 1", "", "%magic")
        [(_, cells, _)] = graded
        assert cells == ("", "", "\n\ndef stable_softmax(x): return x\n", "%%time\ny = 2", "x = 1")

    def test_the_generated_setup_cell_is_no_own_cell(self) -> None:
        setup = f"{check_cells.MARK}\n{check_cells.setup('bahdanau')}"
        assert notebooks.own_cells(["", setup, "x = 1"], ("stable_softmax",)) == ("", "x = 1")
        assert setup.startswith(notebooks.MARK)

    def test_the_same_cells_are_graded_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A cell with the magic alone changes nothing."""
        before = ["", "x = 1", "%attngrade stable_softmax"]
        assert notebooks.own_cells(before, ()) == notebooks.own_cells([*before, "%attngrade stable_softmax"], ())


@pytest.mark.skipif(not find_spec("IPython"), reason="IPython is not installed: pip install -e '.[nbgrader]'")
class TestInIPython:
    """In a shell, as in Jupyter, VS Code and Colab."""

    @pytest.fixture
    def shell(self) -> Iterator[Any]:
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell.instance()
        shell.run_cell("%load_ext autograder.integrations.jupyter\n%attngrade use bahdanau", store_history=True)
        try:
            yield shell
        finally:
            shell.history_manager.end_session()
            InteractiveShell.clear_instance()

    def test_each_line_is_shown_as_html_and_as_text(self, shell: Any) -> None:
        from IPython.utils.capture import capture_output

        shell.run_cell(SKELETON, store_history=True)
        shell.run_cell("def stable_softmax(scores, dim=-1):\n    return undefined", store_history=True)
        with capture_output() as captured:
            done = shell.run_cell("%attngrade stable_softmax\n%attngrade softmax_vjp", store_history=True)
        done.raise_error()
        first, second = (output.data for output in captured.outputs)
        assert "NameError" in first["text/html"]
        assert "NameError" in first["text/plain"]
        assert second["text/plain"].startswith("Next to write: softmax_vjp")
        assert captured.stdout == captured.stderr == ""

    def test_a_line_that_cannot_be_meant_has_no_traceback(self, shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
        shell.run_cell("%attngrade stable_sofmax", store_history=True)
        [line] = capsys.readouterr().out.splitlines()
        assert line.startswith("there is no part 'stable_sofmax'; did you mean stable_softmax")

    def test_the_setup_cell_gives_pip_the_address_and_the_installed_torch(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ran_outside: list[str] = []
        monkeypatch.setattr(shell, "system", ran_outside.append)
        monkeypatch.setattr("importlib.util.find_spec", lambda _: sys if ran_outside else None)
        setup = check_cells.setup("luong").replace('ADDRESS = ""', 'ADDRESS = "https://course.example/a%20b.whl"')
        shell.run_cell(setup, store_history=True).raise_error()
        [command] = ran_outside
        torch = f'"torch=={version("torch")}"'
        assert command.endswith(f'-m pip install --quiet "https://course.example/a%20b.whl" {torch}')
        shell.run_cell("%attngrade LuongAttention", store_history=True).raise_error()
