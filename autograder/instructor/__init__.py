"""Tools for instructors, only in a checkout: the oracle, releases of assignments, and audits of the grader."""
