"""The environment variables of a Python that may run student code: a short list, whatever the grader's own are."""

from __future__ import annotations

import os

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # a student's sets have the same order in every run
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",  # a forked child of a process with two threads can hang
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Large pages have a small table, which a fork copies. Freed memory stays, for new pages cost more than a question.
    "GLIBC_TUNABLES": ":".join(
        f"glibc.malloc.{name}"
        for name in ("hugetlb=1", "mmap_threshold=33554432", "trim_threshold=268435456", "top_pad=1048576")
    ),
    "TORCHINDUCTOR_CACHE_DIR": "/",  # parts of torch make this folder when imported; this one exists
    "USE_PYTORCH_KERNEL_CACHE": "0",  # torch would write empty files, as every file is limited to 0 bytes, and run them
    "CUDA_CACHE_DISABLE": "1",  # the driver's own cache
}
CUDA = "CUDA_VISIBLE_DEVICES"  # which devices a process may use
KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # where they are set, Python does not start without them


def variables(device: str = "cpu") -> dict[str, str]:
    """Return the environment variables of such a Python. They do not depend on the grader's own.

    On the CPU no CUDA device is visible: at the first backward pass, torch would start threads for it.
    """
    kept = {name: os.environ[name] for name in (*KEPT, CUDA) if name in os.environ}
    return ENVIRONMENT | kept | ({} if device == "cuda" else {CUDA: ""})
