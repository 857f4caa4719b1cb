"""The bytes of the protocol between the grader and its fork server."""

from __future__ import annotations

import struct

READY = b"R"
FORK = b"F"  # with a socket attached
SPLIT = b"S"  # with a socket attached
KILL = b"K"
PID = struct.Struct(">q")
ORDER = struct.Struct(">cqd")  # a command; for KILL the pid, and how long it may take to end by itself, in seconds
ENDED = struct.Struct(">q?ddq")  # wait status, by itself, user and system seconds, own peak of resident bytes
UNCONFINED = 97  # exit code of a worker that could not put up a layer
