"""``attngrade check``, ``new``, ``list``, ``show``: the commands of students."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import model
from autograder.assignments import NAMES
from autograder.assignments.kit import programs
from autograder.cli import check_output, own_code
from autograder.grading import suite
from autograder.grading.session import Session
from autograder.integrations import edition
from autograder.sandbox.launch import SingleLauncher
from tests.command_helpers import Run
from tests.paths import ROOT

from .conftest import SOLUTION, Graded


def test_a_right_solution_passes(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_code, "SingleLauncher", SingleLauncher)  # as for students: a Python of its own
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    done = run("check", tmp_path / "bahdanau.py")
    assert done.status == 0
    assert "✗" not in done.out
    assert "\x1b" not in done.out  # no colour where there is no terminal


def test_an_untouched_skeleton_is_told_what_to_do_first(tmp_path: Path, run: Run) -> None:
    assert run("new", "bahdanau", tmp_path / "work").status == 0
    done = run("check", tmp_path / "work")
    assert done.status == 1
    assert "Nothing is written yet. Start with stable_softmax" in done.out
    assert "0.00 of 46 points. The other 54 of 100 come from speed (8) and hidden checks" in done.out
    assert "Stuck? attngrade hint stable_softmax" in done.out


def test_what_is_written_is_to_be_mended_before_the_next_part_is_written(tmp_path: Path, run: Run) -> None:
    run("new", "bahdanau", tmp_path)
    work = tmp_path / "bahdanau.py"
    stub = "    # Your code here: return the weights.\n    raise NotImplementedError\n"
    assert stub in work.read_text()
    work.write_text(work.read_text().replace(stub, "    return torch.exp(scores) / torch.exp(scores).sum()\n"))
    done = run("check", tmp_path).out
    places = [done.index(text) for text in ("What to mend", "Not written yet: ", "write softmax_vjp", "Stuck?")]
    assert places == sorted(places)
    assert "Next to write" not in done
    assert "Stuck? attngrade hint stable_softmax" in done
    work.write_text(work.read_text().replace("torch.exp(scores).sum()", "torch.exp(scores).sum(dim, keepdim=True)"))
    assert "Next to write" not in run("check", tmp_path).out  # it overflows
    work.write_text(SOLUTION[: SOLUTION.index("def softmax_vjp")])
    assert "\nNext to write: softmax_vjp in bahdanau.py: it is not defined.\n" in run("check", tmp_path).out


def test_who_has_all_points_is_told_of_the_experiment(tmp_path: Path, run: Run) -> None:
    run("new", "bahdanau", tmp_path)
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    last = "All public checks pass. Now let it work: python experiment.py"
    assert run("check", tmp_path / "bahdanau.py").out.splitlines()[-1].startswith(last)
    assert last not in run("check", tmp_path, "--only", "stable_softmax").out
    (tmp_path / "experiment.py").unlink()
    assert last not in run("check", tmp_path).out


def test_the_sign_of_what_waits_is_explained(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("torch.tanh(", "torch.sigmoid("))
    assert "○  Not counted until the values are right." in run("check", tmp_path).out
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    assert "○" not in run("check", tmp_path).out


def test_only_what_is_to_mend_is_marked_as_wrong(tmp_path: Path, run: Run) -> None:
    """With a renamed argument every call raises. No title may accuse of what that call never came to do."""
    renamed = SOLUTION.replace(
        "def stable_softmax(scores, dim=-1):", "def stable_softmax(scores, axis=-1):\n    dim = axis"
    )
    assert renamed != SOLUTION
    (tmp_path / "bahdanau.py").write_text(renamed)
    out = run("check", tmp_path, "--only", "stable_softmax").out
    table, _, told = out.partition("What to mend")
    assert table.count("✗") == told.count("✗") + 1 == 2, "in the table and in the legend"
    assert table.count("↳") > 2
    assert "↳  Fails with a check that is marked ✗. Mend that one first." in table
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    assert "↳" not in run("check", tmp_path).out


def test_check_needs_neither_the_references_nor_torch_in_its_own_process(tmp_path: Path) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    program = (
        "import sys\n"
        "hidden = 'autograder.assignments.bahdanau.hidden'\n"
        "for name in ('reference', 'autograder.instructor.oracle', hidden, 'jupytext'):\n"
        "    sys.modules[name] = None\n"
        "from autograder.cli import app as cli\n"
        f"status = cli.run(['check', {str(tmp_path)!r}])\n"
        "assert 'torch' not in sys.modules, 'torch was imported'\n"
        "assert cli.run(['check', '--full', sys.argv[1]]) == 2\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install -e ." in done.stderr


def test_a_syntax_error_is_told_with_its_line_before_a_worker_starts(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "begin", lambda *_: pytest.fail("a worker was started"))
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("(scores, dim=-1):", "(scores, dim=-1:"))
    done = run("check", tmp_path / "bahdanau.py")
    number = SOLUTION[: SOLUTION.index("(scores, dim=-1):")].count("\n") + 1
    assert done.status == 1
    assert f"SyntaxError: invalid syntax (bahdanau.py, line {number})." in done.out
    line, caret = done.out.splitlines()[2:4]
    assert line == "    def stable_softmax(scores, dim=-1:"
    assert caret.strip() == "^"
    assert line[caret.index("^")] == ":"


def test_full_runs_the_hidden_checks_and_hides_their_numbers(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("torch.tanh(", "torch.sigmoid("))
    done = run("check", "--full", "--json", tmp_path)
    assert done.status == 1
    (result,) = json.loads(done.out)
    assert result["max_score"] == 100
    failed = [c for c in result["checks"] if c["status"] == "failed"]
    hidden = [c for c in failed if c["visibility"] == "hidden" or c["kind"] == "timing"]  # of secret inputs
    assert hidden
    assert not any("Called" in c["message"] or re.search(r"\d", c["message"]) for c in hidden)
    public = [c for c in failed if c not in hidden]
    assert public
    assert all("Called: BahdanauAttention(" in c["message"] for c in public)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nowhere.py"], "does not exist"),
        (["check", "."], "nothing to check"),
        (["check"], "nothing to check in .: expected ASSIGNMENT.py"),
        (["check", "notes.py"], "--assignment"),
        (["new", "bahdanu"], "bahdanau"),
        (["new"], "ASSIGNMENT"),
        (["show", ".", "ana"], "no results"),
        (["chekc"], "Did you mean 'check'"),
        (["--nonsense"], "nonsense"),
    ],
)
def test_wrong_calls(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    if "notes.py" in arguments:
        Path("notes.py").write_text("")
    done = run(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err


def test_new_writes_the_address_of_the_students_edition_into_the_notebook(tmp_path: Path, run: Run) -> None:
    run("new", "luong", tmp_path, "--address", "https://course.example/attngrade")
    released = (ROOT / "assignments" / "luong" / "luong.ipynb").read_bytes()
    made = (tmp_path / "luong.ipynb").read_bytes()
    assert made == edition.in_notebook(released, "https://course.example/attngrade") != released
    assert (tmp_path / "luong.py").read_bytes() == (ROOT / "assignments" / "luong" / "luong.py").read_bytes()


def test_new_never_overwrites(tmp_path: Path, run: Run) -> None:
    (tmp_path / "luong.py").write_text("my work")
    done = run("new", "luong", tmp_path)
    assert done.status == 2
    assert (tmp_path / "luong.py").read_text() == "my work"
    assert len(list(tmp_path.iterdir())) == 1


def test_new_says_what_to_type_for_a_path_with_spaces(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "my work"
    done = run("new", "luong", folder)
    assert done.out.rstrip().endswith(f"attngrade check '{folder}'")
    assert run("new", "luong", tmp_path / "work").out.rstrip().endswith(f"attngrade check {tmp_path / 'work'}")


def test_list(run: Run) -> None:
    done = run("list", "--json")
    assert [row["assignment"] for row in json.loads(done.out)] == list(NAMES)
    assert all(assignment in run("list").out for assignment in NAMES)


def test_show(graded: Graded, run: Run) -> None:
    done = run("show", graded.out, "bo")
    assert done.status == 0
    assert "graded" in done.out
    assert "hidden" in done.out
    assert json.loads(run("show", graded.out, "finn and gita", "--json").out)["score"] == 100
    unknown = run("show", graded.out, "anna")
    assert unknown.status == 2
    assert "ana" in unknown.err


@pytest.mark.parametrize(
    "names",
    [["bahdanau", "luong", "masking"], pytest.param(["self_attention", "seq2seq"], marks=pytest.mark.thorough)],
    ids=" ".join,
)
def test_shipped_values_are_in_step_with_checks_and_references(names: list[str], run: Run) -> None:
    done = run("build", "--check", *names)
    assert (done.status, done.out) == (0, "")


def test_out_of_step_values_are_noticed() -> None:
    exported = suite.export("bahdanau")
    assert suite.equivalent(exported, exported)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite.programs, "PUBLIC_SEED", "another")
        assert not suite.equivalent(exported, suite.export("bahdanau"))
    assert not suite.equivalent(b"junk", exported)


def test_the_last_digit_in_which_machines_differ_is_not_out_of_step() -> None:
    exported, normal = suite.export("bahdanau"), programs.InputGenerator.normal
    for factor, same in ((1 + 2**-50, True), (1 + 1e-9, False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                programs.InputGenerator, "normal", lambda *args, by=factor, **options: normal(*args, **options) * by
            )
            assert suite.equivalent(exported, suite.export("bahdanau")) is same


def checked(text: str, tmp_path: Path, run: Run) -> dict[str, dict[str, str]]:
    """Return the checks of a file by id."""
    (tmp_path / "bahdanau.py").write_text(text)
    (grade,) = json.loads(run("check", "--json", tmp_path).out)
    return {check["id"]: check for check in grade["checks"]}


def test_a_slip_in_a_name_is_told(tmp_path: Path, run: Run) -> None:
    text = SOLUTION.replace("def stable_softmax(", "def stable_sofmax(")
    assert "the file defines stable_sofmax" in checked(text, tmp_path, run)["softmax-values"]["message"]


def test_the_parameters_that_are_there_are_told(tmp_path: Path, run: Run) -> None:
    found = checked(SOLUTION.replace("W_h", "Wh"), tmp_path, run)["attention-values"]
    assert "it has W_s.weight, Wh.weight, v.weight" in found["message"]
    assert found["diagnosis"] == "wrong-parameters"


def test_torchs_own_not_implemented_is_no_stub(tmp_path: Path, run: Run) -> None:
    text = SOLUTION + "\n\ndef stable_softmax(scores, dim=-1):\n    return torch.softmax(scores.long(), dim)\n"
    found = checked(text, tmp_path, run)["softmax-values"]
    assert found["diagnosis"] is None
    assert "softmax" in found["message"]


def test_nothing_is_cut_where_there_is_no_terminal(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("torch.tanh(", "torch.sigmoid("))
    done = run("check", "--all", tmp_path).out
    (grade,) = json.loads(run("check", "--json", tmp_path).out)
    messages = {check["message"] for check in grade["checks"] if check["status"] == "failed"}
    assert messages
    shown = [message for message in messages if message in done]
    assert shown
    assert done.count(", expected ") == done.count("Called: ")  # the ends are there too


def test_a_reason_is_told_once(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("W_h", "Wh"))
    done = run("check", "--all", tmp_path).out
    assert done.count("has no parameter W_h.weight") == 1
    assert " other checks fail only because of this: " in done


def test_show_names_a_part_that_is_missing_and_what_may_be_meant(tmp_path: Path, run: Run) -> None:
    """Nothing else is wrong, so nothing else is told."""
    (tmp_path / "class").mkdir()
    text = SOLUTION.replace("stable_softmax", "stable_attention_softmax")
    (tmp_path / "class" / "ana.py").write_text(text)
    run("grade", tmp_path / "class", "-a", "bahdanau", "-o", tmp_path / "out", "--no-timing")
    shown = run("show", tmp_path / "out", "ana").out
    step = "Write stable_softmax in its file: it is not defined; the file defines stable_attention_softmax"
    assert f"need code that is missing. {step}" in shown
    assert "What to mend" not in shown


def test_work_in_the_notebook_beside_an_untouched_script_is_what_is_checked(tmp_path: Path, run: Run) -> None:
    run("new", "bahdanau", tmp_path)
    book = json.loads((tmp_path / "bahdanau.ipynb").read_text())
    book["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": "mine = 1"})
    (tmp_path / "bahdanau.ipynb").write_text(json.dumps(book))
    assert "took bahdanau.ipynb; bahdanau.py is still the starter file" in run("check", tmp_path).out


def test_in_the_folder_no_path_is_needed(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    monkeypatch.chdir(tmp_path)
    done = run("check")
    assert done.status == 0
    assert done.out.startswith("bahdanau.py: the public checks of bahdanau")


def test_one_part_only(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION.replace("torch.tanh(", "torch.sigmoid("))
    right = run("check", tmp_path, "--only", "stable_softmax")
    assert right.status == 0
    assert "the public checks of stable_softmax in bahdanau" in right.out
    assert "BahdanauAttention" not in right.out
    assert "13.00 of 13 points\n" in right.out
    wrong = run("check", tmp_path, "--only", "BahdanauAttention", "--json")
    assert wrong.status == 1
    assert {one["part"] for one in json.loads(wrong.out)[0]["checks"]} == {"BahdanauAttention"}
    unknown = run("check", tmp_path, "--only", "stable_sofmax")
    assert unknown.status == 2
    assert "did you mean stable_softmax" in unknown.err


def test_only_what_to_mend_first(tmp_path: Path, run: Run) -> None:
    text = SOLUTION.replace("torch.tanh(", "torch.sigmoid(").replace("torch.exp(scores - ", "torch.exp(2 * scores - ")
    (tmp_path / "bahdanau.py").write_text(text)
    done = run("check", tmp_path, "--first")
    assert done.out.count("✗") == 1
    assert "✓" not in done.out
    assert "more mistakes; --all shows them." in done.out


def test_several_parts_and_checks(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(SOLUTION)
    done = run("check", tmp_path, "--only", "stable_softmax", "--only", "attention-example", "--json")
    checks = json.loads(done.out)[0]["checks"]
    assert {one["part"] for one in checks} == {"stable_softmax", "BahdanauAttention"}
    assert [one["id"] for one in checks if one["part"] == "BahdanauAttention"] == ["attention-example"]


@pytest.mark.parametrize(
    ("points", "speed", "said"),
    [
        (46, 8, "The other 54 of 100 come from speed (8) and hidden checks with other numbers and sizes (46)."),
        (46, 0, "The other 54 of 100 come from hidden checks with other numbers and sizes (54)."),
        (92, 8, "The other 8 of 100 come from speed (8)."),
        (100, 0, ""),
    ],
)
def test_where_the_other_points_come_from(
    points: float, speed: float, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A course's assignment may have no hidden checks."""
    monkeypatch.setenv("COLUMNS", "200")
    later = model.Outcome("a-speed", "A is fast", "timing", "public", "skipped", 0.0, speed, part="a")
    grade = model.Grade("you", "bahdanau", points, points, "graded", (later,) if speed else (), {})
    work = model.Submission("you", "ready", "script", "bahdanau.py", (b"",))
    check_output.print_grade(Path("bahdanau.py"), work, grade, check_output.View(listed=False))
    line = next(line for line in capsys.readouterr().out.splitlines() if " points" in line)
    assert line.partition(" points")[2].removeprefix(". ") == said
