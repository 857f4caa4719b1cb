"""What a handout offers a learner: goals, hints, questions with a key, an experiment; and what hidden checks ask."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from autograder.assignments import declared, load
from autograder.assignments.hints import STEPS, hints, of_part, step
from tests.instructor.release.test_handout import HEADING, TAUGHT, readme
from tests.paths import ROOT

QUESTION = re.compile(r"^\*\*(Q\d)\.\*\*", re.MULTILINE)
BOOK = re.compile(r"\b(exercise|chapter|lesson|slide)s?\b(?! (a|the)\b)", re.IGNORECASE)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def stubs(assignment: str) -> str:
    return (ROOT / "assignments" / assignment / f"{assignment}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("assignment", TAUGHT)
def test_what_a_hidden_check_asks_is_said_to_students(assignment: str, root: Path) -> None:
    told = squeezed(readme(root, assignment)), squeezed(stubs(assignment))
    path = root / "tests" / "assignments" / assignment / "handout_sentences.toml"
    sentences = tomllib.loads(path.read_text(encoding="utf-8"))
    hidden = {check.id for check in load(assignment, hidden=True).checks if check.visibility == "hidden"}
    assert set(sentences) == hidden
    assert {name: text for name, text in sentences.items() if not any(squeezed(text) in one for one in told)} == {}
    assert min(map(len, sentences.values())) > 25  # a sentence, not a word that stands anywhere


@pytest.mark.parametrize("assignment", TAUGHT)
def test_every_part_has_hints_that_point_to_a_section(assignment: str, root: Path) -> None:
    assert [part for part in load(assignment).parts if not of_part(assignment, part)] == []
    headings = re.findall(r"^##+ (.+)$", readme(root, assignment), re.MULTILINE)
    for name, hint in hints(assignment).items():
        assert hint.read in headings, name
        assert hint.question.rstrip().endswith("?"), f"{name}: the first step is a question"
        assert all(step(hint, number) for number in range(1, STEPS + 1))


@pytest.mark.parametrize("assignment", TAUGHT)
def test_every_question_has_a_key_that_students_do_not_get(assignment: str, root: Path) -> None:
    section = readme(root, assignment).partition("\n## Questions\n")[2].partition("\n## ")[0]
    asked = QUESTION.findall(section)
    assert asked == [f"Q{number}" for number in range(1, len(asked) + 1)]
    assert len(asked) >= 2
    key = (root / "solutions" / assignment / "answers.md").read_text(encoding="utf-8")
    assert QUESTION.findall(key) == asked
    assert not (root / "assignments" / assignment / "answers.md").exists()


@pytest.mark.parametrize("assignment", TAUGHT)
def test_nothing_refers_to_a_book_that_students_do_not_have(assignment: str, root: Path) -> None:
    texts = [readme(root, assignment), stubs(assignment)]
    texts += [step(hint, number) for hint in hints(assignment).values() for number in range(1, STEPS + 1)]
    assert [found.group() for text in texts for found in BOOK.finditer(text)] == []


@pytest.mark.parametrize("assignment", TAUGHT)
def test_the_experiment_uses_the_students_own_parts(assignment: str, root: Path) -> None:
    text = (root / "assignments" / assignment / "experiment.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    imported = [
        name.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == assignment
        for name in node.names
    ]
    parts = (*load(assignment).parts, *declared(assignment, "", "GIVEN", ()))
    assert imported
    assert {name for name in imported if not name.isupper()} <= {*parts}  # others are constants that the file gives
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines, last = text.splitlines(), imports[-1]
    assert isinstance(last, ast.ImportFrom)
    assert last.module == assignment
    assert lines[last.lineno - 2] == lines[last.end_lineno or 0] == ""  # in a block of its own
    assert [line for line in text.splitlines() if line.startswith("torch.set_num_threads(1)")]  # on a shared machine
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert not defined & {*parts}  # a definition here would stand in for the student's
    assert "Something that works" in HEADING.findall(readme(root, assignment))
    assert re.search(r"five seeds|seeds 0 to 4", readme(root, assignment))


@pytest.mark.parametrize("assignment", TAUGHT)
def test_the_notebook_has_it_all_where_grading_skips_it(assignment: str, root: Path) -> None:
    import json

    book = json.loads((root / "assignments" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8"))
    cells = [("".join(cell["source"]), cell) for cell in book["cells"]]
    assert "image/svg+xml" in cells[0][1]["attachments"]["figure.svg"]
    skipped = [text for text, cell in cells if "attngrade-skip" in cell["metadata"].get("tags", ())]
    for name in hints(assignment):
        [text] = [text for text in skipped if f"<summary>Hint 1 for <code>{name}</code>" in text]
        assert text.count("<details>") == text.count("</details>") >= STEPS
    last = [text for text in skipped if "Something that works" in text]
    assert len(last) == 1
    assert not any(f"from {assignment} import" in text for text, _ in cells)
