"""Makes an empty file, which a limit on the size of files does not stop."""
import os

os.close(os.open("@TRACE@/empty", os.O_CREAT | os.O_WRONLY, 0o666))
