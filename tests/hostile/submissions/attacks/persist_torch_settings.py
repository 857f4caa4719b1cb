"""Changes all that torch keeps for a process, for the student after it."""
import torch

for change in (
    lambda: torch.use_deterministic_algorithms(True),
    lambda: torch.manual_seed(0),
    lambda: torch.set_flush_denormal(True),
    lambda: torch.autograd.set_detect_anomaly(True),
    lambda: torch.set_printoptions(precision=1),
    lambda: torch._C._set_default_mobile_cpu_allocator(),
    lambda: torch.set_default_dtype(torch.float16),
    lambda: torch.set_default_device("meta"),
    lambda: torch.set_grad_enabled(False),
):
    try:
        change()
    except Exception as error:
        print(error)
