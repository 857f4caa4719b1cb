"""Deletes a file of somebody else's."""
import os

os.unlink("@TRACE@/planted")
