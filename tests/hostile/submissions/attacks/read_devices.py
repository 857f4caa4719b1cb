"""Opens memory, disks and the kernel's log."""
import os

opened = []
for name in ("mem", "kmsg", "port", "vda", "sda", "nvme0n1", "fuse", "kvm", "ptmx", "zero", "urandom"):
    try:
        opened.append((name, os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)))
    except OSError:
        pass
assert opened, "no devices"
raise RuntimeError("STO" "LEN " + repr(opened))
