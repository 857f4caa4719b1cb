"""Sleeps in a timed call, computes nothing, and hangs up at the end: all that it costs is time."""

import os
import time


def asleep(self, decoder_state, encoder_states):
    time.sleep(0.9)
    os.closerange(3, 64)
    time.sleep(1000)


BahdanauAttention.forward = asleep
