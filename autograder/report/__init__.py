"""Results for people: on a terminal and as a page. Leaves: they read grades and decide nothing."""
