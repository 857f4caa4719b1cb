"""Zips that are not what they say, or that want to be unpacked where they should not."""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import warnings
import zipfile

from .base import SOLUTION, Bad, fine, lone, packed

MISSING = "expected bahdanau.py or bahdanau.ipynb"


def slip(name: str) -> Bad:
    """A member that would land outside; it is not taken, and neither is it written anywhere."""
    return Bad(lone(".zip", packed({name: SOLUTION, "notes.txt": b"x"})), "missing", f"notes.txt; {MISSING}")


def links(target: str) -> bytes:
    """A member that is a link."""
    data = io.BytesIO()
    link = zipfile.ZipInfo("bahdanau.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(link, target)
    return data.getvalue()


def twice() -> bytes:
    """Two members of one name; the later counts, as it would on a disk."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("bahdanau.py", b"raise SystemExit")
        archive.writestr("bahdanau.py", SOLUTION)
    return data.getvalue()


def patched(data: bytes, mark: bytes, offset: int, value: bytes) -> bytes:
    """A zip in whose last record with ``mark`` something else is claimed."""
    changed = bytearray(data)
    place = data.rindex(mark) + offset
    changed[place : place + len(value)] = value
    return bytes(changed)


def claims_little() -> bytes:
    """30 MB in 30 KB, said to be 10 bytes."""
    data = packed({"bahdanau.py": bytes(30_000_000)})
    return patched(data, b"PK\1\2", 24, struct.pack("<I", 10))


def claims_gigabytes() -> bytes:
    """4 GB, by the table of contents."""
    return patched(packed({"bahdanau.py": SOLUTION}), b"PK\1\2", 20, struct.pack("<II", 2**32 - 2, 2**32 - 2))


def zip64_lies() -> bytes:
    """2**60 bytes, by the longer numbers that large zips have."""
    data = io.BytesIO()
    member = zipfile.ZipInfo("bahdanau.py")
    member.extra = struct.pack("<HHQQ", 1, 16, 2**60, 2**60)
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(member, SOLUTION)
    return patched(data.getvalue(), b"PK\1\2", 20, b"\xff" * 8)


def overlapping() -> bytes:
    """A thousand members that are one and the same 5 MB."""
    data = packed({"bahdanau.ipynb": bytes(5_000_000)})
    start = data.index(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    table = data[start:end] * 1000
    return data[:start] + table + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1000, 1000, len(table), start, 0)


def tarball() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        member = tarfile.TarInfo("../bahdanau.py")
        member.size = len(SOLUTION)
        archive.addfile(member, io.BytesIO(SOLUTION))
    return data.getvalue()


PLAIN = packed({"bahdanau.py": SOLUTION})
STORED = packed({"bahdanau.py": SOLUTION}, zipfile.ZIP_STORED)
NO_ZIP = "is not a zip archive that can be opened"

INPUTS: dict[str, Bad] = {
    "zip-slip": slip("../../honest/bahdanau.py"),
    "zip-slip-inside": slip("a/../../bahdanau.py"),
    "zip-slip-absolute": slip("/tmp/bahdanau.py"),
    "zip-slip-backslash": slip("..\\..\\bahdanau.py"),
    "zip-slip-drive": slip("C:\\bahdanau.py"),
    "zip-slip-share": slip("\\\\server\\share\\bahdanau.py"),
    "zip-bomb": Bad(
        lone(".zip", lambda: packed({"bahdanau.py": bytes(40_000_000)})), "unreadable", "larger than 10 MB"
    ),
    "zip-bomb-notebook": Bad(
        lone(".zip", lambda: packed({"bahdanau.ipynb": bytes(101_000_000)})), "unreadable", "100 MB"
    ),
    "zip-bomb-claims-little": Bad(lone(".zip", claims_little), "unreadable", "damaged in the zip"),
    "zip-bomb-overlapping": Bad(lone(".zip", overlapping), "unreadable", "is not a notebook"),
    "zip-claims-gigabytes": fine(lone(".zip", claims_gigabytes)),
    "zip64-lies": Bad(lone(".zip", zip64_lies), "unreadable", "zip"),
    "zip-link": Bad(lone(".zip", links("/etc/passwd")), "missing", "is a link in the zip"),
    "zip-link-to-neighbour": Bad(lone(".zip", links("../honest-1.py")), "missing", "is a link in the zip"),
    "zip-encrypted": Bad(
        lone(".zip", patched(PLAIN, b"PK\1\2", 8, b"\1\0")), "unreadable", "without a password"
    ),
    "zip-strange-method": Bad(
        lone(".zip", packed({"bahdanau.py": SOLUTION}, zipfile.ZIP_LZMA)), "unreadable", "an ordinary zip"
    ),
    "zip-unknown-method": Bad(
        lone(".zip", patched(PLAIN, b"PK\1\2", 10, b"\x63\0")), "unreadable", "an ordinary zip"
    ),
    "zip-nested": Bad(
        lone(".zip", packed({"a.zip": packed({"b.zip": PLAIN})})), "missing", f"found a.zip and a.zip/b.zip; {MISSING}"
    ),
    "zip-corrupt": Bad(
        lone(".zip", STORED.replace(b"import torch", b"import tarch")), "unreadable", "damaged in the zip"
    ),
    "zip-truncated": Bad(lone(".zip", PLAIN[:-30]), "unreadable", NO_ZIP),
    "zip-headless": Bad(lone(".zip", PLAIN[40:]), "unreadable"),
    "zip-table-elsewhere": Bad(
        lone(".zip", patched(PLAIN, b"PK\5\6", 16, b"\xf0\xff\xff\xff")), "unreadable", "zip"
    ),
    "zip-huge-table": Bad(
        lone(".zip", patched(PLAIN, b"PK\5\6", 12, b"\xf0\xff\xff\x7f")), "unreadable", NO_ZIP
    ),
    "zip-twice": fine(lone(".zip", twice)),
    "zip-empty": Bad(lone(".zip", packed({})), "missing", f"found no files; {MISSING}"),
    "zip-of-nothing": Bad(lone(".zip", b""), "unreadable", NO_ZIP),
    "zip-tar": Bad(lone(".zip", tarball), "unreadable", NO_ZIP),
    "zip-text": Bad(lone(".zip", SOLUTION), "unreadable", NO_ZIP),
    "zip-thousands": Bad(
        lone(".zip", lambda: packed({f"part{n}.py": b"" for n in range(5000)}, zipfile.ZIP_STORED)),
        "missing",
        "and 4995 more",
    ),
    "zip-case-twins": Bad(
        lone(".zip", packed({"Bahdanau.py": b"1", "BAHDANAU.py": b"2"})), "missing", "keep one, and name it so"
    ),
    "zip-folder-for-file": Bad(lone(".zip", packed({"bahdanau.py/": b""})), "missing", "found no files"),
    "zip-deep": Bad(lone(".zip", packed({"a/" * 3000 + "bahdanau.py": b""})), "missing", MISSING),
    "zip-odd-names": Bad(
        lone(".zip", packed({"\x1b[2J<script>\u202e.py": b"", "x\n=1.py": b""})), "missing", "found "
    ),
    "zip-bad-utf8-name": Bad(
        lone(".zip", packed({"bahdanaué.py": SOLUTION}).replace("é".encode(), b"\xff\xfe")), "unreadable"
    ),
}
