"""The fork server: imports torch once, then forks a confined worker in milliseconds.

It starts by ``exec`` with a clean environment, in a Python that cannot import the grader or the references. It runs
no student code itself. It takes three commands over its control socket:

    F + a socket (SCM_RIGHTS)   fork a worker that talks over that socket; reply with its pid
    K + pid + patience          kill that worker and all it started, and reap it; reply with how it ended
    S + a socket                fork a second server that takes its commands from that socket; reply with its pid
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

import torch

from autograder.protocol import wire
from autograder.sandbox import commands as protocol
from autograder.sandbox import confine
from autograder.sandbox.config import Setup
from autograder.worker import cuda, fast_torch, imports, integrity, one_thread, serve, tracing


def warm() -> None:
    """Pay once for lazy imports and first calls, which would cost every child.

    No backward pass: where torch finds a CUDA device, its engine and the driver then start threads.
    """
    import copy  # noqa: F401

    one_thread.only_one()
    layer = torch.nn.Linear(3, 2, bias=False)
    layer(torch.randn(2, 3)).tanh().softmax(-1).sum()
    layer.weight.grad = torch.ones_like(layer.weight)
    tracing.warm()
    serve.warm()
    fast_torch.defer_compiler()
    fast_torch.prefer_compiled_shapes()
    torch.empty(1, device="meta").abs()
    torch.optim.SGD(layer.parameters(), lr=0.1).step()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    imports.install()  # last, for torch itself must not find the stand-ins
    threads = os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ["self"]
    if len(threads) != 1:  # a child forked from here could hang in its first large operation
        raise RuntimeError(f"{len(threads)} threads are running in the fork server; one is expected")


def main(control: socket.socket, setup: Setup) -> None:
    """Serve until the grader closes the control socket."""
    mapped, resident, rules = confine.mapped_bytes(), confine.resident_bytes(), confine.prepare(setup)
    if "namespaces" in setup.layers:
        confine.change_root(setup)
    restore = integrity.snapshot()  # once for all workers
    confine.adopt_orphans()
    gc.freeze()  # a child's garbage collection then copies no pages of the server
    control.sendall(protocol.READY)
    children: set[int] = set()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, protocol.ORDER.size, 1)
        if not message:
            break
        command, pid, patience = protocol.ORDER.unpack(message)
        if command == protocol.KILL:
            ended = _end(pid, patience, resident) if pid in children else protocol.ENDED.pack(0, False, 0.0, 0.0, 0)
            children.discard(pid)
            _end_orphans(children)
            control.sendall(ended)
            continue
        pid = os.fork()
        if pid == 0 and command == protocol.SPLIT:
            control.close()
            control, children = socket.socket(fileno=descriptors[0]), set()
            confine.die_with_parent()
            confine.adopt_orphans()
            continue
        if pid == 0:
            _become_worker(descriptors[0], setup, rules, mapped, restore)
        os.close(descriptors[0])
        children.add(pid)
        control.sendall(protocol.PID.pack(pid))
    for pid in children:
        _end(pid)
    _end_orphans(set())  # of a split server that died before it had ended its own


def _become_worker(
    descriptor: int, setup: Setup, rules: int | None, mapped: tuple[int, int], restore: Callable[[], None]
) -> NoReturn:
    """The child's whole life."""
    status = protocol.UNCONFINED
    try:
        confine.close_other_descriptors({descriptor} | ({rules} if rules is not None else set()))
        confine.silence()
        confine.confine(setup, rules, mapped)
        status = 0
        if setup.device == "cuda":  # here, for the driver's threads would not survive a fork
            cuda.warm()
        stream = wire.Stream(descriptor, descriptor)
        stream.write(protocol.READY)
        serve.serve(stream, restore)
    finally:  # also if student code has broken the worker: its closed socket reports that
        os._exit(status)


def _end(pid: int, patience: float = 0.0, inherited: int = 0) -> bytes:
    """Kill and reap a child and its group, and return how it ended.

    It gets ``patience`` seconds to end by itself first. Its memory counts beyond the ``inherited`` bytes.
    """
    by_itself = _ends_by_itself(pid, patience)
    for target in (-pid, pid):  # the group first, whose leader is the worker (see confine)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(target, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    own = max(0, usage.ru_maxrss * 1024 - inherited)
    return protocol.ENDED.pack(status, by_itself, usage.ru_utime, usage.ru_stime, own)


def _ends_by_itself(pid: int, patience: float) -> bool:
    """Return whether a child has ended, or ends within ``patience`` seconds. It is not reaped.

    A process closes its files a moment before it has ended, so the grader may ask that early.
    """
    with contextlib.suppress(AttributeError, OSError):  # macOS has neither call, old kernels have no pidfd_open(2)
        watched = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(watched, select.POLLIN)
        poller.poll(patience * 1000)
        os.close(watched)
    with contextlib.suppress(AttributeError, OSError):
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return False


def _end_orphans(children: set[int]) -> None:
    with contextlib.suppress(OSError):
        while True:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                strangers = {int(pid) for pid in file.read().split()} - children
            if not strangers:
                return
            for pid in strangers:
                _end(pid)


def start(descriptor: str, setup: Setup) -> None:
    """Entry point. ``descriptor`` is the number of the control socket."""
    confine.offer_memory()
    warm()
    sys.modules["autograder"].__path__ = []  # from here on the grader cannot be imported
    main(socket.socket(fileno=int(descriptor)), setup)
    os._exit(0)  # Python's own exit would walk through all objects, and copy each shared page
