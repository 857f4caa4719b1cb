"""README.md and docs/ stay short, in one vocabulary, and quote messages that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import COMMENT, DOCS, FENCE, README, ROOT, SHELL, blocks, pages, sentences

LONGEST = 28  # words in a sentence
PAGES = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_readme_names_the_two_commands_and_what_they_need() -> None:
    text = README.read_text(encoding="utf-8")
    assert re.search(r"^make demo\b", text, re.MULTILINE)
    assert re.search(r"^make test\b", text, re.MULTILINE)
    assert "Python 3.11 or newer and make, nothing else need be set up" in text


def test_readme_leads_to_every_kind_of_reader() -> None:
    text = README.read_text(encoding="utf-8")
    for page in ("students", "teaching-assistants", "instructors", "authors"):
        assert f"(docs/{page}.md)" in text


def test_readme_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).is_file(), target


def test_the_security_policy_names_files_that_exist() -> None:
    named = re.findall(r"`((?:tests|autograder)/[^`]+)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).is_file()] == []


@PAGES
def test_no_sentence_is_long(page: Path) -> None:
    long = [
        sentence
        for sentence in sentences(page.read_text(encoding="utf-8"))
        if len([word for word in sentence.split() if re.search(r"\w", word)]) > LONGEST
    ]
    assert not long


def test_the_splitter_finds_sentences() -> None:
    text = "# Not this\n\nOne `a.b` here. Two\ngoes on. (Three.)\n\n- Four\n- Five\n\n| six |\n\n```sh\nseven\n```\n"
    assert sentences(text) == ["One `a.b` here.", "Two goes on.", "(Three.)", "Four", "Five"]


@PAGES
def test_the_word_is_assignment(page: Path) -> None:
    if page.name != "upgrade.md":
        assert not re.search(r"topic", page.read_text(encoding="utf-8"), re.IGNORECASE)


@PAGES
def test_every_code_block_says_its_language(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(FENCE.findall(text))
    assert all(language for language, _ in FENCE.findall(text))


@PAGES
def test_no_command_hides_from_the_tests(page: Path) -> None:
    """A command in a block of another language, or a misspelled mark, would leave a block out without a word."""
    text = page.read_text(encoding="utf-8")
    for language, block in FENCE.findall(text):
        assert language in SHELL or not re.search(r"^(\$ )?(attngrade|make|pip) ", block, re.MULTILINE)
    assert len(COMMENT.findall(text)) == len([block for block in blocks(page) if block.why_not or block.status])


@cache
def texts() -> tuple[str, ...]:
    """Every text in the grader's code, with … for what is filled in."""
    found = []
    for path in (ROOT / "autograder").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
                found.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"\{.*?\}", "…", node.value))
    return tuple(found)


def quoted_messages() -> list[str]:
    """Return the first column of the tables in docs/troubleshooting.md that have messages in it."""
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(.*?)` \| .* \| .* \|$", text, re.MULTILINE)


@pytest.mark.parametrize("message", quoted_messages())
def test_troubleshooting_quotes_messages_that_exist(message: str) -> None:
    pieces = [piece for piece in message.split("…") if len(piece.split()) > 1]
    assert pieces, "nothing in it to look for"
    assert any(all(piece in text for piece in pieces) for text in texts())


def test_troubleshooting_quotes_many_messages() -> None:
    assert len(quoted_messages()) > 40
