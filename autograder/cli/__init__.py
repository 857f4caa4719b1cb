"""The command line. ``commands`` holds one module for each command."""

from autograder.cli.app import main

__all__ = ["main"]
