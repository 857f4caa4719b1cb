"""Crashes in a timed call."""

import ctypes


def crashing(self, decoder_state, encoder_states):
    ctypes.string_at(0)


BahdanauAttention.forward = crashing
