"""Keeps check suites on the instructor's disk, so that a second run need not import torch to grade.

The files are as secret as the seed, so only their owner may read them. Damaged, foreign or outdated files are made
again. Without a writable folder nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path
from typing import TypeVar

import msgspec
from platformdirs import user_cache_path

from autograder.grading import fingerprints
from autograder.protocol import wire

KEPT = 40  # suites; older ones are removed
T = TypeVar("T")


def user_folder(name: str) -> Path:
    """Return the user's cache folder of that name; it need not exist. Users without a home folder get a path that
    cannot be created, so nothing is kept."""
    try:
        return user_cache_path(name, appauthor=False)
    except RuntimeError:
        return Path(os.devnull) / name


class SuiteCache:
    """The folder of one suite. Its name depends on everything that the suite's numbers depend on."""

    def __init__(self, assignment: str, *parts: str) -> None:
        self.folder = user_folder("attngrade") / f"{assignment}-{fingerprints.of_cache(assignment, *parts)}"

    def take(self, name: str, kind: type[T]) -> T | None:
        """Return what is stored under ``name``; None unless it is intact and the user's own."""
        path = self.folder / f"{name}.msgpack"
        try:
            status = path.stat()
            if hasattr(os, "getuid") and status.st_uid != os.getuid():
                return None
            data = path.read_bytes()
            checksum, payload = data[:32], data[32:]
            if hashlib.sha256(payload).digest() != checksum:
                return None
            return wire.decode(payload, kind)
        except (OSError, wire.WireError):
            return None

    def put(self, name: str, things: T) -> T:
        """Store ``things`` under ``name``, and return them."""
        payload = msgspec.msgpack.encode(things)
        path = self.folder / f"{name}.msgpack"
        with contextlib.suppress(OSError):
            if not self.folder.is_dir():
                self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.folder.mkdir(mode=0o700, exist_ok=True)
                self._discard_oldest()
            temporary = path.with_name(f"{path.name}.{os.getpid()}")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, path)
        return things

    def _discard_oldest(self) -> None:
        entries = sorted(self.folder.parent.iterdir(), key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: max(0, len(entries) - KEPT)]:
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
