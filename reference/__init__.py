"""The hidden oracle: each assignment's mathematics as pure functions from tensors to tensors.

Weights are arguments, in the layout of ``nn.Linear``: (out, in). Everything is batch first,
a mask is True where a position may be attended to, and every result can be differentiated
in every floating-point input.
"""
