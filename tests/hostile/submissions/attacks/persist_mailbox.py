"""Leaves a message, in names of empty folders, for the submission after it, in the folder that it starts in."""
import os

os.mkdir("mail-@TOKEN@")
os.chmod("mail-@TOKEN@", 0)
