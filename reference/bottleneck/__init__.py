"""The reference. ``functions`` and ``counts`` hold the mathematics, ``modules`` the names that students use."""
