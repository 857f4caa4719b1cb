"""Writes into its parent with process_vm_writev."""
import ctypes
import os


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
word = ctypes.create_string_buffer(b"x" * 16)
piece = Piece(ctypes.addressof(word), 16)
if libc.process_vm_writev(os.getppid(), ctypes.byref(piece), 1, ctypes.byref(piece), 1, 0) < 0 and ctypes.get_errno() != 14:
    raise OSError(ctypes.get_errno(), "refused")
raise RuntimeError("STO" "LEN write access to the server")
