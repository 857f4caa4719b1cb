"""The layers of the confinement: each holds, each is seen to be missing where it is, and without the floor nothing
is graded."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autograder import assignments
from autograder.assignments import places
from autograder.sandbox import availability, config, syscalls
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.layers import FLOOR, LAYERS
from autograder.sandbox.limits import Limits
from tests.sandbox.test_sandbox import Session
from tests.small_suite_helpers import LIMITS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
ALL = tuple(layer.name for layer in LAYERS)
# BPF that allows everything: `ret SECCOMP_RET_ALLOW` (seccomp(2))
LET_ALL = (0x06).to_bytes(2, "little") + b"\0\0" + (0x7FFF0000).to_bytes(4, "little")


def tried(**changes: object) -> dict[str, str]:
    """What the probe says where what it is told was changed."""
    return availability._probed(msgspec.structs.replace(availability.prepared(Limits(), ALL), **changes))


def test_the_floor_holds_here() -> None:
    assert availability.missing("cpu").keys() <= {"namespaces", "uid"}, availability.missing("cpu")
    assert set(availability.layers()) >= set(FLOOR) == {"limits", "closed", "landlock", "seccomp"}
    assert availability.warning() == ""


def test_a_filter_that_lets_everything_pass_is_seen() -> None:
    assert "a socket can be opened" in tried(calls=LET_ALL)["seccomp"]


def test_a_filter_that_is_none_is_seen() -> None:
    assert "OSError" in tried(calls=b"nonsense")["seccomp"]


def test_a_view_of_everything_is_seen() -> None:
    assert "a file outside its view" in tried(view=("/",))["landlock"]


def test_a_view_without_python_is_seen() -> None:
    assert "landlock" in tried(view=("/etc",))


def test_a_probe_that_says_nothing_leaves_no_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability.bootstrap, "BOOTSTRAP", "raise SystemExit")
    assert tried().keys() == set(ALL)


def test_without_libseccomp_the_layer_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(**_: object) -> bytes:
        raise RuntimeError("Unable to find libseccomp")

    availability.missing.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(syscalls, "compiled", gone)
        assert "Unable to find libseccomp" in availability.missing("cpu")["seccomp"]
        with pytest.raises(SandboxError, match=r"no seccomp .*attngrade doctor.*--unconfined"):
            availability.layers()
        assert "seccomp" not in availability.layers(unconfined=True)
        assert "no seccomp" in availability.warning()
    availability.missing.cache_clear()


def test_references_among_what_workers_may_read_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.exposed() == ""
    monkeypatch.setattr(config, "LIBRARIES", (str(config.PACKAGE.parent),))
    assert config.exposed().endswith("reference")


SECRETS = (
    config.PACKAGE.parent / "reference",
    config.PACKAGE.parent / "solutions",
    config.PACKAGE / "instructor",
    config.PACKAGE / "assignments" / "kit" / "hidden",
    *(config.PACKAGE / "assignments" / name / "hidden" for name in assignments.NAMES),
)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda path: str(path.relative_to(config.PACKAGE.parent)))
def test_each_secret_folder_is_found_among_what_workers_may_read(monkeypatch: pytest.MonkeyPatch, secret: Path) -> None:
    monkeypatch.setattr(config, "LIBRARIES", (str(secret),))
    assert config.exposed() == str(secret)


def test_the_reference_of_a_course_among_what_workers_may_read_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As that of a package in the folder of installed packages is."""
    assert config.COURSE == places.COURSE
    (tmp_path / "norm").mkdir()
    (tmp_path / "norm" / "checks.py").write_text("")
    package = types.ModuleType(config.COURSE)
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, config.COURSE, package)
    monkeypatch.setattr(config, "LIBRARIES", (str(tmp_path),))
    assert config.exposed() == ""  # as on a student's machine
    (tmp_path / "norm" / "reference.py").write_text("")
    assert config.exposed() == str(tmp_path / "norm")
    monkeypatch.setattr(config, "LIBRARIES", ())
    assert config.exposed() == ""


@pytest.mark.parametrize("kind", [ForkServer, SingleLauncher])
def test_a_worker_that_cannot_be_confined_never_serves(
    monkeypatch: pytest.MonkeyPatch, kind: type[ForkServer] | type[SingleLauncher]
) -> None:
    assert "seccomp" in availability.layers()  # it was tried, and has gone wrong since
    monkeypatch.setattr(syscalls, "compiled", lambda **_: b"nonsense")
    launcher = kind(LIMITS)
    with pytest.raises(SandboxError):
        launcher.launch()
    launcher.close()


@pytest.fixture
def walled(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A worker with all layers."""
    with Session(request.getfixturevalue("server")) as session:
        yield session


REFUSED = {
    "a process": "os.fork()",
    "a program": "os.execv('/bin/true', ['true'])",
    "a thread": "__import__('_thread').start_new_thread(print, ())",
    "a socket": "__import__('socket').socket()",
    "an abstract socket": "__import__('socket').socket(1).connect('\\0name')",
    "a signal": "os.kill(os.getppid(), 0)",
    "a pipe": "os.pipe()",
    "a file in memory": "os.memfd_create('x')",
    "higher limits": "__import__('resource').setrlimit(7, (64, 64))",
    "a folder": "os.mkdir('/tmp/x')",
    "a link": "os.symlink('/etc', '/tmp/x')",
    "another mode": "os.chmod('/dev/null', 0)",
    "another owner": "os.chown('/dev/null', 0, 0)",
    "other times": "os.utime('/dev/null')",
    "a new name": "os.rename('/dev/null', '/dev/other')",
    "an end of a file": "os.truncate('/dev/null', 0)",
    "another user": "os.setuid(0)",
    "another root": "os.chroot('/')",
    "more nice": "os.nice(5)",
    "every file": "os.listdir('/')",
}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_a_worker_is_refused(walled: Session, code: str) -> None:
    told = walled.told(code)
    assert told.startswith(
        ("PermissionError", "RuntimeError: can't start new thread", "ValueError: not allowed", "error: ")
    ), told
    assert walled.told("'alive'") == "'alive'"


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/proc/1/mem", "/dev/shm", "/tmp", __file__])
def test_what_a_worker_does_not_see(walled: Session, path: str, tmp_path: Path) -> None:
    assert walled.told(f"open({path!r})").split(":")[0] in ("FileNotFoundError", "PermissionError")
    if "namespaces" in availability.layers():
        above = any(shown.startswith(f"{path}/") for shown in config.import_paths())  # of a checkout in /tmp
        unseen = str(tmp_path) if above else path
        assert walled.told(f"os.path.lexists({unseen!r})") == "False"


HONEST = {
    "a module nobody has needed": "__import__('sqlite3').sqlite_version_info > (3,)",
    "the null device": "open(os.devnull, 'w').write('x') == 1",
    "dice": "0 <= __import__('random').SystemRandom().random() < 1",
    "a pause": "__import__('time').sleep(0.001) is None",
    "clocks": "__import__('time').process_time() > 0",
    "memory": "len(bytearray(1 << 28)) > 0",
    "a gradient": "torch.autograd.grad((w := torch.ones(2, requires_grad=True)).sum(), w)[0].sum().item() == 2",
    "a folder that is listed": "len(os.listdir(os.path.dirname(os.__file__))) > 100",
    "where it is": "os.getcwd() != ''",
    "cores": "os.cpu_count() is None or os.cpu_count() > 0",
    "the platform": "__import__('platform').machine() != ''",
    "more threads": "torch.set_num_threads(4) is None and torch.linalg.svd(torch.ones(99, 99)).S[0] > 98",
    "determinism": "torch.use_deterministic_algorithms(True) is None",
    "gradients of functions": "torch.func.grad(lambda x: (x * 2).sum())(torch.ones(2)).sum().item() == 4",
    "detecting anomalies": "torch.autograd.set_detect_anomaly(True) is not None",
    "seeds": "torch.cuda.manual_seed_all(1) is None and torch.manual_seed(1) is not None",
}


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST)
def test_what_honest_submissions_do_works(walled: Session, code: str) -> None:
    assert walled.told(code) in ("True", "tensor(True)")
