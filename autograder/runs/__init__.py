"""A class: many submissions, what is kept of them, and what is graded again."""
