"""``author check``: every slip of an author gets a clear error, with file and line where there is one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.author_course import NAME, attngrade, made

SLIPS: dict[str, tuple[str, str, str, str]] = {  # name -> file, old text, new text, what is said
    "points": (
        "checks.py",
        "values(COSINE, 30)",
        "values(COSINE, 20)",
        "checks.py: the points of all checks add up to 90",
    ),
    "syntax": ("checks.py", "CHECKS = part(", "CHECKS = part((", "checks.py, line"),
    "unknown-name": ("checks.py", "signature(COSINE", "signatur(COSINE", "NameError"),
    "unknown-import": ("checks.py", "import function,", "import functoin,", "functoin"),
    "axis-without-size": ("checks.py", 'key="B T_k d"', 'key=integers("B T_k", below="V")', "can't be made"),
    "no-docstring": ("solution.py", '    """Compare each query', '    _ = """Compare each query', "has no docstring"),
    "solution-syntax": ("solution.py", "return query @ key.mT", "return query @", "solution.py, line"),
    "wrong-solution": ("solution.py", "return query @ key.mT", "return 2 * query @ key.mT", "the solution gets"),
    "reference-name": (
        "reference.py",
        "def cosine_scores",
        "def cosine",
        "reference.py: it does not define cosine_scores",
    ),
    "mistake-name": ("mistakes.py", "cosine_scores=lambda", "cosine_score=lambda", "exchanges cosine_score"),
    "mistake-id": ("mistakes.py", '"not-normalised"', '"Not normalised"', "is no id"),
    "mistake-words": (
        "mistakes.py",
        '        "The vectors are not normalised.",\n',
        "",
        "a sentence and a hint, or neither",
    ),
    "twice": ("checks.py", "gradients(COSINE, 10)", "gradients(COSINE, 5), gradients(COSINE, 5)", "have the id"),
    "no-such-part": ("checks.py", 'part("cosine_scores"', 'part("cosine_score"', "is not defined in solution.py"),
    "no-heading": ("handout.md", "## cosine_scores", "## The function", "there is no section 'cosine_scores'"),
    "template": ("handout.md", '{% include "rules.md" %}', '{% include "rule.md" %}', "handout.md"),
    "hint-part": ("hints.toml", "[cosine_scores]", "[cosine_score]", "there is no part cosine_score"),
    "hint-section": ("hints.toml", 'read = "cosine_scores"', 'read = "Scores"', "has no section 'Scores'"),
    "hint-step": ("hints.toml", "question =", "ask =", "hints.toml"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named(slip: str, tmp_path: Path) -> None:
    file, old, new, words = SLIPS[slip]
    if slip == "axis-without-size":
        folder = made(tmp_path / "course", {file: (old, new)})
        text = (folder / file).read_text().replace("import function, gradients", "import function, integers, gradients")
        (folder / file).write_text(text)
    else:
        made(tmp_path / "course", {file: (old, new)})
    done = attngrade(tmp_path / "course", "author", "check")
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2), said
    assert words in said
    assert "Traceback" not in said
    assert f"{NAME}/" in said or file in said


@pytest.mark.thorough
def test_nothing_is_wrong_with_the_first_files(tmp_path: Path) -> None:
    course = tmp_path / "course"
    made(course)
    built = attngrade(course, "author", "build")
    assert built.returncode == 0, built.stderr
    done = attngrade(course, "author", "check")
    assert (done.returncode, done.stdout) == (0, f"{NAME}: nothing is wrong\n"), done.stdout + done.stderr
    again = attngrade(course, "author", "build")
    assert again.stdout == f"{NAME}: everything is up to date\n"


@pytest.mark.thorough
def test_a_leak_is_named(tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    assert attngrade(folder.parent, "author", "build").returncode == 0
    readme = folder / "built" / "students" / "README.md"
    readme.write_text(readme.read_text() + "\n`query = query / query.norm(dim=-1, keepdim=True)`\n")
    done = attngrade(folder.parent, "author", "check")
    assert done.returncode == 1
    assert "holds a line of the solution of cosine" in done.stdout


@pytest.mark.parametrize("missing", ["solution.py", "handout.md", "reference.py"])
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    (folder / missing).unlink()
    done = attngrade(folder.parent, "author", "check")
    assert done.returncode == 1, done.stderr
    assert f"{NAME}/{missing}: the file is missing" in done.stdout


def test_wrong_calls(tmp_path: Path) -> None:
    nowhere = attngrade(tmp_path / "nowhere", "list")
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "is no folder" in nowhere.stderr
    (tmp_path / "empty").mkdir()
    nothing = attngrade(tmp_path / "empty", "author", "check")
    assert nothing.returncode == 2
    assert "there is no assignment of a course's own here" in nothing.stderr
    folder = made(tmp_path / "course")
    other = attngrade(folder.parent, "author", "check", "cosin")
    assert "did you mean cosine" in other.stderr
    shutil.copytree(folder, folder.parent / "bahdanau")
    clash = attngrade(folder.parent, "list")
    assert clash.returncode == 2
    assert "there is another assignment bahdanau" in clash.stderr
