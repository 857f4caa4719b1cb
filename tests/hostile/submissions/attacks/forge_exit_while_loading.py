"""Ends successfully while it is loaded."""
import os

os._exit(0)
