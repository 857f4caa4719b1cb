"""Lies beside a package that is named as the grader is."""
