"""The hidden checks and the known mistakes. Not part of a student's installation."""
