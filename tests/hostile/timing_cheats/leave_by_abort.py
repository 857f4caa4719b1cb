"""Aborts in a timed call."""

import os


def aborting(self, decoder_state, encoder_states):
    os.abort()


BahdanauAttention.forward = aborting
