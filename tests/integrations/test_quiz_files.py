"""Quizzes for Canvas and Moodle: what is written is read again, whatever the texts hold."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.integrations import quiz_files
from autograder.integrations.quiz_files import Item

FEW = settings(max_examples=60, deadline=None)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.just("a = {b: #1 ~ 2} \\ <b>&amp;</b> ]]> \"c\" 'd'")
)
ITEMS = st.builds(
    lambda text, options, at, feedback: Item(text, tuple(options), options[at % len(options)], feedback),
    TEXTS,
    st.lists(TEXTS, min_size=2, max_size=4, unique=True),
    st.integers(0, 3),
    TEXTS,
)
NAMESPACE = {"q": quiz_files.QTI}
# A question of GIFT, as Moodle reads it: special characters count only without a backslash before them.
UNESCAPED = r"(?:\\.|[^\\~=#{}:])*"
QUESTION = re.compile(
    rf"::({UNESCAPED})::\[plain\]({UNESCAPED}) \{{\n((?:\t[=~]{UNESCAPED}\n)+)\t####({UNESCAPED})\n\}}"
)


def plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


@FEW
@given(st.lists(ITEMS, min_size=1, max_size=3))
def test_gift_is_read_again(items: list[Item]) -> None:
    text = quiz_files.gift("Quiz", items, shuffle=True).decode()
    found = QUESTION.findall(text)
    assert [title for title, *_ in found] == [f"Question {number + 1}" for number in range(len(items))]
    for (_, question, options, feedback), item in zip(found, items, strict=True):
        lines = [line[1:] for line in options.splitlines()]
        assert (plain(question), plain(feedback)) == (item.text, item.feedback)
        assert [plain(line[1:]) for line in lines] == list(item.options)
        assert [plain(line[1:]) for line in lines if line[0] == "="] == [item.right]
    assert "".join(QUESTION.split(text)[::5]).strip() == "// Quiz"


def parts(data: bytes) -> tuple[ET.Element, ET.Element]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        manifest = ET.fromstring(archive.read("imsmanifest.xml"))
        files = [one.get("href", "") for one in manifest.iter(f"{{{quiz_files.PACKAGING}}}file")]
        assert set(archive.namelist()) == {"imsmanifest.xml", *files}
        return manifest, ET.fromstring(archive.read(files[0]))


@FEW
@given(st.lists(ITEMS, min_size=1, max_size=3), st.booleans())
def test_qti_is_read_again(items: list[Item], shuffle: bool) -> None:
    _, root = parts(quiz_files.qti("quiz", "A <quiz>", items, shuffle))
    found = root.findall(".//q:item", NAMESPACE)
    assert len(found) == len(items)
    for made, item in zip(found, items, strict=True):
        assert made.findtext("q:presentation/q:material/q:mattext", "", NAMESPACE) == item.text
        labels = made.findall(".//q:response_label", NAMESPACE)
        options = {one.get("ident"): one.findtext(".//q:mattext", "", NAMESPACE) for one in labels}
        assert list(options.values()) == list(item.options)
        assert options[made.findtext(".//q:varequal", "", NAMESPACE)] == item.right
        assert made.findtext("q:itemfeedback//q:mattext", "", NAMESPACE) == item.feedback
        choice = made.find(".//q:render_choice", NAMESPACE)
        assert choice is not None
        assert choice.get("shuffle") == ("Yes" if shuffle else "No")
        fields = {one[0].text: one[1].text for one in made.findall(".//q:qtimetadatafield", NAMESPACE)}
        assert fields == {"question_type": "multiple_choice_question", "points_possible": "1.0"}
    idents = [one.get("ident") for one in root.iter() if one.get("ident") not in (None, "response1", "general_fb")]
    assert len(idents) == len(set(idents))


def test_equal_quizzes_are_equal_files() -> None:
    item = Item("Which?", ("one", "two"), "two", "Because.")
    assert quiz_files.qti("quiz", "Quiz", [item], True) == quiz_files.qti("quiz", "Quiz", [item], True)


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    _, root = parts(quiz_files.qti("quiz", "Quiz", [Item("a\x00b", ("one", "two"), "two", "c\x0b")], True))
    assert root.findtext(".//q:presentation/q:material/q:mattext", "", NAMESPACE) == "a\ufffdb"
