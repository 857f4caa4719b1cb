"""What attacks are after: a home, a seed, the work of others, grades, all with a secret; and places to leave things."""

from __future__ import annotations

import ctypes
import glob
import os
import subprocess
import sysconfig
from pathlib import Path

import msgspec

from tests.hostile.attacks import ROOT

CANARY = "c4n4ry-7f0e9a41"  # the course's seed, and the secret in every file that is planted
SHARED_PLACES = (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    "/var/lock",
    "/dev/mqueue",
    "/var/spool/cron",
    "/var/spool/cron/crontabs",
    "/etc/cron.d",
    "/etc/profile.d",
    "/etc/systemd/system",
)
SCRATCH = "attngrade-*"  # how the folders are called in which workers start


def remove(path: str) -> None:
    """Removes whatever it is, in whatever state: folders a thousand deep that nobody may enter, say."""
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*words, "--", path], check=False, stderr=subprocess.DEVNULL)


class World(msgspec.Struct, frozen=True):
    """A folder that all users may enter. ``token`` tells this world's traces from those of others."""

    root: str
    token: str
    shelf: str

    @property
    def folder(self) -> Path:
        """Where all of it is."""
        return Path(self.root)

    @property
    def cache(self) -> Path:
        """The grader's cache."""
        return Path(self.shelf)

    @property
    def home(self) -> Path:
        """The grader's home."""
        return self.folder / "home"

    @property
    def work(self) -> Path:
        """What the class handed in."""
        return self.folder / "class"

    @property
    def out(self) -> Path:
        """The output folder of a run."""
        return self.folder / "out"

    @property
    def trace(self) -> Path:
        """Where everybody may write."""
        return self.folder / "trace"

    @property
    def comm(self) -> str:
        """The name that processes take which are to outlive their submission; the kernel keeps 15 bytes."""
        return f"atk{self.token[:8]}"

    @property
    def key(self) -> int:
        """The key of System V objects."""
        return int(self.token[:7], 16)

    def words(self) -> dict[str, str]:
        """What stands in attacks for places of this world."""
        places = {"HOME": self.home, "CLASS": self.work, "OUT": self.out, "TRACE": self.trace, "CACHE": self.cache}
        marks = {"TOKEN": self.token, "MARK": f"mark-{self.token}", "COMM": self.comm, "KEY": str(self.key)}
        return {name: str(path) for name, path in places.items()} | marks | {"ROOT": str(ROOT)}

    def environment(self) -> dict[str, str]:
        """The grader's variables, with a secret among them."""
        own = {
            "HOME": self.home,
            "ATTNGRADE_SEED": CANARY,
            "XDG_CACHE_HOME": self.cache,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return {**os.environ, **{name: str(value) for name, value in own.items()}}

    def plant(self) -> None:
        """Puts everything in its place."""
        secrets = {
            self.home / ".config" / "attngrade" / "seed": CANARY,
            self.home / "notes.txt": f"notes {CANARY}",
            self.work / "neighbour" / "masking.py": f"# {CANARY}\n",
            self.out / "grades.csv": f"student,score\nana,{CANARY}\n",
            self.cache / "attngrade" / "planted": CANARY,
        }
        for path, text in secrets.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.trace.mkdir(exist_ok=True)
        self.trace.chmod(0o777)
        self._plant_file()

    def _plant_file(self) -> None:
        planted = self.trace / "planted"
        planted.write_text("planted\n")
        planted.chmod(0o666)
        os.utime(planted, (10**9, 10**9))

    def leftovers(self) -> list[str]:
        """What somebody has left or changed; it is there no longer afterwards."""
        found = [str(path) for path in self.trace.iterdir() if path.name != "planted"]
        places = [*SHARED_PLACES, self.home, self.out, *self._python()]
        found += [path for place in places for path in glob.glob(f"{place}/*mark-{self.token}*", include_hidden=True)]
        found += glob.glob(f"/tmp/{SCRATCH}/*{self.token}*")
        for path in found:
            remove(path)
        if not self._as_planted():
            found.append("the planted file is not as it was")
            (self.trace / "planted").unlink(missing_ok=True)
            self._plant_file()
        return found + self._objects()

    def _python(self) -> list[str]:
        library = sysconfig.get_path("stdlib")
        return [sysconfig.get_path("purelib"), library, library + "/__pycache__"]

    def _as_planted(self) -> bool:
        planted = self.trace / "planted"
        if not planted.is_file() or planted.read_text() != "planted\n":
            return False
        status = planted.stat()
        owned = status.st_uid == os.stat(self.folder).st_uid
        plain = (status.st_mode & 0o7777, status.st_nlink, status.st_mtime) == (0o666, 1, 10**9)
        return owned and plain and not os.listxattr(planted)

    def _objects(self) -> list[str]:
        """System V objects with our key, which are removed."""
        found, libc = [], ctypes.CDLL(None)
        for kind, remove in (
            ("shm", lambda number: libc.shmctl(number, 0, None)),
            ("sem", lambda number: libc.semctl(number, 0, 0)),
            ("msg", lambda number: libc.msgctl(number, 0, None)),
        ):
            for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
                if int(line.split()[0]) == self.key:
                    found.append(f"System V {kind}")
                    remove(int(line.split()[1]))
        return found
