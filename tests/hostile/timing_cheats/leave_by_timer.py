"""Has the kernel end it in a timed call, by a timer's signal."""

import signal


def waiting(self, decoder_state, encoder_states):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    while True:
        pass


BahdanauAttention.forward = waiting
