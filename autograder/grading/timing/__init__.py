"""Timing of submissions against the references."""
