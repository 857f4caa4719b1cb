"""Sleeps in a timed call, so that everybody behind it waits and no CPU time is ever used."""

import time


def asleep(self, decoder_state, encoder_states):
    while True:
        time.sleep(1000)


BahdanauAttention.forward = asleep
