"""What is wrong with a course's own assignments."""


class CourseError(Exception):
    """A course's folder can't be used. The message says what to do."""
