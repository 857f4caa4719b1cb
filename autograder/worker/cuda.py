"""Settings for tensors on a CUDA device: full precision, and a limit on its memory."""

from __future__ import annotations

import torch


def begin(memory_bytes: int) -> None:
    """Apply the settings before every program, for a submission may have changed them. Raises RuntimeError without a
    device.

    TF32 would leave float32 only ten bits (https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html).
    """
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, memory_bytes / total))
