"""attngrade inside other programs: nbgrader, otter, Gradescope, GitHub, Jupyter, pytest; and exports of grades."""
