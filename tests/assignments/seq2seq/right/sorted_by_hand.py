# Softmax by `exp`, sentences sorted by hand, greedy sentence by sentence, ended beams put aside in lists.
# from dead_rows: is_real
# from aligned_and_rows: weigh, look, BahdanauDecoder, LuongDecoder, FixedContextSeq2Seq.forward
# from added_fill: Encoder, Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: Seq2Seq.greedy_decode, FixedContextSeq2Seq.__init__, corpus_bleu
# from aligned_twice: Seq2Seq.beam_search
# from cells_in_encoder: train_step
