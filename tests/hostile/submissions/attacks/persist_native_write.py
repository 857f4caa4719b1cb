"""Has the C library, torch and numpy write files."""
import ctypes

import numpy
import torch

ctypes.CDLL(None).creat(b"@TRACE@/native", 0o666)
for write in (
    lambda: torch.save(torch.zeros(2), "@TRACE@/torch"),
    lambda: numpy.zeros(2).tofile("@TRACE@/numpy"),
    lambda: torch.from_file("@TRACE@/shared", shared=True, size=4),
    lambda: torch.zeros(2).share_memory_(),
):
    try:
        write()
    except Exception as error:
        print(error)
