"""Writes itself a good grade into the output folder."""
open("@OUT@/@MARK@.json", "w").close()
