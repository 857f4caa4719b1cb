"""The experiment in a notebook: its cells need no import of the assignment."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.instructor.release import experiment

SCRIPT = """\
# %% [markdown]
# ## It works

# %%
import torch
from torch import nn

from bahdanau import softmax_vjp

print(torch, nn, softmax_vjp)

# %%
import math
from bahdanau import stable_softmax

# %%
from bahdanau import BahdanauAttention

# %%
from bahdanau import (
    softmax_vjp,
    stable_softmax,
)

print(math)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "solutions" / "bahdanau"
    folder.mkdir(parents=True)
    (folder / experiment.NAME).write_text(SCRIPT)
    return tmp_path


def test_imports_of_the_assignment_are_left_out_wherever_they_stand(root: Path) -> None:
    assert list(experiment.cells("bahdanau", root)) == [
        ("markdown", "## It works"),
        ("code", "import torch\nfrom torch import nn\n\nprint(torch, nn, softmax_vjp)"),
        ("code", "import math"),
        ("code", "print(math)"),
    ]


def test_an_assignment_may_have_none(tmp_path: Path) -> None:
    assert experiment.script("bahdanau", tmp_path) == ""
    assert list(experiment.cells("bahdanau", tmp_path)) == []
