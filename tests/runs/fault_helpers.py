"""A class, a run of ``attngrade grade`` on it, and faults that can hit the run."""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from tests.paths import ROOT

TOPIC = "masking"
SOLUTION = (ROOT / "solutions" / TOPIC / f"{TOPIC}.py").read_text()
WRONG = (
    ("j <= i", "j < i"),
    ("lengths.unsqueeze(1)", "(lengths + 1).unsqueeze(1)"),
    ("masked_fill", "masked_fill_"),
    ("return", "raise ValueError  #"),
)


def write_class(folder: Path, students: int, works: int) -> Path:
    """Write a folder with ``students`` students and ``works`` different works.

    Every seventh file has a look-alike name, which gets a note. The last student has no submission.
    """
    folder.mkdir()
    for number in range(students):
        place = folder / f"student{number:03}"
        place.mkdir()
        odd = number % 7 == 0
        (place / (f"{TOPIC}-2.py" if odd else f"{TOPIC}.py")).write_text(work(number % works))
    (place / f"{TOPIC}.py").rename(place / "notes.txt")
    return folder


def work(number: int) -> str:
    """Right, wrong in some way, or broken."""
    if number % 6 == 5:
        return f"def broken(:  # {number}\n"
    text = SOLUTION if number % 6 == 4 else SOLUTION.replace(*WRONG[number % 6])
    return f"{text}\n# {number}\n"


class Run:
    """One run in a process of its own. Its events are read while it runs."""

    def __init__(self, folder: Path, out: Path, *more: str) -> None:
        arguments = ["grade", folder, "-a", TOPIC, "-o", out, "-j", "2", "--no-timing", "--json", "--log-json"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder", *map(str, arguments), *more],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr
        self.lines = self.process.stderr

    def graded(self) -> Iterator[dict[str, Any]]:
        """Each submission as it is graded anew."""
        for event in self.events():
            if event["event"] == "graded" and event["how"] == "graded":
                yield event

    def events(self) -> Iterator[dict[str, Any]]:
        """All events until the end."""
        for line in self.lines:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:  # a wrong call
                yield {"event": "told", "message": line.strip()}

    def after(self, count: int) -> bool:
        """Waits until so many were graded anew; False where the run ends before."""
        return next(itertools.islice(self.graded(), count - 1, None), None) is not None

    def end(self) -> int:
        """Its exit status."""
        for _ in self.events():
            pass
        self.process.communicate()
        return self.process.returncode


def below(run: Run) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(run.process.pid).children(recursive=True)
    return []


def bare(process: psutil.Process) -> bool:
    """Whether it is a fork server or a worker: a Python without the grader."""
    with contextlib.suppress(psutil.Error):
        return "-P" in process.cmdline()
    return False


def _kill(run: Run, which: Callable[[psutil.Process, Run], bool]) -> None:
    """Kill the first process below the run that is one of these. There is one soon unless the run ends first."""
    while run.process.poll() is None:
        for process in below(run):
            with contextlib.suppress(psutil.Error, ProcessLookupError):  # any may end while it is looked at
                if which(process, run):
                    process.kill()
                    return


def _is_grader(process: psutil.Process, run: Run) -> bool:
    return process.ppid() == run.process.pid and not bare(process)


def _is_server(process: psutil.Process, run: Run) -> bool:
    return bare(process) and bool(process.children())


def _is_worker(process: psutil.Process, run: Run) -> bool:
    return bare(process) and not process.children() and os.getpgid(process.pid) == process.pid


def kill_main(run: Run) -> None:
    """The grader that writes."""
    run.process.send_signal(signal.SIGKILL)


def kill_grader(run: Run) -> None:
    """One of the processes that grade."""
    _kill(run, _is_grader)


def kill_server(run: Run) -> None:
    """A fork server."""
    _kill(run, _is_server)


def kill_worker(run: Run) -> None:
    """A worker."""
    _kill(run, _is_worker)


def fill_disk(run: Run) -> None:
    """From now on nothing that the grader writes has room."""
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))


FAULTS = (kill_worker, kill_server, kill_grader, kill_main, fill_disk)


def results(out: Path) -> dict[str, Any]:
    """All that a run has written of its students, but for the seconds: the table, and each file."""
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = [row | {"seconds": ""} for row in csv.DictReader(file)]
    files = {path.name: json.loads(path.read_text()) for path in (out / "results").iterdir()}
    told = {name: result | {"seconds": 0} for name, result in files.items()}
    page = (out / "report" / "index.html").read_text()
    page = re.sub(r'<td class="number">[\d.]+</td>\n</tr>', "", page)
    return {"rows": rows, "files": told, "page": page}
