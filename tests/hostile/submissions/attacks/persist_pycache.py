"""Puts a compiled file of its own into a cache of compiled files."""
import os
import textwrap

place = os.path.dirname(textwrap.__file__) + "/__pycache__"
os.close(os.open(place + "/@MARK@.cpython-311.pyc", os.O_CREAT | os.O_RDWR, 0o666))
