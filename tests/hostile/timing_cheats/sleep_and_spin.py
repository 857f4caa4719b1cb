"""Sleeps and computes by turns in a timed call, so that neither goes on for long."""

import time


def restless(self, decoder_state, encoder_states):
    while True:
        time.sleep(0.45)
        end = time.perf_counter() + 0.05
        while time.perf_counter() < end:
            pass


BahdanauAttention.forward = restless
