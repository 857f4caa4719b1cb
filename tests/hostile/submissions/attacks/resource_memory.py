"""Takes a gigabyte."""
hog = bytearray(1 << 30)
raise RuntimeError("STO" "LEN memory: " + str(len(hog)))
