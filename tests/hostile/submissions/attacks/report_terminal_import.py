"""Sends such sequences in the reason why it can't be loaded, with carriage returns that overwrite the line."""
raise ImportError("\x1b[2J\r\x1b[32m100 of 100 points\x1b[0m\n\v\f\x85\u2028\u2029done")
