"""Which layers of the confinement can be had here: tried for real, by the user at hand, once a process."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile

import msgspec

from autograder.sandbox import bare, setup, syscalls
from autograder.sandbox.layers import FLOOR, LAYERS
from autograder.sandbox.limits import Limits

PROBE_SECONDS = 60.0


class SandboxError(Exception):
    """The sandbox itself failed: never a student's fault."""


@functools.cache
def missing() -> dict[str, str]:
    """The layers that can't be put up, each with the reason."""
    if sys.platform != "linux":
        reason = f"{sys.platform} has nothing of the kind"
        return {layer.name: reason for layer in LAYERS}
    reasons = {}
    try:
        syscalls.compiled()
    except Exception as error:  # whatever the binding raises: the layer can't be had
        reasons["seccomp"] = f"{type(error).__name__}: {error}"
    if exposed := setup.exposed():
        reasons["landlock"] = f"{exposed} lies among Python's own files, which workers may read"
    return (
        _probed(prepared(Limits(), tuple(layer.name for layer in LAYERS if layer.name not in reasons)))
        | reasons
    )


def _probed(told: setup.Setup) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="attngrade-") as scratch:
        told = msgspec.structs.replace(told, scratch=scratch)
        try:
            done = subprocess.run(
                bare.command("probe", told),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=bare.environment(),
                timeout=PROBE_SECONDS,
                check=True,
            )
            return msgspec.json.decode(done.stdout, type=dict[str, str])
        except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
            reason = f"it could not be tried: {type(error).__name__}"
            return {layer.name: reason for layer in LAYERS}


def layers(unconfined: bool = False) -> tuple[str, ...]:
    """Those that can be put up. Raises SandboxError where one of the floor is missing and nobody said
    ``unconfined``."""
    if _gap() and not unconfined:
        raise SandboxError(
            f"submissions can't be confined here: {_gap()}. See attngrade doctor; --unconfined grades all the "
            "same, and trusts every submission with all that this user may do"
        )
    return tuple(layer.name for layer in LAYERS if layer.name not in missing())


def warning() -> str:
    """What a report says where a layer of the floor is missing; else empty."""
    return f"Graded without confinement: {_gap()}." if _gap() else ""


def _gap() -> str:
    return "; ".join(f"no {name} ({reason})" for name, reason in missing().items() if name in FLOOR)


def prepared(
    limits: Limits,
    chosen: tuple[str, ...],
    scratch: str = "",
    device: str = "cpu",
) -> setup.Setup:
    """What a Python is told that puts these layers up."""
    calls = syscalls.compiled(device=device) if "seccomp" in chosen else b""
    view = setup.view(device) if os.name == "posix" else ()
    return setup.Setup(limits, chosen, calls, view, scratch, device)
