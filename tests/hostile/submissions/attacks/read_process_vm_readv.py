"""Copies memory out of its parent with process_vm_readv."""
import ctypes
import os


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
here = ctypes.create_string_buffer(16)  # a forked parent has the same things at the same places
ours, theirs = Piece(ctypes.addressof(here), 16), Piece(id(os), 16)
count = libc.process_vm_readv(os.getppid(), ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
if count < 0:
    raise OSError(ctypes.get_errno(), "refused")
raise RuntimeError("STO" "LEN " + repr(here.raw))
