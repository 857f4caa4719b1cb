"""Tools for writing known mistakes. A student's installation does not have them."""
