"""Appends to the files of the grader's shell and editor."""
import os

os.close(os.open("@HOME@/.profile-@MARK@", os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o666))
