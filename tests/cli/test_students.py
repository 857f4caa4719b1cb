"""``attngrade students``: the folder that a course hosts."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path

import pytest

from autograder import assignments
from autograder.instructor.release import students_folder
from autograder.integrations import edition
from tests.command_helpers import Run
from tests.paths import ROOT

COURSE = "https://course.example/attngrade"


@pytest.fixture(autouse=True)
def _own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(edition.VARIABLE, raising=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return students_folder.build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(autouse=True)
def _built_once(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students_folder, "build_wheel", lambda root, folder: shutil.copy(wheel, folder / wheel.name))


def lines_to_type(out: Path) -> list[str]:
    page = (out / "index.html").read_text(encoding="utf-8")
    return [line for block in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL) for line in unescape(block).splitlines()]


def test_the_folder_has_all_that_students_need(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    done = run("students", out, "--address", f"{COURSE}/")
    assert done.status == 0, done.err
    line = f'pip install "{COURSE}/{edition.WHEEL}"'
    assert line in done.out
    assert edition.torch_line() in done.out
    assert lines_to_type(out)[:2] == [edition.torch_line(), line]
    for name in assignments.NAMES:
        for file in students_folder.student_files(name):
            released = (ROOT / "assignments" / name / file).read_bytes()
            addressed = edition.in_notebook(released, COURSE) if file.endswith(".ipynb") else released
            assert (out / name / file).read_bytes() == addressed
            assert (released != addressed) == file.endswith(".ipynb")
    links = re.findall(r'href="([^"]+)"', (out / "index.html").read_text(encoding="utf-8"))
    assert all((out / link).is_file() for link in links)
    assert edition.address() == COURSE  # later commands use it


def test_the_checksums_are_right_and_complete(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    assert run("students", out).status == 0
    sums = dict(line.split("  ")[::-1] for line in (out / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert sums.keys() | {"SHA256SUMS"} == files.keys()
    assert all(hashlib.sha256(files[name].read_bytes()).hexdigest() == digest for name, digest in sums.items())
    assert sums[edition.WHEEL] in (out / "index.html").read_text()


def test_without_an_address_students_download_the_wheel(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    done = run("students", out)
    assert done.status == 0
    assert "No address is set" in done.out
    assert lines_to_type(out)[1] == f'pip install "./{edition.WHEEL}"'
    assert not edition.remembered_in().exists()


def test_a_second_call_replaces_only_what_the_first_wrote(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    assert run("students", out).status == 0
    (out / edition.WHEEL).rename(out / "attngrade-0.0.1-py3-none-any.whl")
    sums = (out / "SHA256SUMS").read_text().replace(edition.WHEEL, "attngrade-0.0.1-py3-none-any.whl")
    (out / "SHA256SUMS").write_text(sums)
    assert run("students", out, "--address", COURSE).status == 0
    assert [path.name for path in out.glob("*.whl")] == [edition.WHEEL]  # none of the old version
    (out / "index.html").write_text("my own page")
    done = run("students", out)
    assert done.status == 2
    assert "holds index.html" in done.err
    assert (out / "index.html").read_text() == "my own page"


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_of_somebody_else_is_left_alone(run: Run, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "solutions"
    (out / "luong").mkdir(parents=True)
    path = out / "luong" / "luong.py"
    path.write_text("mine") if kind == "file" else path.symlink_to(ROOT / "README.md")
    done = run("students", out)
    assert (done.status, list(out.iterdir())) == (2, [out / "luong"])
    assert "holds luong/luong.py" in done.err


def test_a_wrong_address_writes_nothing(run: Run, tmp_path: Path) -> None:
    done = run("students", tmp_path / "page", "--address", "course.example/attngrade")
    assert done.status == 2
    assert "https://" in done.err
    assert not (tmp_path / "page").exists()


@pytest.mark.parametrize(
    "name",
    [
        "autograder/assignments/luong/hidden/checks.py",
        "autograder/assignments/luong/explanations.toml",
        "autograder/handouts/luong/answers.py",
        "solutions/a.py",
    ],
)
def test_a_wheel_with_a_secret_is_never_handed_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wheel = tmp_path / edition.WHEEL
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(name, "secret")
    monkeypatch.setattr(students_folder, "build_wheel", lambda root, folder: wheel)
    done = run("students", tmp_path / "page")
    assert done.status == 2
    assert "not for students" in done.err
    assert not (tmp_path / "page").exists()


def test_the_wheel_works_alone(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    assert run("students", out).status == 0
    with zipfile.ZipFile(out / edition.WHEEL) as archive:
        archive.extractall(tmp_path / "installed")
    env = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    for words in (["list"], ["new", assignments.NAMES[0], str(tmp_path / "work")]):
        command = [sys.executable, "-m", "autograder", *words]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "work" / "README.md").is_file()
