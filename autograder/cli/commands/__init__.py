"""The commands of ``attngrade``, one module each: see ``LazyGroup``."""
