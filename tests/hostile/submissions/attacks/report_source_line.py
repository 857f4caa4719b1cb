"""Has a line of source, which messages quote, full of control characters and direction marks."""


def padding_mask(lengths, max_len=None):
    raise ValueError("line")  # ‮ ⁦ <script>alert(1)</script> [2J =cmd 


def causal_mask(length): raise ValueError("a line"); """<script>alert(1)</script>‮"""
