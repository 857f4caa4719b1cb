"""Wastes time in the constructor, so that questions without calls look dear."""

import time


class Dear(BahdanauAttention):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        end = time.perf_counter() + 0.03
        while time.perf_counter() < end:
            pass


BahdanauAttention = Dear
