from autograder.model import Cause
CAUSES: dict[str, Cause] = {}
