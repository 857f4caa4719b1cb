"""Opens settings of the kernel for writing."""
import os

for name in ("/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
             "/sys/fs/cgroup/cgroup.procs", "/proc/self/oom_score_adj", "/proc/self/uid_map"):
    try:
        fd = os.open(name, os.O_WRONLY)
    except OSError:
        continue
    raise RuntimeError("STO" "LEN " + name + str(fd))
raise OSError("refused")
