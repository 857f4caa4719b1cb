"""What each command does, once ``cli`` has read its arguments; each module is imported only when it is needed."""
