"""Dask clusters of real processes on the loopback address."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

HERE = Path(__file__).resolve().parent
START_SECONDS = 120.0


class Processes:
    """A scheduler and workers. What they do in tests: see ``preload``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.started: list[subprocess.Popen[bytes]] = []
        (folder / "log").touch()
        self.environment = os.environ | {
            "TEST_FOLDER": str(folder),
            "PYTHONPATH": str(ROOT),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        }
        ready, theirs = os.pipe()
        self.scheduler = self.start(
            "scheduler",
            "--port",
            "0",
            "--scheduler-file",
            str(self.file),
            "--preload",
            str(HERE / "preload_scheduler.py"),
            hand=(theirs,),
            TEST_READY=str(theirs),
        )
        os.close(theirs)
        with open(ready) as file:
            self.address = file.read()
        assert self.address, (folder / "out0").read_text()

    def start(self, *words: str, hand: tuple[int, ...] = (), **variables: str) -> subprocess.Popen[bytes]:
        """A Dask process that logs to a file of its own."""
        with (self.folder / f"out{len(self.started)}").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"],
                env=self.environment | variables,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                pass_fds=hand,
            )
        self.started.append(process)
        return process

    def worker(self, options: str = "", *, nthreads: int = 1, **variables: str) -> subprocess.Popen[bytes]:
        """Start one more worker. ``options``: words that ``preload`` knows."""
        return self.start(
            "worker",
            "--scheduler-file",
            str(self.file),
            "--nthreads",
            str(nthreads),
            "--no-nanny",
            "--preload",
            str(HERE / "preload.py"),
            TEST_WORKER=options,
            **variables,
        )

    def when_held(self, act: Callable[[int, str], None]) -> threading.Thread:
        """Waits, in a thread, for a doomed worker to have graded its first submission, and then does ``act`` with the
        worker's process id and the student."""
        os.mkfifo(self.folder / "fifo")

        def wait() -> None:
            pid, _, student = (self.folder / "fifo").read_text().partition(" ")
            act(int(pid), student)

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    def wait_for(self, workers: int) -> str:
        """The scheduler's address, when so many workers are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=START_SECONDS)
        return self.address

    @property
    def log(self) -> list[tuple[int, str]]:
        """Return who graded whom: process ids and students."""
        lines = (self.folder / "log").read_text().splitlines()
        return [(int(line.partition(" ")[0]), line.partition(" ")[2]) for line in lines]

    def end(self) -> None:
        """Kills what still runs."""
        for process in self.started:
            process.kill()
        for process in self.started:
            process.wait()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """A scheduler without workers."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install -e '.[cluster]'")
    (tmp_path / "cluster").mkdir()
    found = Processes(tmp_path / "cluster")
    yield found
    found.end()
