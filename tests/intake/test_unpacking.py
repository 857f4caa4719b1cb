"""The zip of a class, as a learning management system hands it out."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autograder.intake import IntakeError, discover, opened, unpacking

CODE = "x = 1\n"
Pack = Callable[..., bytes]


def students(path: Path) -> list[str]:
    with opened(path) as folder:
        return [entry.student for entry in discover(folder, "bahdanau")]


@pytest.fixture
def zipped(tmp_path: Path, pack: Pack) -> Callable[[Mapping[str, str | bytes]], Path]:
    def make(files: Mapping[str, str | bytes]) -> Path:
        (path := tmp_path / "submissions.zip").write_bytes(pack(files))
        return path

    return make


EXPORTS = {
    "folders": ["ana/bahdanau.py", "bob/bahdanau.py"],
    "files": ["ana.py", "bob.ipynb"],
    "in one folder": ["class/ana/bahdanau.py", "class/bob/bahdanau.py"],
    "in two": ["export/class/ana/bahdanau.py", "export/class/bob/bahdanau.py"],
    "with what macOS adds": ["class/ana/bahdanau.py", "class/bob/x.py", "__MACOSX/class/ana/._bahdanau.py"],
}


@pytest.mark.parametrize("case", EXPORTS)
def test_a_zip_is_read_like_the_folder_in_it(zipped: Callable[..., Path], case: str) -> None:
    assert students(zipped(dict.fromkeys(EXPORTS[case], CODE))) == ["ana", "bob"]


def test_a_zip_of_zips(zipped: Callable[..., Path], pack: Pack) -> None:
    inner = pack({"bahdanau.py": CODE})
    assert students(zipped({"class/ana.zip": inner, "class/bob.zip": inner})) == ["ana", "bob"]


def test_a_gradescope_export_as_it_is(zipped: Callable[..., Path]) -> None:
    metadata = "submission_1:\n  :submitters:\n  - :sid: '7'\n:assignment: x\nexport_of: y\n"
    folder = "assignment_12_export"
    path = zipped({f"{folder}/submission_metadata.yml": metadata, f"{folder}/submission_1/bahdanau.py": CODE})
    assert students(path) == ["7"]


def test_one_students_folder_is_no_class(tmp_path: Path) -> None:
    for name in ("ana/bahdanau.py", "ana/data/x.txt", "ana/src/y.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(CODE)
    assert students(tmp_path) == ["ana"]


def test_nothing_lands_outside_and_links_are_left_out(tmp_path: Path) -> None:
    data = io.BytesIO()
    link = zipfile.ZipInfo("eve.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        for name in ("../outside.py", "/absolute.py", "a/../../up.py", "ana.py"):
            archive.writestr(name, CODE)
    (path := tmp_path / "in" / "class.zip").parent.mkdir()
    path.write_bytes(data.getvalue())
    with opened(path) as folder:
        assert sorted(file.name for file in folder.rglob("*")) == ["absolute.py", "ana.py"]
        assert not folder.is_relative_to(tmp_path)
    assert not folder.exists()
    assert [file.name for file in tmp_path.rglob("*.py")] == []


@pytest.mark.parametrize(
    ("data", "words"), [(b"PK\3\4 not a zip", "is not a zip archive that can be opened"), (b"", "is not a zip archive")]
)
def test_a_broken_zip_is_a_clear_error(tmp_path: Path, data: bytes, words: str) -> None:
    (path := tmp_path / "class.zip").write_bytes(data)
    with pytest.raises(IntakeError, match=words), opened(path):
        pass


def test_a_bomb_is_stopped(zipped: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "LARGEST", 5_000_000)
    path = zipped({"ana.py": "\0" * 4_000_000, "bob.py": "\0" * 4_000_000})
    with pytest.raises(IntakeError, match="holds more than 5 MB"), opened(path):
        pass
