"""The path that a student or a TA names for ``attngrade check``."""

from __future__ import annotations

import os

import pytest

from autograder.assignments import NAMES
from autograder.intake import IntakeError, open_path


def shape(found):
    return [(assignment, work.status, work.cells) for assignment, work in found]


@pytest.mark.parametrize(
    ("name", "assignment", "expected"),
    [
        ("bahdanau.py", None, "bahdanau"),
        ("Self-Attention (1).py", None, "self_attention"),
        ("seq2seq-3.py", None, "seq2seq"),
        ("hw1.py", "luong", "luong"),
        ("solution.txt", "luong", "luong"),
        ("bahdanau.py", "luong", "luong"),
    ],
)
def test_a_file_is_one_submission(plant, name, assignment, expected):
    root = plant({name: "x = 1"})
    assert shape(open_path(root / name, assignment)) == [(expected, "ready", (b"x = 1",))]


def test_a_link_to_a_file_is_followed_since_a_person_named_it(plant):
    root = plant({"else/code.py": "x = 1"})
    (root / "bahdanau.py").symlink_to(root / "else/code.py")
    assert shape(open_path(root / "bahdanau.py")) == [("bahdanau", "ready", (b"x = 1",))]


def test_a_broken_notebook_is_returned_as_unreadable(plant):
    ((assignment, work),) = open_path(plant({"luong.ipynb": "{"}) / "luong.ipynb")
    assert (assignment, work.status, work.student) == ("luong", "unreadable", "luong")


def test_a_fifo_does_not_hang(plant):
    root = plant({})
    os.mkfifo(root / "luong.py")
    ((_, work),) = open_path(root / "luong.py")
    assert work.status == "unreadable"


def test_a_folder_gives_all_assignments_in_order(plant):
    root = plant({"seq2seq/seq2seq.py": "s", "bahdanau/bahdanau.py": "b", "x/Masking.py": "m", "x/other.py": "o"})
    assert shape(open_path(root)) == [
        ("bahdanau", "ready", (b"b",)),
        ("masking", "ready", (b"m",)),
        ("seq2seq", "ready", (b"s",)),
    ]
    assert shape(open_path(root, "masking")) == [("masking", "ready", (b"m",))]


def test_a_zip_is_opened_like_a_folder(plant, pack):
    root = plant({"work.zip": pack({"a/luong.py": "l", "a/bahdanau.py": "b"})})
    assert shape(open_path(root / "work.zip")) == [("bahdanau", "ready", (b"b",)), ("luong", "ready", (b"l",))]


def test_the_current_folder(plant, monkeypatch):
    root = plant({"ana/luong.py": "l"})
    monkeypatch.chdir(root / "ana")
    ((_, work),) = open_path(type(root)("."))
    assert work.student == "ana"


def test_several_look_alikes_in_a_folder_are_reported(plant):
    found = open_path(plant({"luong.py": "l", "masking (1).py": "a", "masking (2).py": "b"}))
    assert [(assignment, work.status) for assignment, work in found] == [("luong", "ready"), ("masking", "missing")]
    assert "keep one, and name it so" in found[1][1].note


@pytest.mark.parametrize(
    ("name", "assignment", "words"),
    [
        ("nothing.py", None, "does not exist: check the spelling"),
        ("luong.py", None, "luong.py does not exist: use "),  # the one in the folder luong
        ("hw1.py", None, "use --assignment NAME, one of bahdanau, "),
        ("empty", None, "expected ASSIGNMENT.py or ASSIGNMENT.ipynb, one of bahdanau, "),
        ("empty", "luong", "found x.py; expected luong.py or luong.ipynb"),
        ("bad.zip", None, "bad.zip is not a zip archive"),
        ("none.zip", "luong", "found no files; expected luong.py"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_sentence(plant, pack, name, assignment, words):
    root = plant({"hw1.py": "", "luong/luong.py": "", "empty/x.py": "", "bad.zip": "no", "none.zip": pack({})})
    with pytest.raises(IntakeError) as caught:
        open_path(root / name, assignment)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_bad_zip_of_a_known_assignment_is_returned_as_unreadable(plant):
    ((assignment, work),) = open_path(plant({"bad.zip": "no"}) / "bad.zip", NAMES[0])
    assert (assignment, work.status) == (NAMES[0], "unreadable")
