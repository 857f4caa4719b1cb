"""Reaches the seed through a link and through .. in a path that may be read."""
import os
import torch

place = os.path.dirname(torch.__file__)
up = "/".join([".."] * place.count("/"))
raise RuntimeError("STO" "LEN " + open(f"{place}/{up}@HOME@/.config/attngrade/seed").read())
