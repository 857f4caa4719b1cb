"""What a student reads: messages, causes, the names of axes; and how a cause is diagnosed."""
