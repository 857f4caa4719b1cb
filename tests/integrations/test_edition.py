"""Where students get the students' edition: one address, and no text that promises a package index."""

from __future__ import annotations

import ast
import json
import re
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.integrations import edition
from autograder.integrations.edition import EditionError
from tests.paths import ROOT

COURSE = "https://course.example/attngrade"
# ``pip install`` with the bare name, or the bare name with a version. Paths, addresses and extras are right.
BARE = re.compile(r"pip install\b[^\n]*(?<![\w/\\.-])attngrade(?![\w./\\-])|(?<![\w/])attngrade==")
TEXTS = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "docs", "autograder", "assignments", "solutions")


@pytest.fixture(autouse=True)
def _own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(edition.VARIABLE, raising=False)


def test_no_text_promises_the_package_index() -> None:
    files = [path for name in TEXTS for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()]
    files = [path for path in files if path.suffix != ".pyc"]
    assert len(files) > 200
    found = {str(path): BARE.findall(path.read_bytes().decode("utf-8", "replace")) for path in files}
    assert not {name: texts for name, texts in found.items() if texts}


@pytest.mark.parametrize(
    "text",
    [
        "pip install attngrade",
        "!pip install -q torch attngrade",
        "pip install 'attngrade[otter]'",
        "x = attngrade==0.1",
    ],
)
def test_the_search_finds_a_bare_name(text: str) -> None:
    assert BARE.search(text)


@pytest.mark.parametrize(
    "text", ["pip install -e '.[otter]'", 'pip install "https://x.example/attngrade/attngrade-0.1.0-py3-none-any.whl"']
)
def test_the_search_leaves_addresses_alone(text: str) -> None:
    assert not BARE.search(text)


def test_the_nearest_address_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert edition.address() == ""
    edition.remember("https://remembered.example")
    assert edition.address() == "https://remembered.example"
    monkeypatch.setenv(edition.VARIABLE, " https://variable.example/ ")
    assert edition.address() == "https://variable.example"
    assert edition.address(COURSE) == COURSE


def test_an_installed_edition_knows_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = {"url": f"{COURSE}/{edition.WHEEL}", "archive_info": {}}
    monkeypatch.setattr(metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: json.dumps(noted)))
    assert edition.address() == f"{COURSE}/{edition.WHEEL}"
    noted = {"url": "file:///home/somebody/attngrade", "dir_info": {"editable": True}}
    assert edition.address() == ""


@pytest.mark.parametrize(
    ("where", "wheel"),
    [
        (COURSE, f"{COURSE}/{edition.WHEEL}"),
        (f"{COURSE}/mine.whl", f"{COURSE}/mine.whl"),
        ("/course/for students", f"/course/for students/{edition.WHEEL}"),
        (r"\\server\course", rf"\\server\course\{edition.WHEEL}"),
        (r"S:\course", rf"S:\course\{edition.WHEEL}"),
    ],
)
def test_the_address_is_a_folder_or_the_wheel(where: str, wheel: str) -> None:
    assert edition.wheel(edition.checked(where)) == wheel
    assert edition.install_lines(where)[-1] == f'pip install "{wheel}"'


@pytest.mark.parametrize(
    "text",
    [
        *("http://x.example", "ftp://x.example", "x.example", "here", "https://me@x.example", "<b>"),
        *('https://x.example/"; rm', "https://x.example/?a=b", "/a/$(b)", "/a`b", "https://x.example/\nrun: rm"),
        "https://x.example/" + "a" * 3000,
    ],
)
def test_an_address_can_do_nothing_but_be_one(text: str) -> None:
    with pytest.raises(EditionError, match="can't be the address"):
        edition.checked(text)


def test_pytorch_for_cpus_comes_first() -> None:
    major, minor = metadata.version("torch").split(".")[:2]
    first, second = edition.install_lines(COURSE, "otter-grader")
    assert first == f'pip install "torch=={major}.{minor}.*" --index-url https://download.pytorch.org/whl/cpu'
    assert second == f'pip install "{COURSE}/{edition.WHEEL}" otter-grader'


def test_without_an_address_the_text_says_so() -> None:
    assert edition.how_to_install("") == "Your course gives you the address of attngrade, the students' edition."


NOTEBOOKS = sorted((ROOT / "assignments").glob("*/*.ipynb"))


def setup_of(notebook: bytes) -> str:
    """The first code cell."""
    cells = json.loads(notebook)["cells"]
    return "".join(next(cell["source"] for cell in cells if cell["cell_type"] == "code"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("where", [COURSE, "/course/für students (1)", r"\\server\course"])
def test_a_notebook_gets_the_address_as_python_and_nothing_else_changes(path: Path, where: str) -> None:
    released = path.read_bytes()
    assert 'ADDRESS = ""  # of attngrade: your course gives it to you\n' in setup_of(released)
    addressed = edition.in_notebook(released, where)
    setting = setup_of(addressed).split("ADDRESS = ")[1].split("  # of attngrade")[0]
    assert ast.literal_eval(setting) == edition.wheel(where)
    before, after = json.loads(released), json.loads(addressed)
    changed = [old["id"] for old, new in zip(before["cells"], after["cells"], strict=True) if old != new]
    assert changed == [next(cell["id"] for cell in before["cells"] if cell["cell_type"] == "code")]
    assert before | {"cells": 0} == after | {"cells": 0}


def test_without_an_address_a_notebook_stays_as_it_is_and_promises_nothing() -> None:
    for path in NOTEBOOKS:
        assert edition.in_notebook(path.read_bytes(), "") == path.read_bytes()
        assert "http" not in setup_of(path.read_bytes())
    assert edition.in_notebook(b"anything", COURSE) == b"anything"
