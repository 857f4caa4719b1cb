"""The layers of the confinement and what each stops. ``confine`` and ``server`` put them up."""

from __future__ import annotations

from typing import NamedTuple


class Layer(NamedTuple):
    """One layer. Nothing is graded without the ``floor``. ``attngrade doctor`` shows ``stops`` and ``advice``."""

    name: str
    floor: bool
    stops: str
    advice: str


LAYERS = (
    Layer(
        "limits",
        True,
        "more time, memory, output and open files than a submission may have",
        "a limit of this session may be lower than --memory-gb asks for: see ulimit -a",
    ),
    Layer(
        "closed",
        True,
        "the grader's descriptors, variables, arguments and memory; outliving it; setuid programs",
        "needs Linux 3.5 or newer",
    ),
    Layer(
        "landlock",
        True,
        "opening any file but Python's own, for reading",
        "needs Linux 5.13 or newer with landlock among `cat /sys/kernel/security/lsm`",
    ),
    Layer(
        "seccomp",
        True,
        "processes, threads, programs, sockets, signals, changing files",
        "needs libseccomp: apt install libseccomp2, dnf install libseccomp",
    ),
    Layer(
        "namespaces",
        False,
        "seeing that other files, processes and networks exist",
        "needs root with CAP_SYS_ADMIN, or user namespaces: sysctl kernel.unprivileged_userns_clone, "
        "kernel.apparmor_restrict_unprivileged_userns; in Docker: --security-opt seccomp=unconfined, and with a GPU "
        "--security-opt systempaths=unconfined",
    ),
    Layer("uid", False, "being the user who grades", "needs root, and Python where other users can read it"),
)
FLOOR = tuple(layer.name for layer in LAYERS if layer.floor)
