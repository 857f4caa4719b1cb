"""Looks for parts of the grader among the loaded modules, and imports those that are not."""
import importlib
import sys

PARTS = "assignments", "assignments.masking.hidden", "instructor.oracle", "judge", "grading.suite", "grading.runner", "grading.seed", "grading.cache", "feedback", "model"
there = [name for name in PARTS if "autograder." + name in sys.modules]
for name in ("reference", "solutions", *("autograder." + part for part in PARTS)):
    try:
        there.append(importlib.import_module(name).__name__)
    except ImportError:
        pass
assert not there, "STO" "LEN " + repr(there)
