"""Code that a script of ``attngrade repro`` holds a copy of. It may import torch, NumPy and the standard library."""
