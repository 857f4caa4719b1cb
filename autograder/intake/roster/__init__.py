"""Rosters: who is in the course, and which submission belongs to whom."""

from autograder.intake.roster.matching import Matching, PeopleFinder, match, student_ids
from autograder.intake.roster.people import Person, Roster, read_roster

__all__ = ["Matching", "PeopleFinder", "Person", "Roster", "match", "read_roster", "student_ids"]
