"""Results as pages: the class, its students, and what goes back to each of them. They open from a disk."""

from autograder.report.web.report import write_report

__all__ = ["write_report"]
