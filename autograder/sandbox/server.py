"""The fork server: imports torch once, then forks a confined worker in milliseconds.

Started by ``exec`` with a clean environment, in a Python that can't import the grader or the
references. It runs no student code itself. Over its control socket it takes three commands:

    F + a socket (SCM_RIGHTS)   fork a worker that talks over that socket; replies with its pid
    K + pid                     kill that worker and all it started, reap it; replies with how it ended
    S + a socket                fork a second server that takes its commands from that socket; replies with its pid
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

import torch

from autograder import wire
from autograder.sandbox import confine, namespaces
from autograder.sandbox import control as protocol
from autograder.sandbox.setup import Setup, devices
from autograder.worker import compiler, one_thread, seal, serve, shapes, tracing


def warm() -> None:
    """Does once what would otherwise cost every child: lazy imports and first calls."""
    import copy  # noqa: F401

    one_thread.only_one()
    layer = torch.nn.Linear(3, 2, bias=False)
    layer(torch.randn(2, 3)).tanh().softmax(-1).sum().backward()
    tracing.warm()
    serve.warm()
    compiler.put_aside()
    shapes.prefer_compiled()
    torch.empty(1, device="meta").abs()
    torch.optim.SGD(layer.parameters(), lr=0.1).step()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    threads = os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ["self"]
    if len(threads) != 1:  # a child forked now could hang in its first large operation
        raise RuntimeError(f"{len(threads)} threads are running in the fork server; one is expected")


def main(control: socket.socket, setup: Setup) -> None:
    """Serves until the grader closes the control socket."""
    mapped, rules = confine.mapped_bytes(), confine.prepare(setup)
    if "namespaces" in setup.layers:
        namespaces.change_root(setup.view, setup.scratch, devices(setup.device))
    restore = seal.sealed()  # once for all workers, which are forked from here
    confine.adopt_orphans()
    gc.freeze()  # so that a child's garbage collection does not copy the server's pages
    control.sendall(protocol.READY)
    children: set[int] = set()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, protocol.COMMAND_BYTES, 1)
        if not message:
            break
        if message[:1] == protocol.KILL:
            (pid,) = protocol.PID.unpack(message[1:])
            ended = _end(pid) if pid in children else protocol.ENDED.pack(0, 0.0, 0.0, 0)
            children.discard(pid)
            _end_orphans(children)
            control.sendall(ended)
            continue
        pid = os.fork()
        if pid == 0 and message[:1] == protocol.SPLIT:
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
    _end_orphans(set())  # of a server that was split from this one, and died before it had ended its own


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
        stream = wire.Stream(descriptor, descriptor)
        stream.write(protocol.READY)
        serve.serve(stream, restore)
    finally:  # also where the student's code has broken the worker: its closed socket says so
        os._exit(status)


def _end(pid: int) -> bytes:
    for target in (-pid, pid):  # the group first: confine made the worker its leader
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(target, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return protocol.ENDED.pack(status, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024)


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
    """Entry point; the bootstrap in ``bare`` passes a descriptor."""
    warm()
    sys.modules["autograder"].__path__ = []  # nothing more of the grader can be imported from here on
    main(socket.socket(fileno=int(descriptor)), setup)
    os._exit(0)  # Python's own end would go through all objects, and copy each page that is shared
