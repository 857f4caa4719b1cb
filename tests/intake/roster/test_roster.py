"""Each submission is matched with a person or reported, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.roster import Matching, Person, Roster, match, read_roster, student_ids
from autograder.intake.roster.csv_file import Sheet, SheetError
from tests.integrations.export.export_helpers import SAMPLES

# The headings of real rosters, each with a row of staff or of the table itself where they have one.
ROSTERS = {
    "plain": "Student,Points\nana,3\n",
    "nbgrader": "student_id,last_name,first_name,email\nana,Lima,Ana,ana@x.edu\n",
    "gradescope": "First Name,Last Name,SID,Email,Role\nAna,Lima,ana,ana@x.edu,Student\nT,A,t1,t@x.edu,TA\n",
    "classroom": '"identifier","github_username","github_id","name"\n"ana@x.edu","ana","77",""\n',
    "moodle list": 'First name,Last name,"ID number","Email address"\nAna,Lima,ana,ana@x.edu\n',
    "semicolons": "\ufeffE-Mail;Name\r\nANA@x.edu;Lima, Ana\r\n",
    "ours": "student,assignment,score,max_score,status,failed_checks,diagnoses,seconds\nana,bahdanau,1,2,graded,,,1\n",
}


def roster_of(text: str, tmp_path: Path) -> Roster:
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode())
    return read_roster(path)


def people(*rows: str) -> Roster:
    """A roster of people given as ``id, email, name``."""
    found = []
    for number, row in enumerate(rows):
        id, email, name = (part.strip() for part in row.split("|"))
        keys = {key: value for key, value in (("id", id), ("email", email)) if value}
        found.append(Person(number, keys, email, "", name))
    return Roster(Sheet(Path("x"), "", ",", (), ()), tuple(found))


@pytest.mark.parametrize("kind", sorted(ROSTERS))
def test_rosters_of_every_kind_name_ana_and_nobody_else(kind: str, tmp_path: Path) -> None:
    roster = roster_of(ROSTERS[kind], tmp_path)
    matching = match(["ana"], roster)
    assert list(matching.found) == ["ana"]
    assert matching.absent == ()


@pytest.mark.parametrize(("sample", "names"), [("canvas.csv", 7), ("moodle.csv", 7)])
def test_rows_about_the_table_and_the_test_student_are_skipped(sample: str, names: int) -> None:
    roster = read_roster(SAMPLES / sample)
    assert len(roster.people) == names
    assert {"Ana Lima", "Lima, Ana"} & {person.name for person in roster.people}


WHO = [
    ("s-101", "exact id"),
    ("101", "another exact id"),
    ("ana", "login"),
    ("ANA", "login, another case"),
    ("ana@x.edu", "an address whose beginning is the login"),
    ("limaana", "Canvas's lastfirst"),
    ("limaana_101", "Canvas's lastfirst with the id"),
    ("Ana Lima", "the name"),
    ("Lima, Ana", "the name as it stands"),
]


@pytest.mark.parametrize("student", [student for student, _ in WHO], ids=[why for _, why in WHO])
def test_canvas_students(student: str) -> None:
    (person,) = match([student], read_roster(SAMPLES / "canvas.csv")).found.values()
    assert person.name == "Lima, Ana"


@pytest.mark.parametrize(
    "student",
    [
        "Ana Lima_501_assignsubmission_file_",
        "Ana Lima_501_assignsubmission_file",
        "Participant 501",
        "501",
        "ana@x.edu",
        "ana",
    ],
)
def test_moodle_students(student: str) -> None:
    (person,) = match([student], read_roster(SAMPLES / "moodle.csv")).found.values()
    assert person.name == "Ana Lima"


@pytest.mark.parametrize(
    "student",
    ["limaana_102", "Bo Li_501_assignsubmission_file_", "an", "anna", "ana@elsewhere.org", "", "_501", "@", "an a1"],
)
def test_strangers_stay_strangers(student: str) -> None:
    matching = match([student], people("s1 | ana@x.edu | Ana Lima", "501 | bo@x.edu | Bo Li"))
    expected_name = student == "Bo Li_501_assignsubmission_file_"
    assert list(matching.found) == ([student] if expected_name else [])
    assert list(matching.unmatched) == ([] if expected_name else [student])


def test_who_may_be_several_is_named() -> None:
    roster = people("s1 | ana@x.edu | Ana Lima", "s2 | ana@y.edu | Ana Lima", "s3 | bo@x.edu | Bo Li")
    matching = match(["ana", "Ana Lima", "s3"], roster)
    assert matching.ambiguous.keys() == {"ana", "Ana Lima"}
    assert [person.keys["id"] for person in matching.ambiguous["ana"]] == ["s1", "s2"]
    assert list(matching.found) == ["s3"]
    assert matching.absent == ()  # they may well have handed in


def test_who_is_on_the_roster_twice_is_one_person(tmp_path: Path) -> None:
    roster = roster_of("SID,Name,Section\nana,Ana Lima,1\nana,Ana Lima,2\n", tmp_path)
    assert list(match(["ana"], roster).found) == ["ana"]


def test_repositories_of_github_classroom(tmp_path: Path) -> None:
    text = "identifier,github_username,github_id,name\na@x,ana-li,1,\nb@x,li,2,\nc@x,bo,3,\n"
    roster = roster_of(text, tmp_path)
    found = match(["hw-1-ana-li", "hw-1-Bo", "hw-1-zoe"], roster)
    assert {student: person.login for student, person in found.found.items()} == {
        "hw-1-ana-li": "ana-li",
        "hw-1-Bo": "bo",
    }
    assert found.unmatched == ("hw-1-zoe",)
    assert [person.login for person in found.absent] == ["li"]
    several = match(["hw-ana-li", "hw-ana-lily"], roster)  # "ana-li" of "hw", or "li" of "hw-ana"?
    assert several.ambiguous.keys() == {"hw-ana-li"}
    assert match(["x-li", "hw-1-bo"], roster).found == {}  # not of one assignment


def test_two_submissions_of_one_person_are_named() -> None:
    roster = people("s1 | ana@x.edu | Ana Lima")
    assert match(["Ana", "ANA"], roster).ambiguous.keys() == {"Ana", "ANA"}
    exact = match(["s1", "S1", "limaana"], roster)  # an exact id is no guess; the others are named all the same
    assert list(exact.found) == ["s1"]
    assert exact.ambiguous.keys() == {"S1", "limaana"} - set(exact.unmatched)


def test_an_exact_id_goes_before_a_name_that_another_has() -> None:
    matching = match(["bo"], people("bo | x@x.edu | Ana Lima", "s2 | bo@x.edu | Bo Li"))
    assert matching.found["bo"].name == "Ana Lima"


def test_absent_people_are_called_as_the_others_are() -> None:
    roster = people("s1 | ana@x.edu | A", "s2 | bo@x.edu | B", "s3 | | C", " | | Dara Roy")
    matching = match(["ana@x.edu"], roster)
    assert list(student_ids(matching, ["ana@x.edu"])) == ["bo@x.edu", "s3", "Dara Roy"]
    assert list(student_ids(matching, ["bo@x.edu"])) == ["s2", "s3", "Dara Roy"]
    by_name = match(["limaana"], people("1 | a@x.edu | Lima, Ana", "2 | b@x.edu | Li, Bo"))
    assert list(student_ids(by_name, ["limaana"])) == ["libo"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Shoe,Hat\n1,2\n", "found 'Shoe', 'Hat'; expected one of 'Student ID'"),
        ("id,name\n", "names no students"),
        ("Email,Role\nt@x.edu,Instructor\n", "names no students"),
    ],
)
def test_a_file_that_is_no_roster_is_reported(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SheetError, match=words):
        roster_of(text, tmp_path)


def test_a_guarded_id_is_the_id(tmp_path: Path) -> None:
    assert list(match(["=x"], roster_of("student\n'=x\n", tmp_path)).found) == ["=x"]


NAME = st.text(st.sampled_from("abAB.@ _1é,"), min_size=1, max_size=6)


@given(st.lists(st.tuples(NAME, NAME, NAME), max_size=6), st.lists(NAME, max_size=6, unique=True))
def test_no_student_is_lost_and_none_gets_the_points_of_another(
    rows: list[tuple[str, str, str]], students: list[str]
) -> None:
    roster = Roster(
        Sheet(Path("x"), "", ",", (), ()),
        tuple(
            Person(n, {"id": id.strip(), "email": f"{mail}@x"}, "", "", name) for n, (id, mail, name) in enumerate(rows)
        ),
    )
    matching: Matching = match(students, roster)
    assert sorted([*matching.found, *matching.unmatched, *matching.ambiguous]) == sorted(students)
    owners = [person.row for person in matching.found.values()]
    assert len(owners) == len(set(owners))
    claimed = {*owners, *(person.row for some in matching.ambiguous.values() for person in some)}
    assert {person.row for person in matching.absent} == set(range(len(rows))) - claimed
    ids = student_ids(matching, students)
    assert len(ids) == len(matching.absent)
    assert not set(ids) & set(students)
    for student in students:  # an id that is one person's alone is always found
        owned = [person for person in roster.people if student.strip() in person.keys.values()]
        others = [other for other in students if other != student and other.strip() == student.strip()]
        if student.strip() and len(owned) == 1 and not others:
            assert matching.found[student] is owned[0]
