"""How to run a command as an ordinary user, where the tests are root's.

Python often lies in root's home, which nobody else may enter. The command then sees another home of root's, in mount
namespaces of its own, that holds nothing but that Python, and that all may enter. Nothing on the machine changes.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.hostile.attacks import ROOT

UID = 65534  # nobody
AS_USER = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--")
SHOW = """
set -e
stage=$(mktemp -d)
mount --rbind "$2" "$stage"
mount -t tmpfs -o mode=755 none "$1"
mkdir -p "$2"
mount --rbind "$stage" "$2"
umount -l "$stage"
rmdir "$stage"
shift 2
exec "$@"
"""

# The first start may still be with root's rights to open files; the second is not.
TRY = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import msgspec'], check=True)"


@functools.cache
def command() -> tuple[tuple[str, ...], str]:
    """The words before a command that make it an ordinary user's; or none, and the reason."""
    if os.geteuid() != 0:
        return (), "the tests are an ordinary user's already"
    if missing := [name for name in ("setpriv", "unshare", "mount") if not shutil.which(name)]:
        return (), f"no {missing[0]} here"
    prefixes = [AS_USER]
    if closed := _closed(Path(sys.base_prefix)):
        prefixes.append(("unshare", "--mount", "sh", "-c", SHOW, "sh", str(closed), sys.base_prefix, *AS_USER))
    for words in prefixes:
        asked = [*words, sys.executable, "-c", TRY]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        if done.returncode == 0:
            return words, ""
    return (), f"an ordinary user can't run {sys.executable}: {done.stderr.strip()[-200:]}"


def _closed(path: Path) -> Path | None:
    """The first folder on the way to a path that others may not enter."""
    return next((parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001), None)
