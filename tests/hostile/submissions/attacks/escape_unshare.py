"""Makes itself namespaces in which it is root."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000) and libc.unshare(0x00020000):
    raise OSError(ctypes.get_errno(), "refused")
raise RuntimeError("STO" "LEN a namespace")
