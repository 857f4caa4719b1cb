"""The same of the seed, by other calls: access, readlink, chdir, statfs, scandir."""
import os

found = []
for ask in (
    lambda: os.access("@HOME@/.config/attngrade/seed", os.F_OK) or 1 / 0,
    lambda: os.chdir("@HOME@"),
    lambda: os.statvfs("@HOME@"),
    lambda: list(os.scandir("@HOME@")),
    lambda: os.open("@HOME@", os.O_PATH),
    lambda: os.getxattr("@HOME@", "user.x"),
):
    try:
        ask()
        found.append(True)
    except OSError as error:
        found += [True] if error.errno in (61, 95) else []  # no such attribute: the folder is there
    except ZeroDivisionError:
        pass
assert found, "nothing there"
raise RuntimeError("STO" "LEN " + str(found))
