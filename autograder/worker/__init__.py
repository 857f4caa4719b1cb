"""Runs in one process with student code: loads the file, runs programs on it, and replies with data.

Nothing here knows an expected value, a tolerance, a point or a check's name. It imports only ``protocol``.
"""
