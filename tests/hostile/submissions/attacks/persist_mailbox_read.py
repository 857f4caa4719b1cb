"""Looks for what an earlier submission has left in the folder that it starts in."""
import os

names = [name for name in os.listdir(".") if name not in ("dev", "lib", "lib64", "usr", "root", "bin", "etc", "opt", "home", "sbin")]
assert any("@TOKEN@" in name for name in names), names
raise RuntimeError("STO" "LEN " + repr(names))
