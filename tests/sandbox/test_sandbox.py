"""Workers in their sandbox: what they can't reach, what they can't break, and what is left of them."""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import psutil
import pytest

from autograder import model, protocol
from autograder.protocol import wire
from autograder.sandbox import bootstrap, environment, launch
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits
from tests.small_suite_helpers import LIMITS, X, call, notebook, program, request, script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX only")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

PATIENCE = 60.0  # seconds, on a busy machine; not what is measured
PROBE = """
import os, sys, torch
def probe(code):
    return repr(eval(code))
def attempt(code):
    exec(code, globals())
    return "done"
def double(x):
    print("doubling")
    return 2 * x
"""


class Session:
    """A worker that has loaded a submission."""

    def __init__(self, launcher: launch.Launcher, work: model.Submission | None = None) -> None:
        self.worker = launcher.launch()
        assert not os.get_blocking(self.worker.stream.write_fd)  # or a deadline could pass unseen
        self.limit = launcher.limits.answer_bytes
        self.worker.stream.write(wire.encode(request(work or script(PROBE))), _soon())
        self.loaded = wire.receive(self.worker.stream, protocol.Loaded, self.limit, _soon())

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.worker.end()

    def ask(self, *steps: protocol.Step, **arrays: Any) -> protocol.Answer:
        """A program's answer."""
        self.worker.stream.write(wire.encode(protocol.Ask("n", program(*steps, **arrays))), _soon())
        return wire.receive(self.worker.stream, protocol.Answer, self.limit, _soon())

    def told(self, code: str, function: str = "probe") -> str:
        """What an expression is in the worker, or what it raises."""
        (result,) = self.ask(protocol.Call("out", function, [code])).results
        if result.raised:
            return f"{result.raised.type}: {result.raised.message}"
        assert isinstance(result.value, protocol.Scalar)
        return str(result.value.value)

    def done(self, code: str) -> str:
        """The same of statements."""
        return self.told(code, "attempt")


def _soon() -> float:
    return time.monotonic() + PATIENCE


def gone(fd: int) -> bool:
    """Whether everybody who held the other end of a socket has ended."""
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    while poller.poll(PATIENCE * 1000):
        try:
            if not os.read(fd, 1 << 16):
                return True
        except ConnectionResetError:
            return True
    return False


# ---------------------------------------------------------------- both launchers


def test_both_launchers_give_the_same_answers(server: ForkServer) -> None:
    single = SingleLauncher(LIMITS)
    steps = (
        call("double", "x", into="out", wrt=("x",), cotangents=("x",), trace=True, echo=True, layout="gapped"),
        protocol.Call("error", "probe", ["1 / 0"]),
        protocol.Call("hashes", "probe", ["[hash('text'), list({'a', 'b', 'c'})]"]),
        protocol.Call("threads", "probe", ["torch.get_num_threads()"]),
        protocol.Call("variables", "probe", ["sorted(os.environ.items())"]),
        protocol.Call("path", "probe", ["sys.path"]),
        protocol.Call("ours", "probe", ["sorted(m for m in sys.modules if m.startswith('autograder.assignments'))"]),
        protocol.Inspect("interface", "double"),
    )
    with Session(server) as forked, Session(single) as alone:
        assert forked.loaded == alone.loaded
        one, other = (session.ask(*steps, x=X) for session in (forked, alone))
    for mine, theirs in zip(one.results, other.results, strict=True):
        assert mine == theirs
    assert one == other
    assert one.printed == "doubling\n"
    single.close()


UNREACHABLE = [
    "reference",
    "solutions",
    "tests",
    "autograder.assignments",
    "autograder.model",
    "autograder.instructor.oracle",
    "autograder.judge",
    "autograder.grading.runner",
    "autograder.grading.suite",
    "autograder.judge.comparison",
    "autograder.cli",
]


@pytest.mark.parametrize("kind", ["forked", "single"])
def test_a_worker_cannot_import_the_grader_or_the_answers(server: ForkServer, kind: str) -> None:
    with Session(server if kind == "forked" else SingleLauncher(LIMITS)) as session:
        for name in UNREACHABLE:
            told = session.told(f"__import__({name!r}, fromlist=['x'])")
            assert told.startswith("ModuleNotFoundError"), f"{name}: {told}"
        assert session.told("sorted({'numpy', 'math'} - {__import__(n).__name__ for n in ('numpy', 'math')})") == "[]"
        assert session.done("exit(3)").startswith("SystemExit")
        assert session.told("'still ' + 'here'") == "'still here'"


def test_no_variable_of_the_graders_reaches_a_worker(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNGRADE_SEED", "very secret")
    monkeypatch.setenv("PYTHONPATH", "/secret")
    ours = {*environment.ENVIRONMENT, *environment.KEPT, environment.CUDA}
    assert environment.variables().keys() <= ours
    with Session(server) as session:
        told = session.told("dict(os.environ)")
    assert "secret" not in told
    assert set(eval(told)) <= ours | {"LC_CTYPE"}


@linux
@pytest.mark.parametrize("kind", ["forked", "single"])
def test_a_worker_has_no_descriptor_but_its_own(server: ForkServer, kind: str) -> None:
    kept, other = os.pipe()
    os.set_inheritable(kept, True)
    code = """
import stat
kinds = {}
for number in range(1000):
    try:
        kinds[number] = oct(stat.S_IFMT(os.fstat(number).st_mode))
    except OSError:
        pass
raise ValueError(kinds)
"""
    with Session(server), Session(server if kind == "forked" else SingleLauncher(LIMITS)) as session:
        own = [stat.S_IFSOCK] if kind == "forked" else [stat.S_IFIFO] * 2
        kinds = eval(session.done(code).removeprefix("ValueError: "))
    assert sorted(kinds.values()) == sorted(oct(one) for one in [stat.S_IFCHR] * 3 + own)
    os.close(kept)
    os.close(other)


# ---------------------------------------------------------------- what a worker may do to itself


@pytest.mark.parametrize(
    "code",
    [
        "with open('file', 'w') as f: f.write('x' * 100)",
        "with open('/tmp/attngrade-test-file', 'w') as f: f.write('x' * 100)",
        "os.makedirs('a/b')\nos.write(os.open('a/b/c', os.O_CREAT | os.O_WRONLY), b'x')",
        "torch.save(torch.zeros(9), 'file.pt')",
    ],
)
def test_writing_a_file_fails_and_kills_nobody(server: ForkServer, code: str) -> None:
    with Session(server) as session:
        assert session.done(code) != "done"
        assert session.told("'alive'") == "'alive'"
        session.done("os.unlink('/tmp/attngrade-test-file')")


@linux
@pytest.mark.parametrize(
    "code",
    [
        "torch.zeros(10 ** 9)",
        "bytearray(2 * 10 ** 9)",
        "hog = []\nwhile True: hog.append(bytearray(10 ** 7))",
        "[0] * 10 ** 9",
    ],
)
def test_a_memory_bomb_is_an_error_like_any_other(server: ForkServer, code: str) -> None:
    with Session(server) as session:
        assert session.done(code).split(":")[0] in ("MemoryError", "RuntimeError", "OutOfMemoryError")
        assert session.told("'alive'") == "'alive'"


def test_a_recursion_bomb_ends_its_worker_at_most(server: ForkServer) -> None:
    with Session(server) as session:
        assert session.done("class A: pass\ndef f(): f()\nf()").startswith("RecursionError")
        try:
            told = session.done("sys.setrecursionlimit(10 ** 8)\nA.__getattr__ = lambda a, n: getattr(a, n)\nA().x")
        except wire.Closed:
            assert session.worker.end(launch.ENDING_SECONDS).how.startswith("signal")
            session.worker = server.launch()
        else:
            assert told.split(":")[0] in ("MemoryError", "RecursionError", "SystemError")
    with Session(server) as session:
        assert session.told("'alive'") == "'alive'"


def test_a_flood_of_output_is_dropped(server: ForkServer) -> None:
    with Session(server) as session:
        code = "for _ in range(100): print('x' * 10 ** 6)\nfor fd in (1, 2): os.write(fd, b'x' * 10 ** 6)"
        answer = session.ask(protocol.Call("out", "attempt", [code]))
        assert answer.results[0].value == protocol.Scalar("done")
        assert answer.printed == "x" * 10_000
        assert session.ask(protocol.Call("out", "probe", ["1"])).printed == ""


def test_warnings_are_printed_and_cost_nothing(server: ForkServer) -> None:
    with Session(server) as session:
        answer = session.ask(protocol.Call("out", "attempt", ["import warnings; warnings.warn('odd')"]))
    assert answer.results[0].value == protocol.Scalar("done")
    assert "UserWarning: odd" in answer.printed


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("os._exit(5)", "exit code 5"),
        ("import ctypes; ctypes.string_at(0)", "signal SIGSEGV"),
        ("os.abort()", "signal SIG"),
        ("import signal; signal.setitimer(0, 0.01)\nwhile True: pass", "signal SIGALRM"),
        ("[os.close(n) for n in range(3, 64) if not os.system('') or True]", ""),
    ],
)
def test_a_worker_that_ends_itself_says_how(server: ForkServer, code: str, how: str) -> None:
    session = Session(server)
    with pytest.raises(wire.Closed):
        session.done(f"try:\n    {code}\nexcept OSError: pass\nos._exit(5)" if not how else code)
    ended = session.worker.end(launch.ENDING_SECONDS)
    assert ended.by_itself
    assert how in ended.how


def test_a_notebook_and_its_cells(server: ForkServer) -> None:
    with Session(server, notebook("x = 1", "1 / 0", "def double(x): return 2 * x")) as session:
        assert [error.type for error in session.loaded.cell_errors] == ["ZeroDivisionError"]
        assert session.ask(call("double", "x"), x=X).results[0].raised is None


# ---------------------------------------------------------------- what is left of a worker


FORK_AND_STAY = "import time\nif os.fork() == 0:\n    while True: time.sleep(1000)"


@pytest.mark.parametrize("kind", ["forked", "single"])
def test_a_child_that_was_left_behind_dies_with_its_workers_group(porous: ForkServer, kind: str) -> None:
    session = Session(porous if kind == "forked" else SingleLauncher(LIMITS, unconfined=True))
    assert session.done(FORK_AND_STAY) == "done"
    ours = os.dup(session.worker.stream.read_fd)
    session.worker.end()
    assert gone(ours)
    os.close(ours)


def test_a_worker_that_left_a_child_and_ended_is_cleaned_up_too(porous: ForkServer) -> None:
    session = Session(porous)
    session.worker.stream.write(
        wire.encode(protocol.Ask("n", program(protocol.Call("out", "attempt", [FORK_AND_STAY + "\nos._exit(3)"])))),
        _soon(),
    )
    ours = os.dup(session.worker.stream.read_fd)
    session.worker.end()
    assert gone(ours)
    os.close(ours)


def test_a_worker_that_ignores_signals_is_ended(server: ForkServer) -> None:
    session = Session(server)
    code = "import signal\nfor n in {*range(1, 32)} - {9, 19}: signal.signal(n, signal.SIG_IGN)"
    endless = program(protocol.Call("out", "attempt", [code + "\nwhile True: pass"]))
    session.worker.stream.write(wire.encode(protocol.Ask("n", endless)), _soon())
    ended = session.worker.end()
    assert (ended.status, ended.by_itself) == (-signal.SIGKILL, False)


def test_one_worker_does_not_see_what_another_changed(server: ForkServer) -> None:
    patch = "torch.zeros = torch.Tensor.__mul__ = None; sys.modules['autograder.worker.describe'].value = None"
    with Session(server) as one, Session(server) as other:
        one.ask(protocol.Call("out", "attempt", [patch]), protocol.Call("two", "attempt", ["1"]))
        for session in (other, Session(server)):
            answer = session.ask(call("double", "x"), x=X)
            assert isinstance(answer.results[0].value, protocol.Tensor)
            np.testing.assert_array_equal(wire.to_numpy(answer.results[0].value.array), 2 * X)
            session.worker.end()


# ---------------------------------------------------------------- the server


@linux
def test_a_server_that_was_killed_is_replaced(porous: ForkServer) -> None:
    session = Session(porous)
    with pytest.raises(wire.WireError):
        session.done("os.kill(os.getppid(), 9)\nimport time\ntime.sleep(1000)")
    assert session.worker.end().how == launch.SERVER_DIED
    with Session(porous) as session:
        assert session.told("1 + 1") == "2"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder of the test's own, which is empty afterwards even where the code is wrong."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    yield tmp_path
    subprocess.run(["rm", "-rf", "--", *tmp_path.iterdir()], check=True)


@linux
def test_what_waits_beside_a_server_has_not_imported_torch(server: ForkServer) -> None:
    if "namespaces" not in server.layers:
        pytest.skip("no namespaces can be made here")
    server.launch().end()
    waits = psutil.Process(server._process.pid)
    (serves,) = waits.children()
    assert waits.memory_info().rss < 50e6 < serves.memory_info().rss


@linux
def test_a_servers_whole_life(temporary: Path, porous: ForkServer) -> None:
    """Split servers serve, and after closing nothing is left of any of them, nor in the temporary folder."""
    server = ForkServer(LIMITS, unconfined=True)
    second = ForkServer(LIMITS, split=server.split(), unconfined=True)
    workers = [Session(server), Session(second), Session(second)]
    assert len({session.told("os.getppid()") for session in workers}) == 2
    assert len({session.told("os.getpid()") for session in workers}) == 3
    deep = "for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')"
    assert workers[0].done(deep + "\nos.chmod('.', 0)") == "done"
    assert workers[1].done(FORK_AND_STAY) == "done"
    held = [os.dup(session.worker.stream.read_fd) for session in workers]
    workers[2].worker.end()
    assert second.cpu_seconds > 0
    second.close()
    server.close()
    for fd in held:
        assert gone(fd)
        os.close(fd)
    porous.close()
    assert list(temporary.iterdir()) == []


@linux
def test_what_a_split_server_leaves_behind_ends_with_the_server_it_came_from(porous: ForkServer) -> None:
    server = ForkServer(LIMITS, unconfined=True)
    second = ForkServer(LIMITS, split=server.split(), unconfined=True)
    session = Session(second)
    assert session.done(FORK_AND_STAY) == "done"
    held = os.dup(session.worker.stream.read_fd)
    os.kill(int(session.told("os.getppid()")), signal.SIGSTOP)  # too slow to end what it started
    server.close()
    assert gone(held)
    os.close(held)
    second.close()


@linux
def test_a_split_server_lives_on_without_its_parent(porous: ForkServer) -> None:
    """Where one submission kills the first server, all others die with it; theirs start new ones."""
    second = ForkServer(LIMITS, split=porous.split(), unconfined=True)
    with Session(second) as session:
        parents = "open(f'/proc/{os.getppid()}/stat').read().split()[3]"
        first = eval(session.told(parents))
        os.kill(int(first), 9)
        assert gone(os.dup(session.worker.stream.read_fd))
        assert session.worker.end().how == launch.SERVER_DIED
    with Session(second) as session:
        assert session.told("1 + 1") == "2"
    second.close()
    with Session(porous) as session:
        assert session.told("1 + 1") == "2"


def test_where_no_process_can_be_started_it_is_the_sandboxs_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.sys, "executable", "/nonexistent/python")
    with pytest.raises(SandboxError, match="No such file"):
        SingleLauncher(LIMITS).launch()
    with pytest.raises(SandboxError, match="No such file"):
        ForkServer(LIMITS)


def test_a_server_that_does_not_serve_says_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "BOOTSTRAP", "raise SystemExit('no torch here')")
    server = ForkServer(LIMITS)
    with pytest.raises(SandboxError, match="no torch here"):
        server.launch()
    server.close()


def test_a_control_socket_that_is_closed_is_told() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with pytest.raises(SandboxError, match="does not split"):
        ForkServer(LIMITS, split=ours).split()


@pytest.mark.parametrize(("status", "words"), [(0, "exit code 0"), (-11, "signal SIGSEGV"), (-99, "exit code -99")])
def test_how_a_process_ended_in_words(status: int, words: str) -> None:
    assert launch.describe_exit(status) == words


def test_limits_survive_the_command_line() -> None:
    assert msgspec.json.decode(msgspec.json.encode(LIMITS), type=Limits) == LIMITS
