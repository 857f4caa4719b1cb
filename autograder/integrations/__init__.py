"""Leaves that bring the checks into other tools."""
