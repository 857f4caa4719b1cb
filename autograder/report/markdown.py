"""Text of a submission in Markdown: it stands in a fence that it can't close, or is escaped."""

import html
import re

from autograder.model.text import harmless


def inline(text: str) -> str:
    """Return text that stands in a line or a cell as it is."""
    return html.escape(re.sub(r"([\\`*_{}\[\]()!|~$#])", r"\\\1", harmless(text)), quote=False)


def fenced(text: str) -> list[str]:
    """Return the lines of a block, in a fence longer than any in the text."""
    lines = [harmless(line) for line in text.split("\n")]
    fence = "`" * (1 + max(2, *(len(run) for line in lines for run in re.findall("`+", line) or [""])))
    return [f"{fence}text", *lines, fence, ""]
