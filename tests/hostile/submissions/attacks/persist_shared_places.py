"""Leaves files in every shared folder of the machine."""
import os

for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/lock", "/dev/mqueue", "."):
    try:
        os.close(os.open(place + "/@MARK@", os.O_CREAT | os.O_RDWR, 0o666))
    except OSError as error:
        print(error)
raise OSError("all refused, or not")
