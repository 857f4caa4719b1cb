"""Ignores every signal that it may, and waits."""
import signal
import time

for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        time.sleep(1000)
    except BaseException:
        pass
