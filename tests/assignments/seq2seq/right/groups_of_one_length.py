# Softmax in float64, sentences of one length together, greedy by `forward`, ended beams kept.
# from dead_rows: is_real
# from double_inside: weigh, look, corpus_bleu
# from cells_and_groups: Encoder
# from added_fill: Step, Look, BahdanauDecoder, LuongDecoder, Seq2Seq.__init__, Seq2Seq._begin
# from added_fill: Seq2Seq._step, Seq2Seq.forward, FixedContextSeq2Seq
# from aligned_twice: Seq2Seq.greedy_decode
# from aligned_and_rows: Seq2Seq.beam_search, train_step
