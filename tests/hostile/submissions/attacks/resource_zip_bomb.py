"""Unpacks a gigabyte out of a megabyte."""
import zlib

packed = zlib.compress(bytes(64 << 20), 9)
unpacked = b"".join(zlib.decompress(packed) for _ in range(16))
raise RuntimeError("STO" "LEN memory: " + str(len(unpacked)))
