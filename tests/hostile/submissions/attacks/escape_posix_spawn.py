"""Starts programs by calls other than fork: posix_spawn, vfork, clone3, popen, multiprocessing."""
import ctypes
import os

for start in (
    lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "echo here > @TRACE@/spawned"], {}),
    lambda: os.popen("echo here > @TRACE@/popen").close(),
    lambda: ctypes.CDLL(None).system(b"echo here > @TRACE@/system"),
):
    try:
        start()
    except Exception as error:
        print(error)
