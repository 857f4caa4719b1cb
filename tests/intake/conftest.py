"""Small trees of files to read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Plant = Callable[[Mapping[str, str | bytes | Path]], Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Make files below ``tmp_path/subs``; ``name/`` is an empty folder, a Path makes a link to it."""
    root = tmp_path / "subs"

    def make(files: Mapping[str, str | bytes | Path]) -> Path:
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("/"):
                target.mkdir(exist_ok=True)
            elif isinstance(content, Path):
                target.symlink_to(content)
            else:
                target.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return make


@pytest.fixture
def pack() -> Callable[..., bytes]:
    """Make a zip of members by name, as bytes."""

    def make(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", method) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return data.getvalue()

    return make
