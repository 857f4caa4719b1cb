"""Lies beside a conftest.py, which pytest would run."""
