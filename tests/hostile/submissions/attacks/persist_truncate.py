"""Empties a file of somebody else's without writing to it."""
import os

os.truncate("@TRACE@/planted", 0)
