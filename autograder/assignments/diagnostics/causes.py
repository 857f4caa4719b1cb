"""Causes."""

CAUSES: dict[str, str] = {}
