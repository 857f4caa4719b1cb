"""Renames a file of somebody else's."""
import os

os.rename("@TRACE@/planted", "@TRACE@/moved")
