"""Has torch start threads, by more threads, a data loader and a backward pass."""
import os

import torch

torch.set_num_threads(8)
a = torch.ones(600, 600, requires_grad=True)
(a @ a).sum().backward()
threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
assert threads <= 2, "STO" "LEN threads: " + str(threads)
