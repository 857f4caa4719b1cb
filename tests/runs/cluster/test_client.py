"""``grade --scheduler``: with real Dask processes that die, the results are those of one machine."""

from __future__ import annotations

import collections
import csv
import os
import signal
from pathlib import Path

import pytest

from autograder import model
from autograder.runs import pool
from autograder.runs.journal import Journal
from tests.command_helpers import Run
from tests.corpus.suites import SEED
from tests.paths import ROOT

from .conftest import Processes

pytestmark = pytest.mark.thorough  # real Dask processes

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
WORKS = {
    **{f"right-{number}.py": f"{SOLUTION}\n# {number}\n" for number in range(6)},
    "sigmoid.py": SOLUTION.replace("torch.tanh(", "torch.sigmoid("),
    "leaves.py": SOLUTION.replace("def softmax_vjp(", "def softmax_vjp(*_):\n    import os; os._exit(3)\ndef other("),
    "broken.py": "def stable_softmax(:\n",
    "empty.py": "",
    "absent/notes.txt": "I was ill",
    "closed.ipynb": "{",
    "Zoë the =1st.py": SOLUTION,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Submissions of all sorts."""
    folder = tmp_path / "in"
    for name, text in WORKS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> collections.Counter[str]:
    """How many results of each student were written."""
    counts: collections.Counter[str] = collections.Counter()
    record = Journal.record

    def counted(self: Journal, grade: model.Grade, *rest: str) -> None:
        counts[grade.student] += 1
        record(self, grade, *rest)

    monkeypatch.setattr(Journal, "record", counted)
    return counts


def table(out: Path) -> list[dict[str, str]]:
    """The table without the seconds."""
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return [row | {"seconds": ""} for row in csv.DictReader(file)]


def scores(out: Path) -> dict[str, tuple[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: (row["status"], row["score"]) for row in csv.DictReader(file)}


def handed_in(place: Path, students: list[str]) -> Path:
    """A folder with a script of each, for workers that do not care what is in it."""
    folder = place / "in"
    folder.mkdir()
    for student in students:
        (folder / f"{student}.py").write_text(f"# {student}")
    return folder


def troubles(out: Path) -> list[str]:
    """What our own fault was, where there was one."""
    done = [path.read_text() for path in (out / "results").glob("*.json")]
    return [text for text in done if "infrastructure-error" in text]


def test_a_cluster_gives_the_same_table_also_when_a_worker_is_killed(
    processes: Processes, folder: Path, tmp_path: Path, run: Run, recorded: collections.Counter[str]
) -> None:
    killed: list[tuple[int, str]] = []

    def kill(pid: int, student: str) -> None:
        os.kill(pid, signal.SIGKILL)
        killed.append((pid, student))

    asked = ["grade", folder, "-a", "bahdanau", "--no-timing", "-o"]
    assert run(*asked, tmp_path / "local-out", "--jobs", 2).status == 0
    recorded.clear()
    processes.worker()
    processes.worker(nthreads=2)
    processes.worker("doomed")
    watcher = processes.when_held(kill)
    address = processes.wait_for(3)
    done = run(*asked, tmp_path / "cluster-out", "--scheduler", address)
    assert done.status == 0, troubles(tmp_path / "cluster-out") or done.err
    watcher.join()
    assert recorded == dict.fromkeys((Path(name).parts[0].partition(".")[0] for name in WORKS), 1)
    ((pid, held),) = killed
    by = collections.defaultdict(list)
    for process, student in processes.log:
        by[student].append(process)
    assert len(by.pop(held)) == 2  # by the one that was killed when it had graded it, and by another
    assert all(len(graders) == 1 for graders in by.values())
    assert len({graders[0] for graders in by.values()} - {pid}) == 2
    assert table(tmp_path / "cluster-out") == table(tmp_path / "local-out")
    results = [sorted((tmp_path / out / "results").iterdir()) for out in ("cluster-out", "local-out")]
    assert [path.name for path in results[0]] == [path.name for path in results[1]]
    for one, other in zip(*results, strict=True):
        lines = [[line for line in path.read_text().splitlines() if '"seconds"' not in line] for path in (one, other)]
        assert lines[0] == lines[1]


def test_a_submission_that_kills_workers_is_an_infrastructure_error_and_its_neighbours_are_not(
    processes: Processes, tmp_path: Path, run: Run, recorded: collections.Counter[str]
) -> None:
    names = ["poison", *(f"bystander-{number}" for number in range(8))]
    folder = handed_in(tmp_path, names)
    for _ in range(3):  # two of which will be lost
        processes.worker("quick")
    processes.wait_for(3)
    done = run("grade", folder, "-a", "bahdanau", "-o", tmp_path / "out", "--scheduler", processes.file)
    assert done.status == 1, done.err
    found = scores(tmp_path / "out")
    assert found.pop("poison") == ("infrastructure-error", "")
    assert found == dict.fromkeys(names[1:], ("graded", "50"))
    assert recorded == dict.fromkeys(names, 1)
    assert [student for _, student in processes.log].count("poison") == 2
    assert "lost every worker that graded this submission" in (tmp_path / "out" / "results" / "poison.json").read_text()


def test_an_answer_counts_even_if_its_worker_is_lost_as_it_arrives(
    processes: Processes, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client

    gather = Client._gather

    async def gathered(self, tasks, *rest, **more):  # type: ignore[no-untyped-def]
        found = await gather(self, tasks, *rest, **more)
        for task in tasks:
            task._state.lose()
        return found

    monkeypatch.setattr(Client, "_gather", gathered)
    folder = handed_in(tmp_path, ["s1"])
    processes.worker("quick")
    asked = ["grade", folder, "-a", "bahdanau", "-o", tmp_path / "out"]
    done = run(*asked, "--scheduler", processes.wait_for(1))
    assert done.status == 0, done.err
    assert scores(tmp_path / "out") == {"s1": ("graded", "50")}


def test_a_scheduler_lost_as_an_answer_arrives_is_reported(
    processes: Processes, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client
    from distributed.comm import CommClosedError

    async def gathered(self, tasks, *rest, **more):  # type: ignore[no-untyped-def]
        raise CommClosedError("Connection reset by peer")

    monkeypatch.setattr(Client, "_gather", gathered)
    folder = handed_in(tmp_path, ["s1"])
    processes.worker("quick")
    done = run("grade", folder, "-a", "bahdanau", "-o", tmp_path / "out", "--scheduler", processes.wait_for(1))
    assert done.status != 0
    assert "the connection to the scheduler" in done.err


def test_a_worker_with_another_grader_is_refused_before_anything_is_written(
    processes: Processes, folder: Path, tmp_path: Path, run: Run
) -> None:
    processes.worker("quick other")
    address = processes.wait_for(1)
    done = run("grade", folder, "-a", "bahdanau", "-o", tmp_path / "out", "--scheduler", address)
    assert done.status == 2
    assert "other files of the grader" in done.err
    assert "tcp://127.0.0.1" in done.err
    assert SEED not in done.err
    assert not (tmp_path / "out").exists()
    assert processes.log == []


def test_a_scheduler_that_dies_loses_nothing_and_the_run_goes_on_here(
    processes: Processes, tmp_path: Path, run: Run, recorded: collections.Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"s{number}" for number in range(12)]
    folder = handed_in(tmp_path, names)
    processes.worker("quick")
    processes.worker("quick doomed")
    processes.when_held(lambda pid, student: processes.scheduler.kill())
    asked = ["grade", folder, "-a", "bahdanau", "-o", tmp_path / "out"]
    done = run(*asked, "--scheduler", processes.wait_for(2))
    assert done.status == 1
    assert "scheduler" in done.err
    assert "--resume" in done.err
    assert len(recorded) < len(names)
    before = dict(recorded)

    def grade_all(plan: pool.RunPlan, submissions, jobs: int):  # type: ignore[no-untyped-def]
        for one in submissions:
            yield one, model.Grade(one.student, plan.assignment, 50.0, 100.0, "graded", (), {})

    monkeypatch.setattr(pool, "grade_all", grade_all)
    assert run(*asked, "--resume").status == 0
    assert recorded == dict.fromkeys(names, 1)
    assert set(before) <= set(scores(tmp_path / "out"))
    assert scores(tmp_path / "out") == dict.fromkeys(names, ("graded", "50"))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--scheduler", "tcp://127.0.0.1:9", "--wait", "0.2"], "no scheduler answers at tcp://127.0.0.1:9"),
        (["--scheduler", "nosuch.json"], "neither an address"),
        (["--scheduler", "broken.json"], "not a file that a scheduler wrote"),
        (["--scheduler", "tls://127.0.0.1:9"], "needs TLS"),
        (["--scheduler", "tcp://127.0.0.1:9", "--jobs", "2"], "--jobs is for this machine"),
    ],
)
def test_a_scheduler_that_is_not_there_is_a_wrong_call(
    words: list[str], reason: str, folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("{")
    done = run("grade", folder, "-a", "bahdanau", "-o", "out", *words)
    assert done.status == 2
    assert reason in done.err
    assert not Path("out").exists()


def test_a_cluster_without_workers_is_reported(processes: Processes, folder: Path, tmp_path: Path, run: Run) -> None:
    asked = ["grade", folder, "-a", "bahdanau", "-o", tmp_path / "out", "--wait", 0.5]
    done = run(*asked, "--scheduler", processes.address)
    assert done.status == 2
    assert "has had no workers for 0.5 s" in done.err
    assert not (tmp_path / "out").exists()
