"""Finds the layers of the confinement that work here, by a real trial, once a process."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile

import msgspec

from autograder.sandbox import bootstrap, config, environment, syscalls
from autograder.sandbox.layers import FLOOR, LAYERS
from autograder.sandbox.limits import Limits

PROBE_SECONDS = 60.0


class SandboxError(Exception):
    """The sandbox itself failed. This is never a student's fault."""


@functools.cache
def missing(device: str) -> dict[str, str]:
    """Return the layers that do not work here with a device, with the reasons."""
    if sys.platform != "linux":
        reason = f"{sys.platform} does not offer it"
        return {layer.name: reason for layer in LAYERS}
    reasons = {}
    try:
        syscalls.compiled(device=device)
    except Exception as error:  # any error of the binding means that the layer does not work
        reasons["seccomp"] = f"{type(error).__name__}: {error}"
    if exposed := config.exposed(device):
        reasons["landlock"] = f"{exposed} lies among Python's own files, which workers may read"
    tried = tuple(layer.name for layer in LAYERS if layer.name not in reasons)
    return _probed(prepared(Limits(), tried, device=device)) | reasons


def _probed(setup: config.Setup) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="attngrade-") as scratch:
        setup = msgspec.structs.replace(setup, scratch=scratch)
        try:
            done = subprocess.run(
                bootstrap.command("probe", setup),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment.variables(),
                timeout=PROBE_SECONDS,
                check=True,
            )
            return msgspec.json.decode(done.stdout, type=dict[str, str])
        except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
            reason = f"the trial failed: {type(error).__name__}"
            return {layer.name: reason for layer in LAYERS}


def layers(unconfined: bool = False, device: str = "cpu") -> tuple[str, ...]:
    """Return the layers that work. Raises SandboxError if a layer of the floor is missing, unless ``unconfined``."""
    if (gap := _gap(device)) and not unconfined:
        raise SandboxError(
            f"submissions can't be confined here: {gap}. See attngrade doctor; --unconfined grades all the "
            "same, and trusts every submission with all that this user may do"
        )
    return tuple(layer.name for layer in LAYERS if layer.name not in missing(device))


def warning(device: str = "cpu") -> str:
    """Return the warning for a report if a layer of the floor is missing, else an empty text."""
    gap = _gap(device)
    return f"Graded without confinement: {gap}." if gap else ""


def _gap(device: str) -> str:
    return "; ".join(f"no {name} ({reason})" for name, reason in missing(device).items() if name in FLOOR)


def prepared(limits: Limits, chosen: tuple[str, ...], scratch: str = "", device: str = "cpu") -> config.Setup:
    """Return the setup of a Python that puts up the ``chosen`` layers."""
    calls = syscalls.compiled(device=device) if "seccomp" in chosen else b""
    view = config.view(device) if os.name == "posix" else ()
    return config.Setup(limits, chosen, calls, view, scratch, device)
