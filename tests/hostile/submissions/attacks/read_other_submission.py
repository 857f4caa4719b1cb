"""Opens the work of another student."""
raise RuntimeError("STO" "LEN " + open("@CLASS@/neighbour/masking.py").read())
