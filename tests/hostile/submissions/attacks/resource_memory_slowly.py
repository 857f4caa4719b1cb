"""Takes memory piece by piece and catches what it is told."""
hog = []
try:
    while len(hog) < 1024:
        hog.append(bytearray(1 << 20))
except MemoryError:
    pass
assert len(hog) < 1024, "STO" "LEN memory: " + str(len(hog))
