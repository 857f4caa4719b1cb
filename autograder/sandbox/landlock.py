"""Landlock rules: a worker can open files in its view for reading, and nothing else.

https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from enum import IntFlag

import py_landlock as landlock

READ = landlock.AccessFs.READ_FILE | landlock.AccessFs.READ_DIR
NULL_DEVICE = landlock.AccessFs.READ_FILE | landlock.AccessFs.WRITE_FILE


def ruleset(view: Iterable[str], devices: Iterable[str] = ()) -> int:
    """Return a descriptor of the rules, which all workers share. Raises LandlockError.

    A process under these rules can read ``view``, and use the null device and ``devices``. Everything else that this
    kernel's Landlock knows is refused, also TCP, sockets of others and signals to others.
    """
    abi = landlock.get_abi_version()
    attributes = landlock.RulesetAttr(
        _handled(landlock.AccessFs, abi, {1: 13, 2: 14, 3: 15, 5: 16}),
        _handled(landlock.AccessNet, abi, {4: 2}),
        _handled(landlock.Scope, abi, {6: 2}),
    )
    rules = landlock.create_ruleset(attributes)
    for path in view:
        _allow(rules, path, READ)
    _allow(rules, os.devnull, NULL_DEVICE)
    control = getattr(landlock.AccessFs, "IOCTL_DEV", landlock.AccessFs(0)) if abi >= 5 else landlock.AccessFs(0)
    for path in devices:
        _allow(rules, path, NULL_DEVICE | control, NULL_DEVICE | control)
    return int(rules)


def allow_itself(rules: int) -> None:
    """Let this process read what the kernel tells of it, and name its threads: CUDA's driver does not start without.

    Both folders stay open, for the kernel may forget them otherwise, and the rules with them.
    """
    writing = landlock.AccessFs.WRITE_FILE
    if landlock.get_abi_version() >= 3:
        writing |= landlock.AccessFs.TRUNCATE  # as the driver opens the file
    for path, access in (("/proc/self", READ), ("/proc/self/task", READ | writing)):
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        landlock.add_rule(landlock.RulesetFd(rules), landlock.PathBeneathAttr(int(access), folder))


def _handled(flags: type[IntFlag], abi: int, known: dict[int, int]) -> int:
    """Return the flags that this version of the interface knows. ``known``: first version -> number of flags."""
    count = max((count for since, count in known.items() if since <= abi), default=0)
    return sum(flag.value for flag in list(flags)[:count])


def _allow(
    rules: landlock.RulesetFd, path: str, access: landlock.AccessFs, of_files: landlock.AccessFs = NULL_DEVICE
) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= of_files  # a file has no entries
        landlock.add_rule(rules, landlock.PathBeneathAttr(int(access), descriptor))
    finally:
        os.close(descriptor)


def restrict(rules: int) -> None:
    """Hold this process to the rules for good, and close them. PR_SET_NO_NEW_PRIVS must be set."""
    landlock.restrict_self(landlock.RulesetFd(rules), None)
    os.close(rules)
