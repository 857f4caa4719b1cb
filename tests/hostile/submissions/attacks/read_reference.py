"""Opens the reference implementation."""
raise RuntimeError("STO" "LEN " + open("@ROOT@/reference/masking/functions.py").read(200))
