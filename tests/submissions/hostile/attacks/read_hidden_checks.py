"""Opens the hidden checks."""
raise RuntimeError("STO" "LEN " + open("@ROOT@/autograder/specs/hidden/masking.py").read(200))
