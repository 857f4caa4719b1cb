"""Lies beside modules and a .pth file that Python would run when it starts."""
