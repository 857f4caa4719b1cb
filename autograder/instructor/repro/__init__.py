"""Writes scripts that show one student's code at one check, for a debugger. They are for staff only.

A script holds the inputs, weights and expected values of the check's cases, and needs only torch and NumPy.
"""

from autograder.instructor.repro.script import Facts, script

__all__ = ["Facts", "script"]
