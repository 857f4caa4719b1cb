"""Grade one submission: its check suite, the session with its workers, the runner and the timing."""
