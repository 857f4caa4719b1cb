"""Matches an expression that takes for ever and lets no Python signal handler run."""
import re

re.match(r"(a+)+$", "a" * 60 + "b")
