"""The code that each grade is about, kept in the journal, so that reports can show it when the submission is gone."""

import zlib

import msgspec

from autograder import model
from autograder.runs.journal import Journal

LONGEST = 200_000  # bytes of one submission; what is longer is not kept
KEEP = "INSERT OR REPLACE INTO code VALUES (?, ?)"
LEFT_OUT = "DELETE FROM code WHERE student = ?"


def keep(journal: Journal, work: model.Submission) -> None:
    """Store the cells of a submission, or forget those of an earlier one. Raises JournalError."""
    if not work.cells or sum(map(len, work.cells)) > LONGEST:
        journal.query(LEFT_OUT, work.student)
        return
    cells = [cell.decode("utf-8", "replace") for cell in work.cells]
    journal.query(KEEP, work.student, zlib.compress(msgspec.json.encode(cells)))


def of(journal: Journal, student: str) -> tuple[str, ...]:
    """Return the cells of a student's submission as text; none if they are not kept. Raises JournalError."""
    rows = journal.query("SELECT cells FROM code WHERE student = ?", student)
    with journal.errors():
        return _cells(rows[0][0]) if rows else ()


def _cells(data: bytes) -> tuple[str, ...]:
    """Return the cells. Raises msgspec.MsgspecError for anything else, however large it would become."""
    try:
        text = zlib.decompressobj().decompress(data, 8 * LONGEST)
    except zlib.error as error:
        raise msgspec.ValidationError(f"the kept code can't be read: {error}") from error
    return msgspec.json.decode(text, type=tuple[str, ...])
