"""The references: each assignment's mathematics as pure functions from tensors to tensors.

Weights are arguments, in the layout of ``nn.Linear``: (out, in). Everything is batch first. A mask is True where a
position may be attended to. Every result has gradients in every floating-point input.
"""
