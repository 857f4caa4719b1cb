"""What checks and known mistakes of every assignment are written with."""
