# Loops over rows and positions, counts in dictionaries, a map built entry by entry.


def copy_task(length, count, vocab_size, seed):
    numbers = random.Random(seed)
    src = [[numbers.randint(3, vocab_size - 1) for _ in range(length)] for _ in range(count)]
    tgt_in = [[BOS, *row] for row in src]
    tgt_out = [[*row, EOS] for row in src]
    return torch.tensor(src), torch.tensor(tgt_in), torch.tensor(tgt_out)


def copy_accuracy(predicted, src):
    right = 0
    for said, wanted in zip(predicted.tolist(), src.tolist()):
        for j, symbol in enumerate(wanted):
            if j < len(said) and said[j] == symbol:
                right += 1
    return right / (len(src) * len(src[0]))


def bleu_by_length(candidates, references, source_lengths, buckets):
    scores = []
    for first, last in buckets:
        matches, totals, c, r = [0] * 4, [0] * 4, 0, 0
        for candidate, reference, length in zip(candidates, references, source_lengths):
            if length < first or length > last:
                continue
            c, r = c + len(candidate), r + len(reference)
            for n in range(1, 5):
                there = {}
                for i in range(len(reference) - n + 1):
                    key = tuple(reference[i : i + n])
                    there[key] = there.get(key, 0) + 1
                for i in range(len(candidate) - n + 1):
                    totals[n - 1] += 1
                    key = tuple(candidate[i : i + n])
                    if there.get(key, 0) > 0:
                        there[key] -= 1
                        matches[n - 1] += 1
        if min(matches) == 0:
            scores.append(0.0)
            continue
        product = 1.0
        for m, t in zip(matches, totals):
            product *= m / t
        penalty = 1.0 if c > r else math.exp(1 - r / c)
        scores.append(100 * penalty * product**0.25)
    return scores


def mean_attention_map(attention, src_lengths, tgt_lengths):
    layers, batch, heads, rows, columns = attention.shape
    result = torch.zeros(batch, rows, columns, dtype=attention.dtype, device=attention.device)
    for b in range(batch):
        t, s = int(tgt_lengths[b]), int(src_lengths[b])
        for layer in range(layers):
            for head in range(heads):
                result[b, :t, :s] += attention[layer, b, head, :t, :s] / (layers * heads)
    return result
