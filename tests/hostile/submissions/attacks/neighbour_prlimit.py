"""Takes the fork server's open files and processes away by prlimit."""
import os
import resource

pid = os.getppid()
resource.prlimit(pid, resource.RLIMIT_NOFILE, (8, 8))
raise RuntimeError("STO" "LEN the server can open nothing")
