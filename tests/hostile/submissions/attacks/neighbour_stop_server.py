"""Stops its parent, so that the grader waits for it."""
import os

os.kill(os.getppid(), 19)
