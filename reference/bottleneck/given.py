"""The given code: a student's numbers and questions, as they follow from the seed in a token."""

import hashlib
import re
from fractions import Fraction

from reference.bottleneck.counts import Own

TOKEN = re.compile(r"attngrade1\.[a-z][a-z0-9_]*\.[A-Za-z0-9_-]*\.([0-9a-f]{16})\.([0-9a-f]{32})?")
HUNDREDTH = Fraction(1, 100)
CHOICES: dict[str, list[int | float]] = {
    "width": [128, 256, 384, 512, 768, 1024],
    "bits": [8, 16, 32],
    "source_length": [*range(20, 101)],
    "target_length": [*range(20, 101)],
    "vocabulary": [*range(2000, 60001, 1000)],
    "gamma": [float(n * HUNDREDTH) for n in range(40, 96)],
    "heads": [4, 8, 12, 16],
    "layers": [*range(2, 25)],
    "flip": [float(n * HUNDREDTH) for n in range(1, 50)],
}


def seed_of(token: str) -> str:
    """The seed of a token: 16 hexadecimal digits, zeros where the token can't be read."""
    found = TOKEN.fullmatch(token) if isinstance(token, str) else None
    return found[1] if found else 16 * "0"


def own_numbers(token: str) -> Own:
    """The numbers of a token: SHA-256 of the seed, a dot and a field's name chooses among the field's values."""
    seed = seed_of(token)
    digests = {name: hashlib.sha256(f"{seed}.{name}".encode()).digest() for name in CHOICES}
    drawn = {name: CHOICES[name][int.from_bytes(digest) % len(CHOICES[name])] for name, digest in digests.items()}
    return Own(**drawn)  # type: ignore[arg-type]
