"""Looks whether it is root in the machine's eyes and owns the files of others."""
import os

owner = os.stat(os.__file__).st_uid
assert not (os.getuid() == 0 and os.access(os.__file__, os.W_OK)), "STO" "LEN write access to " + os.__file__ + str(owner)
