"""Overwrites small integers and constants in its memory, which it shares with the server until it writes."""
import ctypes

import torch

ctypes.memset(id(257) + 24, 0, 4)
ctypes.memset(torch.zeros(1).data_ptr(), 255, 4)
ctypes.memset(id(0.5) + 16, 0, 8)
