# Own answers computed anew from the formulas, with four digits; letters with spaces in a tuple.
import math


def own_answers(own):
    n = own.target_length + own.source_length - 1
    noise = -own.flip * math.log2(own.flip) - (1 - own.flip) * math.log2(1 - own.flip)
    return (
        own.width * own.bits,
        round(math.log2(own.vocabulary), 4),
        int(own.width * own.bits / math.log2(own.vocabulary)),
        n,
        float(f"{own.gamma**n:.4g}"),
        int(math.log(1e-7) / math.log(own.gamma)),
        own.layers * own.heads * own.source_length**2 * own.bits // 8,
        float(f"{1 - noise:.4g}"),
        own.source_length * own.width,
    )


def quiz_answers():
    letters = " A B C A A C C B B B A C "
    return tuple(letters.strip().split())
