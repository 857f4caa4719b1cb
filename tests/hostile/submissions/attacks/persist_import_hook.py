"""Leaves a .pth file and a module where every Python would load them."""
import os
import sysconfig

for place in {sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")}:
    try:
        os.close(os.open(place + "/@MARK@.pth", os.O_CREAT | os.O_RDWR, 0o666))
    except OSError as error:
        print(error)
raise OSError("all refused, or not")
