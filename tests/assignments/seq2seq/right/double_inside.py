# Softmax in float64, packed sequences, greedy by `forward`, ended beams put aside in lists.
# from aligned_twice: is_real, Seq2Seq.greedy_decode, Seq2Seq.beam_search
# from dead_rows: Encoder
# from aligned_and_rows: BahdanauDecoder, LuongDecoder, FixedContextSeq2Seq.forward
# from added_fill: Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: FixedContextSeq2Seq.__init__
# from cells_in_encoder: train_step


def weigh(scores, mask):
    wide = scores.double()
    w = torch.softmax(wide.masked_fill(~mask, -1e300), -1)
    return (w * mask).to(scores.dtype)


def look(weights, values):
    return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2)).squeeze(2)


def corpus_bleu(candidates, references):
    counts = np.zeros((4, 2))
    for cand, ref in zip(candidates, references):
        for n in (1, 2, 3, 4):
            grams = [tuple(cand[i : i + n]) for i in range(len(cand) - n + 1)]
            other = [tuple(ref[i : i + n]) for i in range(len(ref) - n + 1)]
            counts[n - 1] += sum(min(grams.count(g), other.count(g)) for g in set(grams)), len(grams)
    if (counts[:, 0] == 0).any():
        return 0.0
    c, r = map(float, (sum(map(len, candidates)), sum(map(len, references))))
    return 100.0 * np.exp(np.log(counts[:, 0] / counts[:, 1]).mean()) * min(1.0, np.exp(1 - r / c))
