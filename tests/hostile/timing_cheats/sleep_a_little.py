"""Sleeps for some seconds in each timed call, always less than what ends one."""

import time

forward = BahdanauAttention.forward


def drowsy(self, decoder_state, encoder_states):
    time.sleep(0.7)
    return forward(self, decoder_state, encoder_states)


BahdanauAttention.forward = drowsy
