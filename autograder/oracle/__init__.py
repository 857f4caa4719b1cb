"""Plays a case's program on the references: the same steps as a worker, with the right answers.

The only room that imports ``reference``. Everything is computed in float64, whatever the dtype of the
case, from the inputs as they were rounded for the student. Not part of a student's installation.
"""

from autograder.oracle.play import Ambiguous, Weighted, expected, prepare, shown

__all__ = ["Ambiguous", "Weighted", "expected", "prepare", "shown"]
