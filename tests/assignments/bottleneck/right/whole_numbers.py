# Exact integers: powers of the vocabulary, bit lengths, integer arithmetic.
import math
from fractions import Fraction


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    per_head = bytes_per_number * pow(length, 2)
    return sum(per_head for _ in range(heads)) * layers


def longest_lossless(width, bits, vocabulary):
    states = 2 ** (width * bits)
    low, high = 0, width * bits + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if vocabulary**middle <= states else (low, middle)
    return low


def path_length(source_length, target_length, position, attention=False):
    return (source_length + target_length - position, 1)[bool(attention)]


def path_decay(gamma, steps):
    return math.exp(steps * math.log(gamma))


def reach(gamma, threshold=1e-7):
    exact, least = Fraction(gamma), Fraction(threshold)
    steps = int(math.log2(threshold) / math.log2(gamma))
    while exact**steps < least:
        steps -= 1
    while exact ** (steps + 1) >= least:
        steps += 1
    return steps


def binary_channel_capacity(flip):
    def term(p):
        return -p * math.log(p, 2) if p else 0.0

    return 1 - term(flip) - term(1 - flip)
