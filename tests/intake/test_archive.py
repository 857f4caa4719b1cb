"""Archives: read like a folder, however they were made, and never a danger."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.intake import archive, read, reading
from autograder.model import Entry

WHERE = "FILE = %r"


@pytest.fixture
def look(plant):
    def make(data: bytes):
        root = plant({"ana.zip": data})
        return read(Entry("ana", (root / "ana.zip",)), "bahdanau")

    return make


TAKEN = {
    "plain": (["bahdanau.py"], "bahdanau.py"),
    "one top folder": (["hw/bahdanau.py", "hw/a/bahdanau.py"], "hw/bahdanau.py"),
    "shallowest": (["z/bahdanau.py", "a/b/bahdanau.py"], "z/bahdanau.py"),
    "py before ipynb": (["bahdanau.ipynb", "bahdanau.py"], "bahdanau.py"),
    "look-alike": (["x/bahdanau (1).py"], "x/bahdanau (1).py"),
    "made on a Mac": (["__MACOSX/bahdanau.py", "hw/._bahdanau.py", "hw/x/bahdanau.py"], "hw/x/bahdanau.py"),
    "made on Windows": (["hw\\src\\bahdanau.py"], "hw\\src\\bahdanau.py"),
    "with a venv": (["hw/e/pyvenv.cfg", "hw/e/bahdanau.py", "hw/a/b/bahdanau.py"], "hw/a/b/bahdanau.py"),
    "a venv at the top": (["pyvenv.cfg", "lib/bahdanau.py", "a/b/bahdanau.py"], "a/b/bahdanau.py"),
    "a venv in the only folder": (["hw/pyvenv.cfg", "hw/lib/bahdanau.py", "hw/bahdanau.py"], "hw/bahdanau.py"),
    "dots": (["./bahdanau.py"], "./bahdanau.py"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_zip_is_read_like_a_folder(look, pack, name):
    names, expected = TAKEN[name]
    work = look(pack({n: WHERE % n for n in names}))
    assert work.status == "ready", work.note
    assert work.cells == ((WHERE % expected).encode(),)


@pytest.mark.parametrize(
    "name",
    [
        "../bahdanau.py",
        "a/../../bahdanau.py",
        "/bahdanau.py",
        "C:\\bahdanau.py",
        "..\\bahdanau.py",
        "venv/bahdanau.py",
        ".x/bahdanau.py",
        "bahdanau.py/",
        "a/" * 60 + "bahdanau.py",
    ],
)
def test_members_that_would_land_elsewhere_are_not_taken(look, pack, name):
    found, _, skipped = look(pack({name: "x", "hw.py": "y"})).note.partition("; skipped ")
    assert found == "found hw.py; expected bahdanau.py or bahdanau.ipynb"
    assert skipped in ("", "venv", ".x", "'..'", "..", "a/..")


def test_other_names_are_named(look, pack):
    work = look(pack({"hw/hw1.py": "1", "hw/notes.txt": ""}))
    assert (work.status, work.note) == (
        "missing",
        "found hw/hw1.py and hw/notes.txt; expected bahdanau.py or bahdanau.ipynb",
    )
    assert look(pack({})).note == "found no files; expected bahdanau.py or bahdanau.ipynb"


def test_hidden_members_are_not_even_named(look, pack):
    assert look(pack({".bahdanau.py": "1", "hw/._x.py": "1"})).note.startswith("found no files; ")


def test_of_two_members_with_one_name_the_later_counts(look):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as book:
        book.writestr("bahdanau.py", "old")
        with pytest.warns(UserWarning, match="Duplicate"):
            book.writestr("bahdanau.py", "new")
    assert look(data.getvalue()).cells == (b"new",)


def test_links_in_a_zip_are_not_followed(look):
    data = io.BytesIO()
    link = zipfile.ZipInfo("bahdanau.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(data, "w") as book:
        book.writestr(link, "/etc/passwd")
    work = look(data.getvalue())
    assert work.status == "missing"
    assert "is a link in the zip and is not followed" in work.note


@pytest.mark.parametrize("name", ["bahdanau.py", "bahdanau.ipynb"])
def test_a_bomb_is_unpacked_no_further_than_the_limit(look, pack, monkeypatch, name):
    unpacked = []
    real = zipfile.ZipExtFile.read

    def read_and_count(self, size=-1):
        unpacked.append(len(piece := real(self, size)))
        return piece

    monkeypatch.setattr(zipfile.ZipExtFile, "read", read_and_count)
    monkeypatch.setattr(reading, "LIMITS", {"script": 1_000_000, "notebook": 2_000_000})
    work = look(pack({name: bytes(30_000_000)}))
    assert work.status == "unreadable"
    assert "is larger than" in work.note
    assert sum(unpacked) < 2_200_000


def test_a_bomb_that_lies_about_its_size(look, pack):
    data = bytearray(pack({"bahdanau.py": bytes(30_000_000)}))
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    assert look(bytes(data)).note == "bahdanau.py is damaged in the zip"


def test_encrypted_members_are_unreadable(look, pack):
    data = bytearray(pack({"bahdanau.py": "x"}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    work = look(bytes(data))
    assert (work.status, work.note) == ("unreadable", "bahdanau.py is encrypted; hand it in without a password")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_bound_are_refused(look, pack, method):
    work = look(pack({"bahdanau.py": bytes(100_000)}, method))
    assert work.status == "unreadable"
    assert "make an ordinary zip" in work.note


def test_damage_is_unreadable(look, pack):
    data = bytearray(pack({"bahdanau.py": "x = 1\n" * 50}))
    data[45] ^= 0xFF
    work = look(bytes(data))
    assert (work.status, work.note) == ("unreadable", "bahdanau.py is damaged in the zip")


@pytest.mark.parametrize("data", [b"", b"PK", b"Rar!\x1a\x07", b"x = 1\n", b"PK\x05\x06" + bytes(18) + b"x" * 9])
def test_what_is_no_zip_is_unreadable(look, data):
    work = look(data)
    assert work.status in ("unreadable", "missing")
    if data[:4] != b"PK\x05\x06":
        assert work.status == "unreadable"
        assert work.note == ("ana.zip is not a zip archive that can be opened; expected bahdanau.py or bahdanau.ipynb")


def test_a_huge_table_of_contents_is_not_even_read(look, pack, monkeypatch):
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 3_000)
    assert look(pack({f"{n}.txt": "" for n in range(20)} | {"bahdanau.py": "x"})).status == "ready"
    work = look(pack({f"{n}.txt": "" for n in range(200)} | {"bahdanau.py": "x"}))
    assert work.status == "unreadable"
    assert "holds more than" in work.note


def test_too_many_members_are_refused(look, pack, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 10)
    assert "holds more than" in look(pack({f"{n}.txt": "" for n in range(11)})).note


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, 400))
def test_a_mutated_zip_never_crashes_the_reader(look, pack, changes, cut):
    data = bytearray(pack({"hw/bahdanau.py": "x = 1\n" * 9, "hw/bahdanau.ipynb": "{}", "hw/é\n.py": "y"}))
    for place, value in changes:
        data[place % len(data)] = value
    work = look(bytes(data[: len(data) - cut // 4]))
    assert work.status in ("ready", "missing", "unreadable")
    assert work.note.isprintable()
    assert (work.status == "ready") == bool(work.cells)
