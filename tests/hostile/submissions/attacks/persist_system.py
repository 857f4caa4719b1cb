"""Has a shell write a file."""
import os

os.system("echo here > @TRACE@/shell")
