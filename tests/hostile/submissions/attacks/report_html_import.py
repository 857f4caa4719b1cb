"""Puts a script into the reason why it can't be loaded, with a place of its own."""
raise SyntaxError("<script>alert(1)</script>", ("masking.py", 3, 1, "<script>alert(2)</script>"))
