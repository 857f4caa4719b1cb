"""The two ways in which intake says no."""

from __future__ import annotations


class IntakeError(ValueError):
    """What the caller asked for cannot be done; the text is one sentence for the person at the keyboard."""


class Unreadable(Exception):
    """One student's file cannot be opened as what it claims to be; the text completes "FILE ..."."""
