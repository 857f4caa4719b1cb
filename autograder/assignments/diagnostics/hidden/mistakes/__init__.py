"""Known mistakes."""

VARIANTS = ()
