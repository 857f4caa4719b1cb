"""``attngrade feedback``: what goes back to students, and what never does."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from autograder import assignments, model
from autograder.feedback import shown
from autograder.runs import history, people, results
from autograder.runs.run_folder import RunFolder
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import FORMULA, write_run
from tests.integrations.made_grades import grade, outcome

HIDDEN = next(check for check in assignments.load("luong", True).checks if check.visibility == "hidden")
CHECKS = (
    outcome("values", "failed", 10.0, 50.0, part="luong_score", message="got <b>1</b>, expected 2", hint="Look again."),
    outcome(
        HIDDEN.id,
        "failed",
        0.0,
        50.0,
        part="LuongAttention",
        visibility="hidden",
        title=HIDDEN.title,
        message="The scale is missing.",
        diagnosis="missing-scale",
        hint="Divide.",
    ),
)
GIVEN = model.Decision("ana", "adjust", HIDDEN.id, 5.0, reason="well tried", by="Kim", at="2026-02-01T10:00:00Z")
CLASS = (
    grade("ana", CHECKS, decisions=(GIVEN,), adjustment=5.0, final_score=15.0, lms_id="41", lms_upload="9001"),
    grade("bo", [outcome("values", "passed", 100.0, 100.0)], name="Bo <Li>", lms_id="42"),
    grade("chen", (), status="missing", score=0.0, message="found notes.txt"),
    grade("inf", (), status="infrastructure-error", score=None, message="at /our/own/path"),
    grade(FORMULA, CHECKS),
)


class Text(HTMLParser):
    """The text of a page, and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write_run(tmp_path / "out", CLASS)


def files(out: Path, student: str) -> dict[str, str]:
    """A student's files as text, by their kind."""
    name = results.file_name(student)
    page, text = ((out / "feedback" / f"{name}{suffix}").read_text() for suffix in (".html", ".md"))
    return {"html": Text(page).text, "md": text}


def view(out: Path, **facts: object) -> None:
    """Note what students may see, as ``grade`` does."""
    folder = RunFolder(out, "luong", resume=True)
    folder.set_rules(view=replace(model.StudentView(), **facts))
    folder.close()


def test_each_student_gets_a_page_and_a_text_with_the_mark_and_what_to_mend(out: Path, run: Run) -> None:
    done = run("feedback", out)
    assert (done.status, done.out) == (0, f"4 students: {out / 'feedback'}\n")
    assert "no feedback for 1 whom the grader failed; grade them again: inf" in done.err
    names = {f"{results.file_name(one)}{end}" for one in ("ana", "bo", "chen", FORMULA) for end in (".html", ".md")}
    assert {path.name for path in (out / "feedback").iterdir()} == names
    for text in files(out, "ana").values():
        for words in (
            "15.00",
            "100",
            "luong_score",
            "Look again.",
            "The scale is missing.",
            "+5 points for",
            "costs 40",
        ):
            assert words in text.replace("\\_", "_"), words
    assert "Bo <Li>" in files(out, "bo")["html"]
    assert "All checks pass." in files(out, "bo")["md"]
    assert "found notes.txt" in files(out, "chen")["html"]


def test_hidden_titles_ids_and_who_decided_and_why_stay_in_the_course(out: Path, run: Run) -> None:
    assert run("feedback", out).status == 0
    number = shown.checks(CLASS[0])[HIDDEN.id].title
    for text in files(out, "ana").values():
        assert number in text  # of the check, and of the decision about it
        assert not [word for word in (HIDDEN.title, HIDDEN.id, "Kim", "well tried") if word in text]
    assert run("feedback", out, "--hidden-titles").status == 0
    assert HIDDEN.title in files(out, "ana")["html"]


@pytest.mark.parametrize(
    ("facts", "gone", "kept"),
    [
        ({"hidden": "points"}, ["The scale is missing.", "Divide."], ["Look again.", "costs 50"]),
        ({"hints": False}, ["Divide.", "Look again."], ["The scale is missing."]),
        ({"hidden_titles": True}, ["Hidden check "], [HIDDEN.title]),
        ({"reasons": True}, ["Kim"], ["well tried"]),
    ],
)
def test_a_course_says_what_its_students_see(
    out: Path, run: Run, facts: dict[str, object], gone: list[str], kept: list[str]
) -> None:
    view(out, **facts)
    assert run("feedback", out).status == 0
    for text in files(out, "ana").values():
        assert not [word for word in gone if word in text]
        assert not [word for word in kept if word not in text]


def test_nothing_before_its_time(out: Path, run: Run) -> None:
    now = datetime.now(UTC)
    view(out, after=(now + timedelta(days=9)).isoformat())
    done = run("feedback", out)
    assert (done.status, (out / "feedback").exists()) == (2, False)
    assert "students may see their results from" in done.err
    assert run("feedback", out, "--early").status == 0
    assert "students may see" in run("export", out, "--to", "gradescope").err  # it is written, with a warning
    view(out, after=(now - timedelta(days=9)).isoformat())
    assert run("feedback", out).status == 0


def test_what_a_student_wrote_is_text(out: Path, run: Run) -> None:
    hostile = "</p><script>alert(1)</script> ```\n# big `x` \x1b[31m \u202eevil"
    bad = grade("bad", [outcome("values", "failed", 0.0, 9.0, message=hostile, title=hostile, hint=hostile)])
    results.write_result(out / "results", replace(bad, name=hostile, file=hostile, message=hostile))
    assert run("feedback", out, "--only", "bad").status == 0
    page = (out / "feedback" / "bad.html").read_text()
    assert not {"script", "img", "a"} & set(Text(page).tags)
    text = (out / "feedback" / "bad.md").read_text()
    assert not [character for character in "\x1b\u202e" if character in page + text]
    shown_as = Text(MarkdownIt("gfm-like", {"linkify": False}).render(text))
    assert not {"script", "img", "a"} & set(shown_as.tags)
    assert shown_as.tags.count("h1") == 1
    assert shown_as.text.count("# big `x`") >= 2  # in the title of the mistake, and in its text
    assert len([path for path in (out / "feedback").iterdir() if path.stem == "bad"]) == 2


def test_one_student_again_leaves_the_others(out: Path, run: Run) -> None:
    assert run("feedback", out).status == 0
    before = {path.name: path.read_bytes() for path in (out / "feedback").iterdir()}
    results.write_result(out / "results", replace(CLASS[1], name="Bo Lin"))
    results.write_result(out / "results", replace(CLASS[0], name="Ana"))
    assert run("feedback", out, "--only", "bo").out.startswith("1 student:")
    after = {path.name: path.read_bytes() for path in (out / "feedback").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"bo.html", "bo.md"}


def test_a_folder_of_somebody_else_is_not_replaced(out: Path, run: Run) -> None:
    (out / "feedback").mkdir()
    (out / "feedback" / "mine.docx").write_text("x")
    done = run("feedback", out)
    assert done.status == 2
    assert "holds more than attngrade wrote there" in done.err
    assert (out / "feedback" / "mine.docx").exists()


def zipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def moodle_reads(name: str) -> tuple[str, str]:
    """Return the participant and the file that Moodle's importer (importziplib.php) reads in a name."""
    who, participant, kind, plugin, file = name.split("_", 4)
    assert who
    assert (kind, plugin) == ("assignsubmission", "file")
    return participant, file


def canvas_reads(name: str) -> list[str]:
    """Return the person and the upload that Canvas (infer_comment_context_from_filename) reads in a name."""
    return [piece for piece in name.split("_") if piece.isdecimal()][:2]


def test_moodle_gets_a_zip_that_it_takes_apart(out: Path, run: Run) -> None:
    done = run("feedback", out, "--to", "moodle")
    found = zipped(out / "exports" / "moodle-feedback.zip")
    assert done.status == 1
    assert "1 are NOT in the zip, as Moodle's number of them is not known" in done.err
    assert [moodle_reads(name) for name in found] == [(id, "luong-feedback.html") for id in ("41", "42")]
    assert "Look again." in found["Participant_41_assignsubmission_file_luong-feedback.html"].decode()
    assert run("feedback", out, "--to", "moodle").status == 2  # it is already there
    assert run("feedback", out, "--to", "moodle", "--force").status == 1


def test_moodles_worksheet_names_those_who_handed_nothing_in(out: Path, run: Run, tmp_path: Path) -> None:
    rows = "".join(f"Participant {number},{name}@x.edu\n" for number, name in ((41, "ana"), (77, "chen"), (78, "zoe")))
    (tmp_path / "sheet.csv").write_text(f"Identifier,Email address\n{rows}")
    run("feedback", out, "--to", "moodle", "--roster", tmp_path / "sheet.csv")
    assert [moodle_reads(name)[0] for name in zipped(out / "exports" / "moodle-feedback.zip")] == [
        "41",
        "42",
        "77",
        "78",
    ]


def test_canvas_gets_a_zip_for_those_who_handed_something_in(out: Path, run: Run) -> None:
    done = run("feedback", out, "--to", "canvas")
    found = zipped(out / "exports" / "canvas-feedback.zip")
    assert done.status == 1
    assert [canvas_reads(name) for name in found] == [["41", "9001"]]
    run("feedback", out)
    assert next(iter(found.values())).decode() == files(out, "ana")["md"]
    assert "Upload Submissions" in done.out


def test_without_any_number_there_is_no_zip(tmp_path: Path, run: Run) -> None:
    out = write_run(tmp_path / "out", (CLASS[2],))
    done = run("feedback", out, "--to", "canvas")
    assert (done.status, (out / "exports").exists()) == (2, False)
    assert "grade Canvas's own download" in done.err


def test_names_leave_an_anonymous_run_only_to_another_place(out: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text("id,student,exact\n")
    done = run("feedback", out, "--key", tmp_path / "key.csv")
    assert done.status == 2
    assert "--key writes names; name an --output that is not in" in done.err


def test_a_page_has_the_students_code_and_earlier_attempts(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in").mkdir()
    work = tmp_path / "in" / "ana.py"
    common = ("-a", "bahdanau", "-o", tmp_path / "out", "-j", 1, "--no-timing")
    for text in ("import torch\n", "import torch\ndef stable_softmax(scores, dim=-1):\n    return scores  # <mine>\n"):
        work.write_text(text)
        assert run("grade", tmp_path / "in", *common, "--resume").status == 0
    work.unlink()  # what was graded is kept
    assert run("feedback", tmp_path / "out").status == 0
    page = files(tmp_path / "out", "ana")["html"]
    assert "return scores  # <mine>" in page
    assert "Earlier attempts" in page


def test_a_run_notes_what_its_settings_say(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ana.py").write_text("import torch\n")
    settings = tmp_path / "in" / "assignment.toml"
    settings.write_text('[students]\nhidden = "points"\nafter = "2026-02-01T10:00+01:00"\n')
    common = ("-a", "bahdanau", "-o", tmp_path / "out", "-j", 1, "--no-timing")
    assert run("grade", tmp_path / "in", *common).status == 0
    with history.untouched(tmp_path / "out") as journal:
        assert people.student_view(journal) == model.StudentView("2026-02-01T10:00+01:00", "points")
    settings.write_text("[students]\nhints = false\n")
    assert run("regrade", tmp_path / "out", "--apply").status == 0
    with history.untouched(tmp_path / "out") as journal:
        assert people.student_view(journal) == model.StudentView(hints=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('hidden = "all"', "hidden"),
        ('hint = "x"', "there is no setting of [students] 'hint'; did you mean hints"),
        ('after = "tomorrow"', "'tomorrow' is no time"),
    ],
)
def test_slips_in_the_settings_are_named(tmp_path: Path, run: Run, text: str, words: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ana.py").write_text("import torch\n")
    (tmp_path / "in" / "assignment.toml").write_text(f"[students]\n{text}\n")
    done = run("grade", tmp_path / "in", "-a", "bahdanau", "-o", tmp_path / "out")
    assert (done.status, (tmp_path / "out").exists()) == (2, False)
    assert words in done.err
