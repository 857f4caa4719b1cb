"""Lies beside files named torch.py, numpy.py and msgspec.py."""
