"""Opens the hidden checks."""
raise RuntimeError("STO" "LEN " + open("@ROOT@/autograder/assignments/masking/hidden/checks.py").read(200))
