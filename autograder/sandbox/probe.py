"""Tries every layer in a process of its own, and prints why one does not hold: JSON, layer -> reason."""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Callable

import msgspec

from autograder.sandbox import confine, kernel, namespaces
from autograder.sandbox.config import Setup
from autograder.sandbox.layers import FLOOR, LAYERS

REASON_BYTES = 300


class Leaky(Exception):
    """A layer does not hold."""


def limits(setup: Setup) -> None:
    confine.limit_resources(setup, confine.mapped_bytes())
    _must(resource.getrlimit(resource.RLIMIT_FSIZE) == (0, 0), "files can be written")


def closed(_: Setup) -> None:
    confine.close_to_others()
    _must(kernel.prctl(kernel.PR_GET_DUMPABLE) == 0, "memory can be read by others")


def landlock(setup: Setup) -> None:
    confine.close_to_others()
    confine.restrict(confine.prepare(setup))
    _refused(lambda: os.open(os.path.join(setup.scratch, "secret"), os.O_RDONLY), "a file outside its view can be read")
    open(os.__file__).close()


def seccomp(setup: Setup) -> None:
    confine.close_to_others()
    kernel.filter_calls(setup.calls)
    _refused(socket.socket, "a socket can be opened")
    _refused(lambda: os.kill(os.getppid(), 0), "signals can be sent")
    _refused(lambda: os.fork() or os._exit(0), "a process can be started")
    open(os.__file__).close()


def in_namespaces(setup: Setup) -> None:
    namespaces.enter()
    confine.change_root(setup)
    _must(os.getpid() == 1, "other processes can be seen")
    _must(not os.path.exists("/etc/passwd"), "other files can be seen")
    open(os.__file__).close()


def uid(setup: Setup) -> None:
    if "namespaces" in setup.layers:
        in_namespaces(setup)
    confine.change_user()
    _must(os.getresuid()[2] == os.getuid() != 0, "it is root still")
    open(os.__file__).close()


def together(setup: Setup) -> None:
    mapped, rules = confine.mapped_bytes(), confine.prepare(setup)
    if "namespaces" in setup.layers:
        in_namespaces(setup)
    confine.confine(setup, rules, mapped)
    open(os.__file__).close()


TRIES: dict[str, Callable[[Setup], None]] = {
    "limits": limits,
    "closed": closed,
    "landlock": landlock,
    "seccomp": seccomp,
    "namespaces": in_namespaces,
    "uid": uid,
}


def start(_: str, setup: Setup) -> None:
    """Entry point. Tries only ``setup.layers``."""
    with open(os.path.join(setup.scratch, "secret"), "w") as file:
        file.write("secret")
    works: tuple[str, ...] = ()
    reasons = {}
    for layer in LAYERS:
        if layer.name not in setup.layers:
            continue
        reason = _tried(TRIES[layer.name], msgspec.structs.replace(setup, layers=(*works, layer.name)))
        if reason:
            reasons[layer.name] = reason
        else:
            works += (layer.name,)
    reason = _tried(together, msgspec.structs.replace(setup, layers=works))
    if reason:
        reasons |= {name: f"not with the others: {reason}" for name in FLOOR if name in works}
    sys.stdout.write(msgspec.json.encode(reasons).decode())


def _tried(attempt: Callable[[Setup], None], setup: Setup) -> str:
    """Return why an attempt failed in a child process, or an empty text."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        reason = "it ended at once"
        try:
            attempt(setup)
            reason = ""
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}"[:REASON_BYTES]
        finally:
            os.write(writing, b"." + reason.encode("utf-8", "replace"))
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        report = pipe.read()
    os.waitpid(pid, 0)
    return report[1:].decode("utf-8", "replace") if report else "it was killed"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Leaky(otherwise)


def _refused(attempt: Callable[[], object], otherwise: str) -> None:
    try:
        attempt()
    except PermissionError:
        return
    raise Leaky(otherwise)
