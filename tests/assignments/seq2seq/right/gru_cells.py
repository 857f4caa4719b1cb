# Softmax by `exp`, GRU steps by hand in the encoder, greedy into a buffer, ended beams kept.
# from cells_and_groups: gru_step, weights_of, BahdanauDecoder, LuongDecoder
# from aligned_twice: is_real
# from aligned_and_rows: weigh, look, Seq2Seq.beam_search
# from cells_in_encoder: Encoder
# from added_fill: Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: FixedContextSeq2Seq, train_step
# from dead_rows: Seq2Seq.greedy_decode
# from double_inside: corpus_bleu
