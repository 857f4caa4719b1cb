"""Pages that a command writes where it is told to."""

from pathlib import Path

from autograder.cli.errors import writing_to
from autograder.runs.results import write_whole


def write_page(path: Path, page: str) -> None:
    """Write a page, whole or not at all. Raises ``click.UsageError`` where nothing can be written."""
    with writing_to(path):
        write_whole(path, page.encode("utf-8", "replace"))
