"""Imports a module from beside itself, by its folder and the working folder."""
import os
import sys

sys.path[:0] = ["", ".", os.path.dirname(os.path.abspath(__file__)), "@CLASS@/shadow_helper"]
import helper

raise RuntimeError("STO" "LEN " + str(helper.VALUE))
