"""The reference. ``functions`` holds the mathematics, ``modules`` the names that students use."""
