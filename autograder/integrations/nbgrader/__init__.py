"""A course for nbgrader, graded by us: nbgrader keeps its gradebook, its commands and its formgrader.

``cells`` says what stands in a test cell, ``course`` makes a course folder, ``autograde`` takes the place of
nbgrader's execution, ``bulk`` does the same for a whole class at once; ``restore``, ``verdicts`` and
``records`` are what these two share. nbgrader itself is imported only where it is needed.
"""
