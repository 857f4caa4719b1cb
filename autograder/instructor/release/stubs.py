"""What students get in place of a solution: the holes of a script, each with its task and an exception."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

BEGIN = "### BEGIN SOLUTION"  # nbgrader's markers; students see the text after the colon
END = "### END SOLUTION"


class ScriptLine(NamedTuple):
    """A line of a solution script and its role: given to students, inside a region, or a marker."""

    text: str
    role: Literal["given", "begin", "solution", "end"]


class SourceError(ValueError):
    """A solution script with invalid regions. The message names the line, and says what to do."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line, self.text = line, text


def lines(script: str) -> Iterator[ScriptLine]:
    """Yield every line with its role. Raises SourceError for unbalanced markers."""
    begun = 0  # the line in which the region begins that is open
    for number, text in enumerate(script.splitlines(), start=1):
        if BEGIN in text or END in text:
            if BEGIN in text and begun:
                raise SourceError(begun, f"this hole is not closed before the next one in line {number}; add {END}")
            if END in text and not begun:
                raise SourceError(number, f"no hole is open here; write {BEGIN}: ... where it begins")
            begun = number if BEGIN in text else 0
            yield ScriptLine(text, "begin" if begun else "end")
        else:
            yield ScriptLine(text, "solution" if begun else "given")
    if begun:
        raise SourceError(begun, f"this hole is not closed; write {END} where it ends")


def stubbed(script: str) -> str:
    """Return the script with its task and ``raise NotImplementedError`` in place of each solution region."""
    kept: list[str] = []
    for number, line in enumerate(lines(script), start=1):
        if line.role == "given":
            kept.append(line.text)
        elif line.role == "begin":
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            task = line.text.strip().removeprefix(BEGIN).lstrip(":").strip()
            if not task:
                raise SourceError(number, f"this hole has no task; say what to write: {BEGIN}: return the sum")
            if not indent:
                raise SourceError(number, "a hole stands inside a function, and is indented as its code")
            kept += [f"{indent}# Your code here: {task}.", f"{indent}raise NotImplementedError"]
    return "\n".join(kept) + "\n"
