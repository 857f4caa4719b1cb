"""Which file of a student counts, its note, and that bad files do no harm."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.assignments import NAMES
from autograder.intake import discover, files, read, reading, tree
from autograder.intake.names import rank, shown
from autograder.model import Entry


def notebook(*sources, **more) -> str:
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"cells": cells, "nbformat": 4, **more})


def content(name: str) -> str:
    """A file that says where it is."""
    return notebook(f"FILE = {name!r}") if name.endswith(".ipynb") else f"FILE = {name!r}"


def look(plant, names, assignment="bahdanau"):
    root = plant({f"ana/{name}": content(name) for name in names} | {"ana/": ""})
    return read(Entry("ana", (root / "ana",)), assignment)


TAKEN = {
    "the file": (["bahdanau.py"], "bahdanau.py"),
    "a notebook": (["bahdanau.ipynb"], "bahdanau.ipynb"),
    "py before ipynb": (["bahdanau.ipynb", "bahdanau.py"], "bahdanau.py"),
    "deep": (["a/b/c/d/bahdanau.py"], "a/b/c/d/bahdanau.py"),
    "shallowest": (["a/bahdanau.py", "b/bahdanau.py", "z/y/bahdanau.py", "a/a/bahdanau.py"], "a/bahdanau.py"),
    "shallow before py": (["a/bahdanau.py", "bahdanau.ipynb"], "bahdanau.ipynb"),
    "exact before look-alike": (["bahdanau (1).py", "Bahdanau.py", "a/b/bahdanau.ipynb"], "a/b/bahdanau.ipynb"),
    "not another assignment's": (["luong/bahdanau.py", "x/bahdanau.ipynb"], "x/bahdanau.ipynb"),
    "look-alike": (["x/bahdanau (1).py", "hw1.py"], "x/bahdanau (1).py"),
    "skipped look-alikes": (["bahdanau-2.py", ".old/bahdanau-1.py", ".bahdanau.py"], "bahdanau-2.py"),
    "a venv right at the top": (["pyvenv.cfg", "lib/bahdanau.py", "src/x/bahdanau.py"], "src/x/bahdanau.py"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_file_that_counts(plant, name):
    names, expected = TAKEN[name]
    work = look(plant, names)
    assert work.status == "ready", work.note
    assert work.cells == (f"FILE = {expected!r}".encode(),)
    assert work.kind == ("notebook" if expected.endswith(".ipynb") else "script")
    assert work.filename == expected.rpartition("/")[2]
    assert work.student == "ana"


SKIPPED = {
    ".git/bahdanau.py": ".git",
    ".bahdanau.py": ".bahdanau.py",
    "__MACOSX/bahdanau.py": "__MACOSX",
    "__pycache__/bahdanau.py": "__pycache__",
    ".ipynb_checkpoints/bahdanau.ipynb": ".ipynb_checkpoints",
    "venv/bahdanau.py": "venv",
    "env/bahdanau.py": "env",
    ".venv/bahdanau.py": ".venv",
    "node_modules/a/bahdanau.py": "node_modules",
    "lib/python3.11/site-packages/bahdanau.py": "lib/python3.11/site-packages",
}


@pytest.mark.parametrize("name", SKIPPED)
def test_tools_folders_are_skipped_and_named(plant, name):
    work = look(plant, [name])
    note = f"found no files; expected bahdanau.py or bahdanau.ipynb; skipped {SKIPPED[name]}"
    assert (work.status, work.note) == ("missing", note)


def test_virtual_environments_are_known_by_their_mark(plant):
    assert look(plant, ["mine/pyvenv.cfg", "mine/bahdanau.py", "mine/x/bahdanau.py"]).status == "missing"


LOOK_ALIKES = {
    "bahdanau": [
        "bahdanau (1).py",
        "bahdanau(12).ipynb",
        "Bahdanau.py",
        "BAHDANAU.PY",
        "bahdanau-2.py",
        "bahdanau_copy.ipynb",
        "bahdanau - Copy.py",
        "bahdanau - Copy (2).py",
        "Copy of bahdanau.ipynb",
        "bahdanau_v2.py",
        "bahdanau_final.py",
        "bahdanau .py",
        "bahdanau.py.py",
    ],
    "self_attention": ["self-attention.py", "SelfAttention.ipynb", "Self Attention (1).py"],
    "seq2seq": ["Seq2Seq.py", "seq2seq-1.py"],
}
OTHERS = {
    "bahdanau": [
        "hw1.py",
        "my_bahdanau.py",
        "test_bahdanau.py",
        "bahdanau_old.py",
        "bahdanau_helpers.py",
        "bahdanau.txt",
        "bahdanau",
        "luong.py",
        "bahdanau.pyc",
        "bahdana.py",
    ],
    "self_attention": ["attention.py", "selfattn.py"],
    "seq2seq": ["seq3seq.py", "seq.py"],
}


@pytest.mark.parametrize(("assignment", "name"), [(t, n) for t, names in LOOK_ALIKES.items() for n in names])
def test_a_look_alike_is_taken_with_a_word(plant, assignment, name):
    work = look(plant, [name, "readme.md"], assignment)
    assert work.status == "ready"
    end = ".ipynb" if "ipynb" in name else ".py"
    assert work.note == f"took '{name}', the only look-alike of {assignment}{end}"


@pytest.mark.parametrize(("assignment", "name"), [(t, n) for t, names in OTHERS.items() for n in names])
def test_another_name_is_named_and_not_taken(plant, assignment, name):
    work = look(plant, [name], assignment)
    assert work.status == "missing"
    assert work.note == f"found {name}; expected {assignment}.py or {assignment}.ipynb"
    assert work.cells == ()


def test_no_topics_name_looks_like_another_topic():
    assert {(a, b) for a in NAMES for b in NAMES if rank(f"{a}.py", b) != "other"} == {(t, t) for t in NAMES}


def test_several_look_alikes_are_listed_and_none_is_used(plant):
    work = look(plant, ["bahdanau (1).py", "x/Bahdanau.py"])
    assert work.status == "missing"
    assert work.note == (
        "found 'bahdanau (1).py' and x/Bahdanau.py; expected bahdanau.py or bahdanau.ipynb; keep one, and name it so"
    )


def test_code_is_named_before_other_files_and_lists_stay_short(plant):
    names = [f"a{n}.txt" for n in range(9)] + ["hw.py"]
    note = look(plant, names).note
    assert note.startswith("found hw.py, a0.txt, ")
    assert note.endswith("and 5 more; expected bahdanau.py or bahdanau.ipynb")


def test_a_file_beside_the_one_taken_is_mentioned(plant):
    assert look(plant, ["bahdanau.py", "bahdanau.ipynb"]).note == "took bahdanau.py and not bahdanau.ipynb"


def test_notes_are_one_printable_line(plant):
    work = look(plant, ["evil\n\x1b[31m\u202ename.py", "x" * 200 + ".py"])
    assert work.note.isprintable()
    assert "evil\\n\\x1b[31m\\u202ename.py" in work.note
    assert len(work.note) < 450
    assert "x" * 100 not in work.note


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_shown_is_always_printable_and_utf8(text):
    assert shown(text).isprintable()
    assert shown(text).encode("utf-8") or not text


# ---------------------------------------------------------------- over several parts


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["ana/bahdanau.py", "ana.py"], "ana/bahdanau.py"),
        (["ana/hw.py", "ana.py"], "ana.py"),
        (["ana/Bahdanau.py", "ana.py"], "ana.py"),
        (["ana/hw.py", "ana.py", "ana.ipynb"], "ana.py"),
        (["ana.ipynb", "ana/"], "ana.ipynb"),
    ],
)
def test_the_best_of_one_students_parts(plant, files, expected):
    root = plant({name: content(name) for name in files})
    (entry,) = discover(root, "bahdanau")
    assert read(entry, "bahdanau").cells == (f"FILE = {expected!r}".encode(),)


WORK = "def stable_softmax(scores, dim=-1):\n    return scores\n"


def test_canvas_notes_reach_the_student(plant):
    files = ["lee_1_2_work.py", "kim_2_3_Bahdanau.py", "roe_3_4_a.py", "roe_3_5_b.py", "poe_4_5_luong.py"]
    root = plant(dict.fromkeys(files, WORK))
    works = {entry.student: read(entry, "bahdanau") for entry in discover(root, "bahdanau")}
    assert works["lee"].note == "took 'work.py', the only file that defines a name of bahdanau"
    assert works["kim"].note == "took 'Bahdanau.py', the only look-alike of bahdanau.py"
    assert (works["roe"].status, works["poe"].status) == ("missing", "missing")
    assert works["roe"].note == "found a.py and b.py; expected bahdanau.py or bahdanau.ipynb; keep one, and name it so"


# ---------------------------------------------------------------- what cannot be read


def test_bytes_of_a_script_are_not_touched(plant):
    data = b"\xef\xbb\xbf# -*- coding: latin-1 -*-\r\n%magic\x00\xff"
    root = plant({"ana.py": data})
    assert read(Entry("ana", (root / "ana.py",)), "bahdanau").cells == (data,)


def test_an_empty_file_is_ready(plant):
    root = plant({"ana.py": b""})
    work = read(Entry("ana", (root / "ana.py",)), "bahdanau")
    assert (work.status, work.cells) == ("ready", (b"",))


def test_links_inside_are_followed_and_links_out_are_not(plant, tmp_path):
    secret = tmp_path / "subsecret"
    secret.mkdir()
    (secret / "bahdanau.py").write_text("SECRET")
    root = plant({"in/src/code.py": "INSIDE", "in/bahdanau.py": Path("src/code.py"), "out/x.py": "1", "dir/x.py": "1"})
    (root / "out" / "bahdanau.py").symlink_to(secret / "bahdanau.py")
    (root / "dir" / "sub").symlink_to(secret)
    (root / "sneak").mkdir()
    (root / "sneak" / "bahdanau.py").symlink_to("../sneaky/bahdanau.py")
    (root / "sneaky").mkdir()
    (root / "sneaky" / "bahdanau.py").write_text("NEIGHBOUR")
    (root / "chain").mkdir()
    (root / "chain" / "a").symlink_to(secret)
    (root / "chain" / "bahdanau.py").symlink_to("a/bahdanau.py")
    works = {name: read(Entry(name, (root / name,)), "bahdanau") for name in ("in", "out", "dir", "sneak", "chain")}
    assert works.pop("in").cells == (b"INSIDE",)
    assert {work.status for work in works.values()} == {"missing"}
    assert works["out"].note.startswith("bahdanau.py is a link that leaves the folder and is not followed")


def test_broken_links_circles_and_folders_in_place_of_files(plant):
    root = plant({"a/x.py": "1", "b/bahdanau.py/": "", "c/bahdanau.py/bahdanau.py": "DEEP"})
    (root / "a" / "bahdanau.py").symlink_to("nowhere.py")
    (root / "a" / "bahdanau.ipynb").symlink_to("bahdanau.ipynb")
    (root / "a" / "loop").symlink_to(".")
    assert read(Entry("a", (root / "a",)), "bahdanau").status == "missing"
    assert read(Entry("b", (root / "b",)), "bahdanau").status == "missing"
    assert read(Entry("c", (root / "c",)), "bahdanau").cells == (b"DEEP",)


def test_a_fifo_or_a_socket_does_not_hang(plant, tmp_path, monkeypatch):
    root = plant({"a/": "", "b/bahdanau.ipynb": content("bahdanau.ipynb"), "c/": ""})
    for name in ("a/bahdanau.py", "b/bahdanau.py", "eve.py"):
        os.mkfifo(root / name)
    monkeypatch.chdir(root / "c")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("bahdanau.py")
        works = {entry.student: read(entry, "bahdanau") for entry in discover(root, "bahdanau")}
    assert {name: work.status for name, work in works.items()} == {
        "a": "unreadable",
        "b": "ready",
        "c": "unreadable",
        "eve": "unreadable",
    }
    assert works["a"].note == "bahdanau.py is not a regular file; expected bahdanau.py or bahdanau.ipynb"


def test_a_part_that_has_gone_is_missing(plant):
    work = read(Entry("ana", (plant({}) / "ana",)), "bahdanau")
    assert work.status == "missing"
    assert "ana cannot be found" in work.note


@pytest.mark.parametrize("name", ["bahdanau.py", "bahdanau.ipynb"])
def test_a_file_over_the_limit_is_unreadable(plant, monkeypatch, name):
    monkeypatch.setattr(reading, "LIMITS", {"script": 1_000_000, "notebook": 1_000_000})
    work = look(plant, [])
    root = plant({})
    with (root / "ana" / name).open("wb") as file:
        file.truncate(5_000_000_000)  # sparse
    work = read(Entry("ana", (root / "ana",)), "bahdanau")
    assert (work.status, work.note) == ("unreadable", f"{name} is larger than 1 MB")


def test_the_walk_is_bounded(plant, monkeypatch):
    monkeypatch.setattr(tree, "MAX_ENTRIES", 50)
    names = [f"data/{n:03}.txt" for n in range(80)]
    work = look(plant, [*names, "z/bahdanau.py"])
    assert work.status == "missing"
    assert "looked at the first 50 entries only" in work.note
    assert look(plant, [*names, "bahdanau.py"]).status == "ready"  # the shallowest are seen first


def test_a_very_deep_folder_does_no_harm(plant, monkeypatch):
    root = plant({"ana/": ""})
    monkeypatch.chdir(root / "ana")
    for _ in range(25):  # longer together than any path may be
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    assert read(Entry("ana", (root / "ana",)), "bahdanau").status == "missing"


def test_what_the_system_forbids_is_unreadable(plant, monkeypatch):
    root = plant({"ana/bahdanau.py": "1", "bob/x.py": "1", "cy/sub/bahdanau.py": "1"})

    def refuse(real, ends):
        def call(path, *args, **kwargs):
            if str(path).endswith(ends):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **kwargs)

        return call

    # As root no mode forbids anything, so the system's answer is given in its place.
    monkeypatch.setattr(files.os, "open", refuse(os.open, "bahdanau.py"))
    monkeypatch.setattr(tree.os, "scandir", refuse(os.scandir, ("bob", "sub")))
    works = {name: read(Entry(name, (root / name,)), "bahdanau") for name in ("ana", "bob", "cy")}
    assert {name: work.status for name, work in works.items()} == {
        "ana": "unreadable",
        "bob": "unreadable",
        "cy": "missing",
    }
    assert works["ana"].note == "bahdanau.py cannot be opened: permission denied"
    assert works["bob"].note == "bob cannot be opened: permission denied; expected bahdanau.py or bahdanau.ipynb"
    assert "the folder sub cannot be opened" in works["cy"].note


def test_the_digest_is_of_the_work_and_not_of_the_student(plant):
    one, two = notebook("ab", "c"), notebook("a", "bc")
    same, book = notebook(["a"], "bc", metadata={"x": 1}), notebook("abc")
    contents = {"a.ipynb": one, "b.ipynb": two, "c.ipynb": same, "d.ipynb": book, "e.py": "abc", "f.py": "abc"}
    root = plant(contents)
    digest = {e.student: read(e, "bahdanau").digest for e in discover(root, "bahdanau")}
    assert all(len(value) == 64 for value in digest.values())
    assert digest["b"] == digest["c"]
    assert digest["e"] == digest["f"]
    assert len(set(digest.values())) == 4
