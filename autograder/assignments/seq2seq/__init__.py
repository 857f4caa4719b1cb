"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 5
TITLE = "Sequence to sequence with attention"
PARTS = {
    "Encoder": 15,
    "BahdanauDecoder": 15,
    "LuongDecoder": 15,
    "Seq2Seq": 30,
    "FixedContextSeq2Seq": 8,
    "train_step": 11,
    "corpus_bleu": 6,
}
