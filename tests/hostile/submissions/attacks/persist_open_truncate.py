"""Empties a file by opening it only."""
import os

os.close(os.open("@TRACE@/planted", os.O_WRONLY | os.O_TRUNC))
