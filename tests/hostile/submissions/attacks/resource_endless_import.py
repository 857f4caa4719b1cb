"""Never finishes loading, and computes all the time."""
while True:
    pass
