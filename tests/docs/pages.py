"""The pages for people: README.md and docs/, cut into code blocks and sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
SHELL = ("sh", "console", "bash", "shell")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARK = re.compile(r"<!-- (?:not run: (?P<why>\S.*)|exits (?P<status>\d+): \S.*) -->\n\Z")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?])[\"')*`]*\s+")


@dataclass(frozen=True)
class Block:
    """A fenced block of shell commands. ``why_not`` says why no test runs it; ``status`` is what each command exits
    with."""

    page: str
    line: int
    commands: tuple[str, ...]
    status: int
    why_not: str


def pages() -> list[Path]:
    """Return README.md and every page written for docs/, in the order of the site's navigation."""
    named = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    return [README, *(path for path in (DOCS / name for name in named) if not path.is_symlink())]


def blocks(page: Path) -> list[Block]:
    """Return the shell blocks of a page. A mark may stand on the line before a block:
    ``<!-- not run: REASON -->`` or ``<!-- exits STATUS: REASON -->``."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in FENCE.finditer(text):
        if fence[1] not in SHELL:
            continue
        mark = MARK.search(text[: fence.start()])
        status = int(mark["status"] or 0) if mark else 0
        why_not = (mark["why"] or "") if mark else ""
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page.name, line, commands(fence[2]), status, why_not))
    return found


def commands(text: str) -> tuple[str, ...]:
    """Return the commands in a block, each as one line without prompt and comment."""
    lines = text.replace("\\\n", " ").splitlines()
    bare = (re.sub(r"(^|\s)#.*$", "", line.removeprefix("$ ")).strip() for line in lines)
    return tuple(command for command in bare if command)


def sentences(text: str) -> list[str]:
    """Return the sentences of a page's prose: no code blocks, tables or headings; a link counts as its text."""
    prose = LINK.sub(r"\1", COMMENT.sub("", FENCE.sub("\n", text)))
    paragraphs: list[list[str]] = [[]]
    for line in prose.splitlines():
        if not line.strip() or line.lstrip().startswith(("|", "#")):
            paragraphs.append([])
        elif ITEM.match(line):
            paragraphs.append([ITEM.sub("", line)])
        else:
            paragraphs[-1].append(line.strip())
    return [sentence for lines in paragraphs for sentence in END.split(" ".join(lines)) if sentence]
