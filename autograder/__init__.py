"""attngrade: an autograded course-assignment harness for attention mechanisms."""

__version__ = "0.1.0"
