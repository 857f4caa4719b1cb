"""Answers without any result, or with fewer or more results than there were steps."""
import os
import sys

calls = []


def padding_mask(lengths, max_len=None):
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    wire, model = sys.modules["autograder.protocol.wire"], sys.modules["autograder.protocol"]
    request, stream = frame.f_locals["request"], frame.f_locals["stream"]
    names = [step.into for step in request.program.steps]
    for forged in ((), names[:1], names * 2, names[::-1]):
        stream.write(wire.encode(model.Answer(request.nonce, tuple(model.StepResult(name) for name in forged))))
    os._exit(0)


causal_mask = window_mask = strided_mask = combine_masks = masked_softmax = masked_attention = padding_mask
