"""Reading a corpus from a folder; errors name their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.instructor.audit import corpus
from autograder.instructor.audit.corpus import CorpusError, Sample
from autograder.instructor.audit.mutants import mutants

SOLUTION = "def double(x):\n    return x + x\n"
OTHER = "def double(x):\n    return 2 * x\n"
WRONG = """
[[wrong]]
name = "halved"
cause = ["wrong-scale", "missing-scale"]
base = "solution"
replace = [["x + x", "x"], ["return x", "return x / 2"]]

[[wrong]]
name = "tripled"
cause = []
base = "loops"
only = "float64"
replace = [['''2 * x''', '''3 * x''']]

[[wrong]]
name = "a-file-of-its-own"
cause = ["not-implemented"]
status = "import-error"
file = "wrong/broken.py"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small corpus."""
    for name, text in {
        "solution.py": SOLUTION,
        "right/loops.py": OTHER,
        "third_party/torch_add.py": "import torch\n" + OTHER,
        "third_party/keras_add.py": "import keras\n" + OTHER,
        "wrong/broken.py": "def double(:\n",
        "wrong.toml": WRONG,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def loaded(folder: Path) -> dict[str, Sample]:
    """The pieces, by name."""
    return {sample.name: sample for sample in corpus.load(folder, folder / "solution.py")}


def refused(folder: Path) -> str:
    """Why a corpus is not read."""
    with pytest.raises(CorpusError) as caught:
        loaded(folder)
    return str(caught.value)


def test_right_ones_are_the_solution_the_folder_and_what_wraps_torch(folder: Path) -> None:
    right = {name: sample.source for name, sample in loaded(folder).items() if sample.sort == "right"}
    assert right == {"solution": SOLUTION, "loops": OTHER, "torch_add": "import torch\n" + OTHER}


def test_wrong_ones_are_right_ones_with_a_mistake_put_in(folder: Path) -> None:
    samples = loaded(folder)
    halved, tripled, broken = (samples[name] for name in ("halved", "tripled", "a-file-of-its-own"))
    assert halved.source == "def double(x):\n    return x / 2\n"  # one after the other
    assert (halved.sort, halved.causes, halved.status, halved.only) == (
        "wrong",
        (("wrong-scale", "missing-scale"),),
        "graded",
        "",
    )
    assert tripled.source == "def double(x):\n    return 3 * x\n"
    assert (tripled.causes, tripled.only) == ((), "float64")
    assert (halved.base, tripled.base, broken.base) == (SOLUTION, OTHER, "")
    assert (broken.source, broken.status) == ("def double(:\n", "import-error")


REALISTIC = """
[[submission]]
file = "neat.py"
style = "neat"

[[submission]]
file = "notes.ipynb"
style = "a notebook with two mistakes that have names, and one that has none"
mistakes = [
  { part = "double", what = "a half", cause = ["wrong-scale", "missing-scale"] },
  { part = "double", what = "the wrong sign" },
  { part = "double", what = "a sigmoid", cause = ["wrong-activation"] },
]
"""


def test_realistic_ones_are_whole_files_with_any_number_of_mistakes(folder: Path) -> None:
    (folder / "realistic").mkdir()
    for name, text in {"neat.py": OTHER, "notes.ipynb": "{}", "index.toml": REALISTIC}.items():
        (folder / "realistic" / name).write_text(text)
    samples = loaded(folder)
    neat, notes = samples["realistic/neat.py"], samples["realistic/notes.ipynb"]
    assert (neat.sort, neat.source, neat.causes, neat.notebook) == ("right", OTHER, None, False)
    assert (notes.sort, notes.source, notes.notebook, notes.base) == ("wrong", "{}", True, "")
    assert notes.causes == (("wrong-scale", "missing-scale"), ("wrong-activation",))
    assert notes.right_causes == {"wrong-scale", "missing-scale", "wrong-activation"}
    (folder / "realistic" / "neat.py").unlink()
    assert "neat.py: No such file" in refused(folder)


def test_a_text_is_replaced_wherever_it_stands(folder: Path) -> None:
    text = '[[wrong]]\nname = "all"\ncause = []\nbase = "solution"\nreplace = [["x", "y"]]\n'
    (folder / "wrong.toml").write_text(text)
    assert loaded(folder)["all"].source == "def double(y):\n    return y + y\n"


def test_mutants_of_the_solution_are_there_and_equivalent_ones_kept_apart(folder: Path) -> None:
    names = [mutant.name for mutant in mutants(SOLUTION)]
    (folder / "equivalent.toml").write_text(f'[[equivalent]]\nmutant = "{names[0]}"\nreason = "It is so."\n')
    samples = loaded(folder)
    sorts = {name: samples[name].sort for name in names}
    assert sorts == {names[0]: "equivalent"} | dict.fromkeys(names[1:], "mutant")
    assert len(names) > 1
    assert samples[names[0]].reason == "It is so."
    assert all(samples[name].causes is None and "+" in samples[name].diff for name in names)


def test_a_corpus_may_hold_right_ones_alone(folder: Path) -> None:
    (folder / "wrong.toml").unlink()
    assert {sample.sort for sample in loaded(folder).values()} == {"right", "mutant"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('base = "loops"', 'base = "lops"', "tripled: there is no right submission 'lops'"),
        ('base = "loops"', "", "tripled: there is no right submission ''"),
        ("2 * x", "2 * y", "tripled: not in loops: '2 * y'"),
        ('"return x", ', '"return 3", ', "halved: not in solution: 'return 3'"),
        ("only =", "just =", "unknown field `just`"),
        ('only = "float64"', 'only = "float16"', "Invalid enum value 'float16'"),
        ("cause = []\n", "", "missing required field `cause`"),
        ("cause = []", 'cause = "wrong-scale"', "Expected `array`"),
        ('name = "tripled"', 'name = "halved"', "names that occur twice: halved"),
        ('name = "tripled"', 'name = "loops"', "names that occur twice: loops"),
        ("wrong/broken.py", "wrong/nothing.py", "nothing.py: No such file"),
        ('[[wrong]]\nname = "halved"', '[[wrong]\nname = "halved"', "wrong.toml"),
        ("[[wrong]]", "[[worng]]", "wrong.toml"),
    ],
)
def test_what_is_not_as_it_must_be_is_reported_with_its_place(folder: Path, old: str, new: str, words: str) -> None:
    assert old in WRONG
    (folder / "wrong.toml").write_text(WRONG.replace(old, new))
    message = refused(folder)
    assert words in message
    assert str(folder) in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[[equivalent]]\nmutant = "double: sign flipped: nothing"\nreason = "x"\n',
            "no mutant has this name any more",
        ),
        ('[[equivalent]]\nmutant = "x"\n', "missing required field `reason`"),
        ('[[equivalent]]\nmutant = "x"\nreason = "x"\nseed = "x"\n', "unknown field `seed`"),
    ],
)
def test_equivalents_must_be_mutants_and_have_reasons(folder: Path, text: str, words: str) -> None:
    (folder / "equivalent.toml").write_text(text)
    message = refused(folder)
    assert words in message
    assert str(folder / "equivalent.toml") in message


def test_there_must_be_a_solution(folder: Path) -> None:
    (folder / "solution.py").unlink()
    assert "solution.py: No such file" in refused(folder)
