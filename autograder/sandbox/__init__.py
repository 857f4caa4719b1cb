"""Starts confined workers and ends them. No other room knows the operating system."""
