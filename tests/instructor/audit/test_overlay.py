"""Overlays of right submissions: what replaces what, what is added, and where it stands."""

from __future__ import annotations

import pytest

from autograder.instructor.audit.overlay import OverlayError, composed

SOLUTION = '''\
# %% [markdown]
# # A chapter

# %%
import math

import torch

# %% [markdown]
# ## A section


# %%
def scale(x):
    """Halve."""
    ### BEGIN SOLUTION: divide
    return x / 2
    ### END SOLUTION


class Layer(Base):
    """A layer."""

    width = 1

    def score(self, x):
        return scale(x)

    def forward(self, x):
        return self.score(x)


if __name__ == "__main__":
    print(scale(1))
'''

PLAIN = '''\
import math
import torch


def scale(x):
    """Halve."""
    return x / 2


class Layer(Base):
    """A layer."""

    width = 1

    def score(self, x):
        return scale(x)

    def forward(self, x):
        return self.score(x)
'''


def laid(overlay: str, **others: str) -> str:
    """Return the text that an overlay makes of the solution."""
    return composed("mine", {"solution": SOLUTION, "mine": overlay, **others})


def test_an_overlay_without_definitions_is_the_solution_without_cells_marks_and_demo() -> None:
    assert laid("# As it is.\n") == PLAIN


def test_the_solution_and_whole_files_stay_as_they_are() -> None:
    whole = "# whole file: all by hand\nx = 1\n"
    assert laid(whole) == whole
    assert composed("solution", {"solution": SOLUTION}) == SOLUTION


def test_a_function_is_replaced_and_a_new_one_stands_before_the_next_known_one() -> None:
    text = laid(
        "# By a helper.\n\n\ndef half(x):\n    return x * 0.5  # exact\n\n\ndef scale(x):\n    return half(x)\n"
    )
    new = "def half(x):\n    return x * 0.5  # exact\n\n\ndef scale(x):\n    return half(x)"
    assert text == PLAIN.replace('def scale(x):\n    """Halve."""\n    return x / 2', new)


def test_what_is_new_after_the_last_known_definition_stands_at_the_end() -> None:
    assert laid("# More.\n\nprint(scale(2))\n") == PLAIN + "\n\nprint(scale(2))\n"


def test_a_class_keeps_the_methods_that_the_overlay_does_not_name() -> None:
    new = (
        "@final\nclass Layer(Other, Base):\n    width = 2\n    depth = 3\n\n"
        "    # by hand\n    @torch.no_grad()\n    def forward(self, x):\n        return x\n"
    )
    kept = "    width = 2\n\n    def score(self, x):\n        return scale(x)\n    depth = 3\n\n    # by hand"
    expected = PLAIN.partition("class")[0] + new.replace("    width = 2\n    depth = 3\n\n    # by hand", kept)
    assert laid("# Other bases.\n\n\n" + new) == expected


def test_a_function_may_stand_for_a_class() -> None:
    text = laid("# No class.\n\n\ndef Layer():\n    return scale\n")
    assert text == PLAIN.partition("class")[0] + "def Layer():\n    return scale\n"


def test_imports_come_first_and_those_from_the_future_before_all() -> None:
    text = laid("# Typed.\n\nfrom __future__ import annotations\nimport math\nimport numpy as np\n")
    assert text.splitlines()[:4] == [
        "from __future__ import annotations",
        "import math",
        "import torch",
        "import numpy as np",
    ]


OTHER = """\
# Another.

import numpy as np


def half(x):
    return x * 0.5


class Layer(Base):
    def score(self, x):
        return half(x)

    def forward(self, x):
        return half(x)
"""


def test_definitions_are_taken_from_other_files_with_their_imports() -> None:
    text = laid("# A mix.\n# from other: half, Layer.score\n\n\ndef scale(x):\n    return half(x)\n", other=OTHER)
    expected = PLAIN.replace("import torch\n", "import torch\nimport numpy as np\n")
    expected = expected.replace('    """Halve."""\n    return x / 2\n', "    return half(x)\n")
    expected = expected.replace("class Layer", "def half(x):\n    return x * 0.5\n\n\nclass Layer")
    expected = expected.replace("        return scale(x)\n", "        return half(x)\n")
    assert text == expected.replace("\n\n    def score", "\n    def score")  # blank lines as in the file taken from


def test_a_class_is_taken_whole() -> None:
    text = laid("# from other: half, Layer\n", other=OTHER)
    head, _, methods = OTHER.partition("class Layer(Base):\n")
    assert text.endswith(f"class Layer(Base):\n\n    width = 1\n{methods}")
    assert head.partition("np\n")[2] in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# from other: third", "there is no 'third'"),
        ("# from other: Layer.step", "there is no 'step'"),
        ("# from other: half.step", "there is no 'step'"),
        ("# from nobody: half", "there is no 'nobody'"),
    ],
)
def test_what_cannot_be_taken_is_refused(line: str, words: str) -> None:
    with pytest.raises(OverlayError, match=words):
        laid(f"# A mix.\n{line}\n", other=OTHER)
