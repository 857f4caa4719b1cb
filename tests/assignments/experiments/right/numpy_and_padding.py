# NumPy's generator, all lengths of training in one padded table, the clock in nanoseconds.

import time as clock


def copy_task(length, count, vocab_size, seed):
    src = torch.from_numpy(__import__("numpy").random.default_rng(seed).integers(3, vocab_size, (count, length)))
    return src, F.pad(src, (1, 0), value=BOS), F.pad(src, (0, 1), value=EOS)


def copy_accuracy(predicted, src):
    missing = src.size(1) - predicted.size(1)
    if missing > 0:
        predicted = F.pad(predicted, (0, missing), value=-1)
    return float((predicted[:, : src.size(1)] == src).double().mean())


def copy_curves(seed, lengths, train_lengths, vocab_size=13):
    longest, per_length = max(train_lengths), 256
    table = {"src": [], "tgt_in": [], "tgt_out": [], "n": []}
    for number, length in enumerate(sorted(train_lengths)):
        src, tgt_in, tgt_out = copy_task(length, per_length, vocab_size, seed * 100 + number)
        table["src"].append(F.pad(src, (0, longest - length)))
        table["tgt_in"].append(F.pad(tgt_in, (0, longest - length)))
        table["tgt_out"].append(F.pad(tgt_out, (0, longest - length)))
        table["n"] += [length] * per_length
    src, tgt_in, tgt_out = (torch.cat(table[name]) for name in ("src", "tgt_in", "tgt_out"))
    n = torch.tensor(table["n"])
    result = torch.empty(2, len(lengths))
    for row, cls in enumerate((FixedContext, WithAttention)):
        torch.manual_seed(seed)
        model = cls(vocab_size, vocab_size)
        optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
        for stage in range(1, len(train_lengths) + 1):
            used, width = stage * per_length, int(n[stage * per_length - 1])
            passes = 4 if stage == 1 else 2
            for _ in range(passes):
                recent = torch.arange(max(0, used - 2 * per_length), used)
                order = recent[torch.randperm(len(recent))]
                cut = (src[:, :width], n, tgt_in[:, : width + 1], tgt_out[:, : width + 1], n + 1)
                train_epoch(model, optimizer, *cut, order, 16)
            if stage == len(train_lengths):  # once more over all of them
                order = torch.randperm(len(src))[: 48 * 16]
                train_epoch(model, optimizer, *cut, order, 16)
        for column, length in enumerate(lengths):
            test, _, _ = copy_task(length, 60, vocab_size, 10**7 + seed * 100 + length)
            said = greedy(model, test, torch.full((60,), length), length + 1)
            result[row, column] = copy_accuracy(said, test)
    return result


def attention_times(lengths, width=128, repeats=20):
    def timed(run):
        run()
        run()
        spent = []
        for _ in range(repeats):
            before = clock.perf_counter_ns()
            run()
            spent.append((clock.perf_counter_ns() - before) / 1e9)
        return sorted(spent)[len(spent) // 2]

    with torch.inference_mode():
        A, B, v = torch.rand(width, width), torch.rand(width, width), torch.rand(width)
        rows = [[], []]
        for T in lengths:
            s, H = torch.rand(width), torch.rand(T, width)
            rows[0].append(timed(lambda: torch.softmax(torch.tanh(A @ s + H @ B.T) @ v, 0) @ H))
            rows[1].append(timed(lambda: torch.softmax(H @ s, 0) @ H))
    return torch.tensor(rows, dtype=torch.float32)
