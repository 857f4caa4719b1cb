"""Makes a folder and a link where all may write."""
import os

os.mkdir("@TRACE@/folder")
os.symlink("/etc/passwd", "@TRACE@/link")
os.mkfifo("@TRACE@/fifo")
