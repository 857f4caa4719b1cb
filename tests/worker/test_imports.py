"""What a submission may import: torch, numpy, the standard library, and modules that do nothing."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.worker import imports
from tests.corpus.suites import drawn
from tests.grading_helpers import submission
from tests.small_suite_helpers import loaded, notebook, script

PLOTS = """
import matplotlib
import matplotlib.pyplot as plt, numpy as np
from matplotlib import cm, ticker
from matplotlib.colors import LogNorm
from mpl_toolkits.axes_grid1 import make_axes_locatable
matplotlib.use("Agg")
plt.rcParams["figure.figsize"] = (3, 3)
fig, axes = plt.subplots(2, 2, figsize=(3, 3))
(a, b), (c, d) = axes
axes[0, 1].plot([1, 2], label="x").set(title="y")
for axis, row in zip(axes.flat, [[1], [2]]):
    axis.imshow(row, cmap=cm.viridis, norm=LogNorm())
counts, edges, _ = plt.hist([1, 2, 3])
with plt.style.context("ggplot"):
    plt.bar(counts / 2 + 1, -edges, width=float(edges[1] - edges[0]))
if plt.gcf().number > 3 and len(axes) == 0:
    plt.show()
"""
TABLES = """
import pandas as pd
from pandas import DataFrame
table = pd.DataFrame({"a": [1]})
table["b"] = table["a"] ** 2
rows, columns = table.shape
print(table[table["a"] > 0].groupby("b").mean(), table.head())
for _, row in table.iterrows():
    raise ValueError
"""
BARS = """
import tqdm
from tqdm import trange
from tqdm.auto import tqdm as bar
seen = [x for x in bar([1, 2], desc="epoch")] + list(trange(3)) + [x for x in tqdm.tqdm(range(2))]
with bar(total=3) as progress:
    progress.update(1)
    progress.set_postfix(loss=0.1)
assert seen == [1, 2, 0, 1, 2, 0, 1], seen
"""
DISPLAYS = """
from IPython.display import display, HTML
display(HTML("<b>x</b>"))
get_ipython().run_line_magic("matplotlib", "inline")
"""


@pytest.mark.usefixtures("inert_modules")
@pytest.mark.parametrize("text", [PLOTS, TABLES, BARS, DISPLAYS], ids=["plots", "tables", "bars", "displays"])
@pytest.mark.parametrize("kind", [script, notebook])
def test_plots_tables_and_progress_bars_do_nothing_and_cost_nothing(text: str, kind: Any) -> None:
    module, trouble, cells = loaded(kind(text + "\nvalue = 1\n"))
    assert (trouble, cells) == (None, ())
    assert module.value == 1


@pytest.mark.usefixtures("inert_modules")
def test_a_class_may_extend_one_of_them() -> None:
    module, trouble, _ = loaded(
        script("import matplotlib\nclass Mine(matplotlib.Figure):\n    x = 1\nvalue = Mine().x")
    )
    assert (trouble, module.value) == (None, 1)


@pytest.mark.parametrize(
    ("line", "root"),
    [
        ("import seaborn as sns", "seaborn"),
        ("from scipy.special import softmax", "scipy"),
        ("import sympy", "sympy"),  # torch brings it: a machine without it would refuse the file
        ("import msgspec", "msgspec"),
        ("from helpers import attend", "helpers"),
    ],
)
def test_any_other_import_is_refused_by_name_and_line(line: str, root: str) -> None:
    _, trouble, _ = loaded(script(f"import torch\n\n{line}\n"))
    assert trouble is not None
    assert trouble.message == f"only torch, numpy and the standard library may be imported; {root} is not"
    assert (trouble.type, trouble.line, trouble.code) == ("ModuleNotFoundError", 3, line)


def test_in_a_notebook_the_other_cells_run() -> None:
    module, _, cells = loaded(notebook("import seaborn", "value = 1"))
    assert [error.type for error in cells] == ["ModuleNotFoundError"]
    assert module.value == 1


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn.functional as F, numpy.linalg, os.path",
        "def f():\n    from collections import abc\nf()",
        "try:\n    import einops\nexcept ImportError:\n    einops = None",
        "import __main__, small",
        "import importlib\nassert importlib.import_module('json')",
        "exec('import math')",
    ],
)
def test_all_else_is_imported_as_ever(text: str) -> None:
    assert loaded(script(text))[1] is None


def test_what_is_imported_by_others_is_not_restricted() -> None:
    """A module of torch may import sympy when it is used, also where a submission uses it."""
    text = "import torch\nfrom torch.utils._sympy import functions\nassert functions.FloorDiv"
    assert loaded(script(text))[1] is None


def test_the_students_builtins_are_python_s_own_otherwise() -> None:
    module, _, _ = loaded(script("value = (print, len, __import__)"))
    assert module.value[:2] == (print, len)
    assert module.value[2] is not __import__
    assert sys.modules["builtins"].__import__ is __import__


def test_the_message_of_a_script_names_what_is_refused(server: ForkServer) -> None:
    grade = Runner(drawn("bahdanau"), server).grade(submission("import math\nimport seaborn as sns\n", "bahdanau"))
    assert grade.status == "import-error"
    assert grade.message == (
        "The file could not be run: ModuleNotFoundError: only torch, numpy and the standard library may be imported; "
        "seaborn is not (line 2: import seaborn as sns)."
    )


def test_no_inert_module_is_one_that_a_submission_needs() -> None:
    assert not imports.INERT & (sys.stdlib_module_names | {"torch", "numpy"})
