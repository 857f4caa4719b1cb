"""Results for people, on a terminal and as HTML pages. This code reads grades and decides nothing."""
