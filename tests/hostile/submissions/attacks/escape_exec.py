"""Becomes a shell."""
import os

os.execv("/bin/sh", ["sh", "-c", "echo here > @TRACE@/became"])
