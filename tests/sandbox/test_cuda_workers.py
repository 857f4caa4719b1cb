"""What a worker for CUDA may do beyond others, and what not.

No device is needed: ``make gpu`` tries the driver itself.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator

import pytest

from autograder.sandbox import availability, config, environment
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.layers import FLOOR
from tests.paths import ROOT
from tests.sandbox.test_confine import REFUSED as REFUSED_TO_ALL
from tests.sandbox.test_sandbox import Session
from tests.small_suite_helpers import LIMITS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


@pytest.fixture(scope="module")
def cuda_server() -> Iterator[ForkServer]:
    server = ForkServer(LIMITS, device="cuda")
    yield server
    server.close()


@pytest.fixture
def worker(cuda_server: ForkServer) -> Iterator[Session]:
    with Session(cuda_server) as session:
        yield session


def test_all_layers_hold_that_hold_on_the_cpu() -> None:
    absent = availability.missing("cuda").keys() - availability.missing("cpu").keys()
    assert absent <= {"namespaces", "uid"}, availability.missing("cuda")  # Docker hides parts of /proc
    assert set(availability.layers(device="cuda")) >= set(FLOOR)


WIDER = {"a thread", "a pipe", "a file in memory"}  # what others are refused
REFUSED = {
    **{name: code for name, code in REFUSED_TO_ALL.items() if name not in WIDER},
    "a program in a process of its own": "__import__('subprocess').run(['/bin/true'])",
    "an answer to others": "(s := __import__('socket').socket(1, 5)).bind('\\0a') or s.listen() or s.accept()",
    "no file": "os.unlink('/dev/null')",
    "the grader's variables": "open('/proc/1/environ').read()",
    "the grader's memory": "open('/proc/1/mem', 'rb')",
    "the grader's command line": "open('/proc/1/cmdline').read()",
    "the processes": "os.listdir('/proc')",
    "settings of the kernel": "open('/proc/sys/kernel/hostname', 'w')",
    "not to end with its parent": "__import__('ctypes').CDLL(None).prctl(1, 0) == 0 or open('/proc/self/task/x', 'w')",
    "a signal from a pipe": "__import__('fcntl').fcntl(os.pipe()[0], 8, os.getppid())",  # F_SETOWN
    "a datagram's socket": "__import__('socket').socket(1, 2)",
    "a name for the whole process": "open('/proc/self/comm', 'w')",
    "a file of its own": "open('/proc/self/task/x', 'w')",
}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_it_is_refused(worker: Session, code: str) -> None:
    told = worker.told(code)
    assert told.startswith(("PermissionError", "FileNotFoundError", "ValueError: not allowed")), told
    assert worker.told("'alive'") == "'alive'"


def test_it_sets_no_limit_by_an_address_whose_lower_half_is_0(worker: Session) -> None:
    code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        place = libc.mmap(ctypes.c_void_p(0x7000_0000_0000), ctypes.c_size_t(4096), 3, 0x32, -1, ctypes.c_long(0))
        assert place == 0x7000_0000_0000
        (ctypes.c_ulong * 2).from_address(place)[:] = [5, 5]
        if libc.prlimit(0, 7, ctypes.c_void_p(place), None):
            raise OSError(ctypes.get_errno(), "refused")
    """
    assert worker.done(textwrap.dedent(code)).startswith("PermissionError")


# libcuda names its threads in this way: it opens a file to truncate it, and ends if it can't
THREAD = "open(f'/proc/self/task/{__import__(\"threading\").get_native_id()}/comm', 'w')"
WHAT_THE_DRIVER_NEEDS = {
    "threads": "(t := __import__('threading').Thread(target=list)).start() or t.join() is None",
    "a name for a thread": f"{THREAD}.write('cuda') == 4",
    "facts about itself": "f'Pid:\\t{os.getpid()}' in open('/proc/self/status').read()",
    "its memory's map": "'torch' in open('/proc/self/maps').read()",
    "a socket to listen at": "(s := __import__('socket').socket(1, 5)).bind('\\0uvm') or s.listen() is None",
    "to be told who writes": "__import__('socket').socket(1, 5).setsockopt(1, 16, 1) is None",
    "its limits": "__import__('resource').getrlimit(9) is not None",
    "a pipe and a file in memory": "len(os.pipe()) == 2 and os.memfd_create('x') > 0",
    "shared memory": "__import__('mmap').mmap(-1, 4096) is not None",
    "the machine's processors": "open('/proc/cpuinfo').read() != ''",
}


@pytest.mark.parametrize("code", WHAT_THE_DRIVER_NEEDS.values(), ids=WHAT_THE_DRIVER_NEEDS)
def test_what_the_driver_needs(worker: Session, code: str) -> None:
    assert worker.told(code) == "True"


def test_it_does_not_look_at_another_worker(cuda_server: ForkServer, worker: Session) -> None:
    with Session(cuda_server) as other:
        pid = other.told("os.getpid()")
        for look in (f"open('/proc/{pid}/status')", f"open('/proc/{pid}/environ')", f"os.listdir('/proc/{pid}/task')"):
            told = worker.told(look)
            assert told.startswith(("PermissionError", "FileNotFoundError")), told


def test_it_sees_its_own_processes_only(worker: Session) -> None:
    if "namespaces" not in availability.layers(device="cuda"):
        pytest.skip("this machine has no namespaces")
    assert worker.told("sum(os.path.exists(f'/proc/{n}') for n in range(1, 100_000)) < 9") == "True"


def test_the_folder_of_the_drivers_library_is_in_view(monkeypatch: pytest.MonkeyPatch) -> None:
    config.driver_files.cache_clear()
    monkeypatch.setattr(config, "LIBCUDA", "libc.so.6")  # a library that every machine has
    found = config.driver_files()
    config.driver_files.cache_clear()
    assert any(path.endswith(("/lib", "linux-gnu", "/lib64")) for path in found), found


def test_on_the_cpu_no_device_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert environment.variables()["CUDA_VISIBLE_DEVICES"] == ""
    assert environment.variables("cuda")["CUDA_VISIBLE_DEVICES"] == "1"


WARM = """
import torch
def refuse(*_, **__):
    raise AssertionError("a backward pass")
torch.Tensor.backward = refuse
from autograder.sandbox import server
server.warm()
"""


def test_a_server_makes_no_backward_pass() -> None:
    """Where torch finds a device, the first one starts threads, and a process with threads can't serve."""
    done = subprocess.run([sys.executable, "-c", WARM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
