"""Is a small text that compiles to a large one."""
try:
    compile("-" * 100_000 + "1", "x", "eval")
except (RecursionError, MemoryError, SyntaxError):
    pass
(1 << 19 ** 8, ) * 4 ** 7
