"""The people's side of a mark: deadlines, lateness, what people decide, and who is meant by a name."""
