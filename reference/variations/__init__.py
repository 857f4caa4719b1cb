"""The reference: ``functions``, ``readers`` and ``memories`` hold the mathematics, ``modules`` the students' names."""
