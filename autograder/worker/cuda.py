"""Tensors on a CUDA device: full precision, a limit on its memory, and how much of it a program needed."""

from __future__ import annotations

import contextlib

import torch


def warm() -> None:
    """Start the driver in this process, and load what a product of matrices needs.

    That took about 5 seconds on an H100 that 15 other workers used too. It happens before the worker reports that it is
    ready, so no limit of a submission counts it. ``begin`` reports what does not work.
    """
    with contextlib.suppress(Exception):
        ones = torch.ones(2, 2, device="cuda")
        (ones @ ones).sum().item()


def begin(memory_bytes: int) -> None:
    """Apply the settings before every program, for a submission may have changed them. Raises RuntimeError without a
    device.

    TF32 would leave float32 only ten bits (https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html). cuDNN
    can't differentiate an RNN in eval mode, which the CPU can.
    """
    torch.backends.cudnn.enabled = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, memory_bytes / total))
    torch.cuda.reset_peak_memory_stats()


def peak() -> int:
    """Return the largest number of bytes that the program's tensors have taken on the device."""
    return torch.cuda.max_memory_allocated()
