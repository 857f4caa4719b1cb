"""Puts the checkout on the path and imports the references and the hidden checks."""
import sys

sys.path.insert(0, "@ROOT@")
for name in [name for name in sys.modules if name.split(".")[0] == "autograder"]:
    del sys.modules[name]
from autograder.assignments.masking.hidden import checks as masking

raise RuntimeError("STO" "LEN " + repr(masking.CHECKS)[:200])
