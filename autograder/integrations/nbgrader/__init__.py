"""Courses of nbgrader, graded by attngrade. nbgrader keeps its gradebook, its commands and its formgrader.

    cells              reads and writes test cells, and reads a released notebook's cells.
    course             makes a course folder.
    autograde          replaces nbgrader's execution in ``nbgrader autograde`` and in the formgrader.
    bulk               grades a whole class at once.
    restored_notebook  rebuilds a submitted notebook.
    safe_markdown      makes a student's Markdown safe to show.
    cell_scores        turns a grade into scores of test cells.
    gradebook          reads and writes nbgrader's gradebook.
    other_files        copies the files next to a notebook.

Only ``autograde``, ``bulk``, ``gradebook`` and ``other_files`` import nbgrader.
"""
