"""Who submitted what: every layout of the contract, mixed ones, and names that are no students."""

from __future__ import annotations

import builtins
import json
import os
import shutil
from pathlib import Path

import pytest

from autograder.intake import IntakeError, discover, passed_over, read, without_outputs
from autograder.model import Entry
from autograder.runs.lock import hold

CODE = "x = 1\n"


def table(root: Path, entries: list[Entry]) -> dict[str, list[str]]:
    assert [entry.student for entry in entries] == sorted({entry.student for entry in entries})
    return {entry.student: [str(part.relative_to(root)) for part in entry.parts] for entry in entries}


METADATA = """\
submission_11:
  :submitters:
  - :name: Ana
    :sid: 007
    :email: ana@x.edu
  :created_at: 2024-02-01 10:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: Bob
    :sid:
    :email: bob@x.edu
  - :name: Cy
    :sid: 'c3'
    :email: cy@x.edu
submission_13:
  :submitters:
  - :name: Nobody
"""

LAYOUTS: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "folder": (["ana/bahdanau.py", "bob/"], {"ana": ["ana"], "bob": ["bob"]}),
    "files": (
        ["ana.py", "bob.ipynb", "cy.zip", "d.e.py", "F.PY"],
        {"F": ["F.PY"], "ana": ["ana.py"], "bob": ["bob.ipynb"], "cy": ["cy.zip"], "d.e": ["d.e.py"]},
    ),
    "a topic's name at the top is a student's": (["bahdanau.py"], {"bahdanau": ["bahdanau.py"]}),
    "nbgrader from the parent": (
        ["submitted/ana/bahdanau/bahdanau.ipynb", "submitted/ana/luong/bahdanau.py"],
        {"ana": ["submitted/ana/bahdanau"]},
    ),
    "nbgrader beside a course's own folders": (
        [
            "submitted/ana/bahdanau/bahdanau.ipynb",
            "source/bahdanau/bahdanau.ipynb",
            "release/bahdanau/bahdanau.ipynb",
            "autograded/ana/bahdanau/bahdanau.ipynb",
            "feedback/ana/bahdanau/bahdanau.html",
            "nbgrader_config.py",
            "gradebook.db",
        ],
        {"ana": ["submitted/ana/bahdanau"]},
    ),
    "nbgrader without this assignment": (
        ["submitted/ana/bahdanau/bahdanau.py", "submitted/bob/luong/bahdanau.py"],
        {"ana": ["submitted/ana/bahdanau"], "bob": []},
    ),
    "nbgrader mixed with folders and files": (
        ["submitted/ana/bahdanau/bahdanau.py", "submitted/cy.py", "submitted/eve/x/bahdanau.py", "bob/bahdanau.py"],
        {"ana": ["submitted/ana/bahdanau"], "bob": ["bob"], "cy": ["submitted/cy.py"], "eve": ["submitted/eve"]},
    ),
    "submitted holding plain folders": (
        ["submitted/ana/bahdanau.py", "submitted/bob/src/bahdanau.py"],
        {"ana": ["submitted/ana"], "bob": ["submitted/bob"]},
    ),
    "a student's own folder of the topic's name": (["ana/bahdanau/bahdanau.py", "ana/bahdanau.py"], {"ana": ["ana"]}),
    "canvas": (
        [
            "doejane_12345_67890_bahdanau.py",
            "roeann_LATE_22345_67891_bahdanau.py",
            "roeann_22345_67892_bahdanau-1.py",
            "roeann_LATE_22345_67880_bahdanau-2.ipynb",
            "polo_1_2_work.zip",
        ],
        {
            "doejane": ["doejane_12345_67890_bahdanau.py"],
            "polo": ["polo_1_2_work.zip"],
            "roeann": ["roeann_LATE_22345_67880_bahdanau-2.ipynb", "roeann_22345_67892_bahdanau-1.py"],
        },
    ),
    "canvas with one name for two people": (
        ["lee_1_10_bahdanau.py", "lee_LATE_2_11_bahdanau.py", "kim_3_12_bahdanau.py"],
        {"kim": ["kim_3_12_bahdanau.py"], "lee_1": ["lee_1_10_bahdanau.py"], "lee_2": ["lee_LATE_2_11_bahdanau.py"]},
    ),
    "canvas with several files": (
        ["lee_1_10_bahdanau.py", "lee_1_11_zeta.py", "lee_1_12_report.pdf", "lee_1_13_bahdanau.zip"],
        {"lee": ["lee_1_13_bahdanau.zip", "lee_1_12_report.pdf", "lee_1_11_zeta.py", "lee_1_10_bahdanau.py"]},
    ),
    "canvas with ten resubmissions": (
        ["lee_1_10_bahdanau-9.py", "lee_1_11_bahdanau-10.py"],
        {"lee": ["lee_1_11_bahdanau-10.py"]},
    ),
    "canvas with another name": (["lee_1_10_hw-1.py", "lee_1_11_hw.py"], {"lee": ["lee_1_10_hw-1.py"]}),
    "canvas with another assignment's file": (["lee_1_10_luong.py"], {"lee": ["lee_1_10_luong.py"]}),
    "canvas, graded anonymously": (
        ["anon_x7Gq2_10_bahdanau.py", "anon_x7Gq2_11_notes.pdf", "LATE_anon_B2kk1_12_bahdanau-1.ipynb"],
        {
            "anon_B2kk1": ["LATE_anon_B2kk1_12_bahdanau-1.ipynb"],
            "anon_x7Gq2": ["anon_x7Gq2_11_notes.pdf", "anon_x7Gq2_10_bahdanau.py"],
        },
    ),
    "moodle with folders": (
        [
            "Ana Lima_4711_assignsubmission_file/bahdanau.py",
            "Ana Lima_4711_assignsubmission_onlinetext/onlinetext.html",
            "Group B-Bo Ek_12_assignsubmission_file_/bahdanau.py",
            "Participant_7_assignsubmission_onlinetext/onlinetext.html",
        ],
        {
            "Ana Lima_4711": ["Ana Lima_4711_assignsubmission_file", "Ana Lima_4711_assignsubmission_onlinetext"],
            "Group B-Bo Ek_12": ["Group B-Bo Ek_12_assignsubmission_file_"],
            "Participant_7": ["Participant_7_assignsubmission_onlinetext"],
        },
    ),
    "moodle without folders": (
        [
            "Ana Lima_4711_assignsubmission_file_bahdanau.py",
            "Ana Lima_4711_assignsubmission_file_my_notes_2.py",
            "Bo Ek_12_assignsubmission_onlinetext.html",
        ],
        {
            "Ana Lima_4711": [
                "Ana Lima_4711_assignsubmission_file_bahdanau.py",
                "Ana Lima_4711_assignsubmission_file_my_notes_2.py",
            ],
            "Bo Ek_12": ["Bo Ek_12_assignsubmission_onlinetext.html"],
        },
    ),
    "canvas with no work": (
        ["lee_1_10_report.docx", "kim_2_text.html", "roe_3_11_bahdanau.py", "grades_2024_11_20.csv"],
        {"kim": ["kim_2_text.html"], "lee": ["lee_1_10_report.docx"], "roe": ["roe_3_11_bahdanau.py"]},
    ),
    "several entries of one student": (
        ["ana/bahdanau.py", "ana.zip", "ana.ipynb", "ana.py", "ana_5_6_bahdanau.py", "Zoe/bahdanau.py", "b.py"],
        {"Zoe": ["Zoe"], "b": ["b.py"], "ana": ["ana", "ana_5_6_bahdanau.py", "ana.py", "ana.ipynb", "ana.zip"]},
    ),
    "no students": (
        [
            "ana.py",
            "README.txt",
            "notes.txt",
            "grades.csv",
            "grades_2024_11_20.csv",
            "photo_2024_11_20.png",
            ".DS_Store",
            "._bob.py",
            ".git/x.py",
            "__MACOSX/eve.py",
            "__pycache__/a.py",
            "myenv/pyvenv.cfg",
            "venv/x.py",
            ".ipynb_checkpoints/ana.ipynb",
        ],
        {"ana": ["ana.py"]},
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(plant, name):
    files, expected = LAYOUTS[name]
    root = plant(dict.fromkeys(files, CODE))
    assert table(root, discover(root, "bahdanau")) == expected


def test_given_the_folder_submitted_itself(plant):
    root = plant({"submitted/ana/bahdanau/bahdanau.py": CODE, "submitted/ana/luong/bahdanau.py": CODE})
    assert table(root, discover(root / "submitted", "bahdanau")) == {"ana": ["submitted/ana/bahdanau"]}


def test_forced_nbgrader_needs_no_name(plant):
    root = plant({"ana/bahdanau/bahdanau.py": CODE, "bob/hw.py": CODE})
    entries = discover(root, "bahdanau", "nbgrader")
    assert table(root, entries) == {"ana": ["ana/bahdanau"], "bob": []}
    assert read(entries[1], "bahdanau").status == "missing"
    assert "no folder bahdanau in bob" in read(entries[1], "bahdanau").note


def test_gradescope(plant):
    files = {f"submission_{n}/bahdanau.py": CODE for n in (11, 12, 13, 14)}
    root = plant({**files, "submission_metadata.yml": METADATA, "zoe.py": CODE})
    assert table(root, discover(root, "bahdanau")) == {
        "007": ["submission_11"],
        "bob@x.edu": ["submission_12"],
        "c3": ["submission_12"],
        "submission_13": ["submission_13"],
        "submission_14": ["submission_14"],
        "zoe": ["zoe.py"],
    }


GROUP = "{}:\n  :submitters:\n  - :sid: a\n  {}\n"


@pytest.mark.parametrize(
    ("times", "latest"),
    [
        ({"2": "2024-02-01 10:00:00.5 Z", "10": "2024-01-01 10:00:00 Z"}, "2"),
        ({"2": "2024-02-01 10:00:00 -07:00", "10": "2024-02-01 16:00:00 Z"}, "2"),
        ({"2": "", "10": ""}, "10"),
        ({"2": "", "3": ""}, "3"),
        ({"2": "rubbish", "10": "rubbish"}, "10"),
        ({"2": "2024-02-01", "10": "", "99": "2025-01-01"}, "2"),  # 99 is not in the export
    ],
)
def test_gradescope_takes_the_latest_of_one_student(plant, times, latest):
    text = "".join(GROUP.format(f"submission_{n}", f":created_at: {t}") for n, t in times.items())
    root = plant({f"submission_{n}/bahdanau.py": CODE for n in times if n != "99"} | {"submission_metadata.yml": text})
    assert table(root, discover(root, "bahdanau")) == {"a": [f"submission_{latest}"]}


def test_gradescope_reports_submissions_that_the_export_lacks(plant):
    root = plant({"submission_metadata.yml": METADATA, "submission_12/bahdanau.py": CODE})
    entries = {entry.student: entry for entry in discover(root, "bahdanau")}
    assert entries["007"].parts == ()
    work = read(entries["007"], "bahdanau")
    assert work.status == "missing"
    assert "submission_11" in work.note


@pytest.mark.parametrize(
    "text", ["a: [", "- 1\n- 2\n", "? [a]\n: 1\n", "a: *x", b"\xff\xfe\x00", "a: \x01", "[" * 3000]
)
def test_gradescope_with_broken_metadata_says_so(plant, text):
    root = plant({"submission_metadata.yml": text, "submission_1/bahdanau.py": CODE})
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml .*download the export again"):
        discover(root, "bahdanau")


@pytest.mark.parametrize("text", ["", "a: 1", "a: {':submitters': [1, [], {':sid': []}]}", "../x: {':submitters': []}"])
def test_gradescope_with_odd_metadata_still_lists_the_folders(plant, text):
    root = plant({"submission_metadata.yml": text, "submission_1/bahdanau.py": CODE})
    assert "submission_1" in table(root, discover(root, "bahdanau"))


def test_gradescope_metadata_execute_nothing(plant, tmp_path):
    trap = tmp_path / "trap"
    text = f"submission_1:\n  :submitters:\n  - :sid: !!python/object/apply:os.mkdir ['{trap}']\n"
    root = plant({"submission_metadata.yml": text, "submission_1/bahdanau.py": CODE})
    discover(root, "bahdanau")
    assert not trap.exists()


def test_without_metadata_gradescope_folders_are_students(plant):
    root = plant({"submission_1/bahdanau.py": CODE})
    assert table(root, discover(root, "bahdanau")) == {"submission_1": ["submission_1"]}


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("folder", {"ana": ["ana"]}),
        ("files", {"bob": ["bob.docx"], "lee_1_2_bahdanau": ["lee_1_2_bahdanau.py"]}),
        ("canvas", {"lee": ["lee_1_2_bahdanau.py"]}),
    ],
)
def test_a_forced_layout_sees_nothing_else(plant, layout, expected):
    names = ["ana/bahdanau.py", "lee_1_2_bahdanau.py", "bob.docx", "README.md"]
    root = plant(dict.fromkeys(names, CODE))
    assert table(root, discover(root, "bahdanau", layout)) == expected


@pytest.mark.parametrize(
    ("layout", "files"),
    [
        ("folder", ["a.py"]),
        ("files", ["ana/bahdanau.py"]),
        ("nbgrader", ["ana/luong/bahdanau.py"]),
        ("gradescope", ["submission_1/bahdanau.py"]),
        ("canvas", ["ana.py"]),
        ("auto", ["notes.txt"]),
        ("auto", []),
    ],
)
def test_a_layout_that_does_not_fit_is_an_error(plant, layout, files):
    with pytest.raises(IntakeError, match=r"^\S+ holds no submissions: expected [^\n]+$"):
        discover(plant(dict.fromkeys(files, CODE)), "bahdanau", layout)


def test_what_is_no_folder_is_an_error(plant, tmp_path):
    with pytest.raises(IntakeError, match="does not exist"):
        discover(tmp_path / "nowhere", "bahdanau")
    with pytest.raises(IntakeError, match="is not a folder"):
        discover(plant({"ana.py": CODE}) / "ana.py", "bahdanau")
    with pytest.raises(IntakeError, match="no layout blackboard: use one of auto, "):
        discover(tmp_path, "bahdanau", "blackboard")


def test_discover_opens_no_submission(plant, monkeypatch):
    root = plant(
        {"a/bahdanau.py": CODE, "b.py": CODE, "c.zip": CODE, "l_1_2_x.py": CODE, "submission_metadata.yml": ""}
    )
    opened = []
    monkeypatch.setattr(builtins, "open", lambda *a, **k: opened.append(a))
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *a, **k: (opened.append(path), real(path, *a, **k))[1])
    discover(root, "bahdanau")
    assert opened == [str(root / "submission_metadata.yml")]


def test_names_that_are_not_utf8_make_distinct_ids_that_json_and_csv_can_carry(plant):
    root = plant({"plain.py": CODE, "a\\xff.py": CODE, "new\nline.py": CODE})
    for name in (b"a\xff.py", b"\xfe/"):
        raw = os.fsencode(root) + b"/" + name
        (os.mkdir if name.endswith(b"/") else lambda p: os.close(os.open(p, os.O_CREAT)))(raw)
    entries = discover(root, "bahdanau")
    ids = [entry.student for entry in entries]
    assert ids == sorted(ids) == ["\\xfe", "a\\xff", "a\\xff~2", "new\nline", "plain"]
    assert json.dumps(ids, ensure_ascii=False).encode("utf-8")
    works = [read(entry, "bahdanau") for entry in entries]
    assert [work.status for work in works] == ["missing", "ready", "ready", "ready", "ready"]
    assert all(work.filename.isprintable() and work.note.isprintable() for work in works)


def test_links_at_the_top_are_students_without_a_usable_file(plant):
    root = plant({"bob/bahdanau.py": CODE, "bob.py": CODE})
    (root / "eve").symlink_to(root / "bob")
    (root / "mal.py").symlink_to(root / "bob.py")
    (root / "gone.py").symlink_to(root / "nowhere")
    (root / "round.py").symlink_to(root / "round.py")
    works = {entry.student: read(entry, "bahdanau") for entry in discover(root, "bahdanau")}
    assert {name: work.status for name, work in works.items()} == {
        "bob": "ready",
        "eve": "missing",
        "gone": "missing",
        "mal": "missing",
        "round": "missing",
    }
    assert "is a link and is not followed" in works["eve"].note


def test_a_link_in_a_circle_does_no_harm(plant):
    root = plant({"submitted/ana/bahdanau/bahdanau.py": CODE})
    (root / "submitted" / "submitted").symlink_to(root / "submitted")
    expected = {"ana": ["submitted/ana/bahdanau"], "submitted": ["submitted/submitted"]}
    assert table(root, discover(root, "bahdanau")) == expected


def test_a_link_in_place_of_an_nbgrader_students_folder_is_not_followed(plant):
    root = plant({"submitted/bob/bahdanau/bahdanau.py": CODE})
    (root / "submitted" / "eve").symlink_to(root / "submitted" / "bob")
    works = {entry.student: read(entry, "bahdanau").status for entry in discover(root, "bahdanau")}
    assert works == {"bob": "ready", "eve": "missing"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_may_not_be_listed_is_an_error(plant):
    root = plant({"ana.py": CODE})
    root.chmod(0)
    try:
        with pytest.raises(IntakeError, match="cannot be listed"):
            discover(root, "bahdanau")
    finally:
        root.chmod(0o700)


def test_output_folders_are_no_submissions(plant):
    root = plant(
        {
            "ana/bahdanau.py": "x = 1",
            "last week/journal.sqlite": "",
            "last week/results/": "",
            "last week/grades.csv": "",
            "chen/journal.sqlite": "",  # names alone make no output folder
            "chen/results/": "",
            "new/bahdanau.py": "x = 1",  # the folder that this run writes into
            "bo/journal.sqlite": "",  # a student may hand in files with such names
            "bo/results/": "",
            "bo/bahdanau.py": "x = 1",
        }
    )
    hold(root / "last week").release()
    shutil.copytree(root / "last week", root / "dora")  # nor does a copy of the mark
    (root / "eve").symlink_to(root / "last week")
    (root / "mal").symlink_to(root / "new")
    entries, outputs = without_outputs(discover(root, "bahdanau"), root / "new")
    assert [entry.student for entry in entries] == ["ana", "bo", "chen", "dora", "eve", "mal"]
    assert [entry.student for entry in outputs] == ["last week", "new"]


def test_a_student_keeps_the_file_beside_an_output_folder_of_the_same_name(plant):
    root = plant({"ana.py": CODE, "ana/": ""})
    ((entry,), (output,)) = without_outputs(discover(root, "bahdanau"), root / "ana")
    assert (entry.parts, output.parts) == ((root / "ana.py",), (root / "ana",))


def test_a_linked_out_is_no_submission(plant):
    root = plant({"ana.py": CODE})
    (root.parent / "out").mkdir()
    (root / "out").symlink_to(root.parent / "out")
    entries, outputs = without_outputs(discover(root, "bahdanau"), root / "out")
    assert ([one.student for one in entries], [one.student for one in outputs]) == (["ana"], ["out"])


def test_what_is_nobodys_is_named(plant):
    root = plant(
        {
            **{f"{name}/bahdanau.py": CODE for name in ("ana", ".git", "__MACOSX", "env", "grades.csv", "source")},
            "venv/lib/python3.12/bahdanau.py": CODE,
            **dict.fromkeys((".bo.py", "._ana.py", ".DS_Store", "chen.rar", "roster.csv"), ""),
        }
    )
    assert [entry.student for entry in discover(root, "bahdanau")] == ["ana", "grades.csv", "source"]
    expected = [".bo.py", ".git", "__MACOSX", "chen.rar", "env", "roster.csv", "venv"]
    assert passed_over(root, "bahdanau") == expected
