"""Databases for nbgrader's gradebook: SQLite's files, and a real PostgreSQL server in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OWNERS = ("postgres", "nobody")  # who may run the server where we are root, whom it refuses


def programs() -> Path:
    """Where the newest server's programs lie. Skips the test, with the reason, where there are none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[postgres]'")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    if not found:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return found[-1].parent


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """A server that listens on a local socket only; its URL, without a database's name, as SQLAlchemy takes it."""
    bin_ = programs()
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="attngrade-pg-"))
    if owner:
        os.chown(folder, *pwd.getpwnam(owner)[2:4])

    def run(*command: object) -> None:
        words = [str(word) for word in command]
        done = subprocess.run(
            words,
            cwd=folder,
            user=owner,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, done.stdout

    log, options = folder / "log", f"-k {folder} -c listen_addresses= -c fsync=off"
    try:
        run(bin_ / "initdb", "-D", folder / "data", "-U", "attngrade", "--auth=trust", "--no-sync")
        run(bin_ / "pg_ctl", "-D", folder / "data", "-o", options, "-l", log, "-w", "start")
        try:
            yield f"postgresql+psycopg://attngrade@/NAME?host={folder}"
        finally:
            run(bin_ / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner() -> str | None:
    """Another user than root, for that is whom the server refuses; None where we are one."""
    if os.getuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in OWNERS if name in known), None)


def new_database(url: str, name: str, like: str = "template1") -> str:
    """A new database on that server, a copy of another, or an empty one; its URL."""
    import psycopg

    host = url.partition("host=")[2]
    with psycopg.connect(host=host, user="attngrade", dbname="postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{like}"')
    return url.replace("NAME", name)
