"""Sleeps while it is loaded, awake for a moment now and then, so that it never sleeps for long at a time."""
import time

while True:
    time.sleep(0.3)
    sum(range(1000))
