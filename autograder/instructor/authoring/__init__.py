"""What helps the authors of a course's own assignments: a first folder, and what is wrong with one."""
