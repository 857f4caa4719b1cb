"""The hidden checks. Not part of a student's installation."""
