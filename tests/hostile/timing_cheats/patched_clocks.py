"""Replaces every clock that Python has by one that stands still."""

import os
import resource
import time

STOPPED = resource.getrusage(resource.RUSAGE_SELF)
resource.getrusage = lambda who: STOPPED
os.times = lambda result=os.times(): result
for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    setattr(time, name, lambda: 0.0)
    setattr(time, name + "_ns", lambda: 0)
time.clock_gettime = lambda clock: 0.0
