"""Opens the reference implementation."""
raise RuntimeError("STO" "LEN " + open("@ROOT@/reference/masking.py").read(200))
