"""Computes for long in each timed call, but less than a call may take, so that everybody behind it waits."""

import time

forward = BahdanauAttention.forward


def burning(self, decoder_state, encoder_states):
    end = time.process_time() + 2
    while time.process_time() < end:
        pass
    return forward(self, decoder_state, encoder_states)


BahdanauAttention.forward = burning
