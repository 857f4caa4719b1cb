"""The reference. ``functions`` and ``heads`` hold the mathematics, ``modules`` the names that students use."""
