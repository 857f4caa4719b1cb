"""Changes the rights, the times and the attributes of a file."""
import os

for change in (
    lambda: os.chmod("@TRACE@/planted", 0o4777),
    lambda: os.utime("@TRACE@/planted", (0, 0)),
    lambda: os.setxattr("@TRACE@/planted", "user.here", b"1"),
    lambda: os.chown("@TRACE@/planted", 1234, 1234),
):
    try:
        change()
    except OSError as error:
        print(error)
raise OSError("all refused, or not")
