"""Leaves its root by making another one."""
import os

os.chroot("/usr")
raise RuntimeError("STO" "LEN another root")
