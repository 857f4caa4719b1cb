"""otter-grader 7: the master notebook, the contents of autograder.zip, and a plugin for otter.

The plugin keeps student code out of otter's own process.
"""
