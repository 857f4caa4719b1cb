"""Starts a program that goes on without it."""
import subprocess

subprocess.Popen(["/bin/sh", "-c", "printf @COMM@ > /proc/self/comm; sleep 120; true"], start_new_session=True)
