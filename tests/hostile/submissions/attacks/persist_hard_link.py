"""Gives a file of somebody else's a second name."""
import os

os.link("@TRACE@/planted", "@TRACE@/second")
