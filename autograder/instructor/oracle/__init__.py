"""Plays programs on the references: the same steps as in a worker, with the right answers.

Only this room, the kit's hidden part and the known mistakes import ``reference``. The oracle computes everything in
float64, whatever the dtype of the program, from the inputs as rounded for the student. Students do not get it.
"""

from autograder.instructor.oracle.interpreter import Player, prepare, right_results
from reference.stand_in import Ambiguous

__all__ = ["Ambiguous", "Player", "prepare", "right_results"]
