"""Who is in the course, and whose submission is whose."""

from autograder.roster.matching import Matching, match, student_ids
from autograder.roster.people import Person, Roster, read_roster

__all__ = ["Matching", "Person", "Roster", "match", "read_roster", "student_ids"]
