# Rows without a key opened, packed sequences, greedy into a buffer, spare candidates in the beam.
# from cells_and_groups: gru_step, weights_of, BahdanauDecoder, LuongDecoder
# from dead_rows: is_real, Encoder, Seq2Seq.greedy_decode
# from cells_in_encoder: weigh, look
# from added_fill: Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: Seq2Seq.beam_search, FixedContextSeq2Seq.__init__, train_step
# from aligned_and_rows: FixedContextSeq2Seq.forward, corpus_bleu


print("loading my translator")


warnings.warn("this is fine")
