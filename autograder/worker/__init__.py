"""What runs beside the student's code: load the file, run programs on it, reply with data.

Nothing here knows an expected value, a tolerance, a point or a check's name; nothing here may import
a room of the grader but ``model`` and ``wire``.
"""
