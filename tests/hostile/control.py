"""Runs attacks where nothing is confined, to see that they are attacks.

    python -m tests.hostile.control WORLD NAMES    both in JSON; prints the names of those that succeed

Each runs in a process two below this one: between them is one that stands for the fork server.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from typing import NoReturn

import msgspec
import torch

from autograder.sandbox import confine
from tests.hostile import processes
from tests.hostile.attacks import Attack, declared
from tests.hostile.signs import STOLEN
from tests.hostile.world import World, remove

SECONDS = 30  # then it is ended


def succeeds(world: World, attack: Attack) -> bool:
    """Whether an attack shows its sign."""
    reading, writing = os.pipe()
    scratch = tempfile.mkdtemp(prefix="attngrade-")
    server = os.fork()
    if server == 0:
        os.close(reading)
        os.setsid()
        _serve(world, attack, scratch, writing)
    os.close(writing)
    _, status = os.waitpid(server, os.WUNTRACED)
    hurt = os.WIFSTOPPED(status) or os.WIFSIGNALED(status)
    if "process" in attack.signs and not hurt:  # it may still be starting
        processes.wait_until(lambda: world.comm in processes.below().values())
    left = processes.below()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server, signal.SIGKILL)
    processes.end_all()
    os.set_blocking(reading, False)
    with open(reading, "rb") as file:
        said = (file.read() or b"").decode("utf-8", "replace")
    traces = world.leftovers()
    remove(scratch)
    return hurt or world.comm in left.values() or STOLEN in said or bool(traces)


def _serve(world: World, attack: Attack, scratch: str, writing: int) -> NoReturn:
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.chdir(scratch)
        confine.silence()
        text = ""
        try:
            exec(compile(attack.source(world.words()), "attack.py", "exec"), {"__name__": "attack"})  # noqa: S102
        except BaseException as error:
            text = repr(error)
        os.write(writing, text.encode("utf-8", "replace")[:60_000])
        os._exit(0)
    os.waitpid(child, 0)
    os._exit(0)


if __name__ == "__main__":
    place, names = msgspec.json.decode(sys.argv[1], type=World), msgspec.json.decode(sys.argv[2])
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    torch.set_num_threads(1)
    processes.adopt()
    for one in declared():
        if one.name in names and succeeds(place, one):
            print(one.name)
