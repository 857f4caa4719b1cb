"""What all rooms know of a course's own assignments."""

COURSE_VARIABLE = "ATTNGRADE_COURSE"  # the folders that hold them, separated as in PATH


class CourseError(Exception):
    """A course's folder can't be used. The message says what to do."""
