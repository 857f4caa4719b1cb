"""The errors of intake."""

from __future__ import annotations


class IntakeError(ValueError):
    """The call is wrong; the text is one sentence for the person at the keyboard."""


class Unreadable(Exception):
    """One student's file cannot be opened as what it claims to be; the text completes "FILE …"."""
