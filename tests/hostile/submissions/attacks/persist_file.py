"""Writes a file where all may write."""
open("@TRACE@/file", "w").write("here")
