"""Gives the grader's package its path back and imports the oracle from it."""
import importlib
import sys

sys.modules.setdefault("autograder", type(sys)("autograder")).__path__ = ["@ROOT@/autograder"]
sys.path.append("@ROOT@")
oracle = importlib.import_module("autograder.instructor.oracle")
raise RuntimeError("STO" "LEN " + repr(oracle.prepare))
