"""otter-grader 7: the master notebook, what its autograder.zip holds, and the plugin that keeps student code out of
otter's own process."""
