"""The few bytes that the grader and its fork server say to each other."""

from __future__ import annotations

import struct

READY = b"R"
FORK = b"F"  # with a socket attached
SPLIT = b"S"  # with a socket attached
KILL = b"K"  # followed by PID
PID = struct.Struct(">q")
ENDED = struct.Struct(">qddq")  # wait status, user and system seconds, peak resident bytes
COMMAND_BYTES = 1 + PID.size
UNCONFINED = 97  # exit code of a worker on which a layer could not be put
