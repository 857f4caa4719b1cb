"""The first files of a course's assignment: a small one that works, to be changed piece by piece."""

from collections.abc import Iterable
from pathlib import Path

TEMPLATE = Path(__file__).parent / "template"
TITLE = "$title"


def files(name: str) -> dict[str, str]:
    """Return the files of a new assignment: path in its folder -> text."""
    paths = [path for path in sorted(TEMPLATE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    title = name.replace("_", " ").capitalize()
    return {
        path.relative_to(TEMPLATE).as_posix(): path.read_text(encoding="utf-8").replace(TITLE, title) for path in paths
    }


def changed(name: str, folder: Path, paths: Iterable[str]) -> Path | None:
    """Return the first of these files that holds an author's work: not empty, and not as ``files`` has it."""
    fresh = files(name)
    for path in map(folder.joinpath, paths):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.strip() and text != fresh.get(path.name):
            return path
    return None
