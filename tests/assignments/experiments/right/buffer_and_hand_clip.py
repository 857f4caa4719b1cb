# Greedy into a buffer of PAD, gradients clipped by hand, log_softmax and gather, ids with the unknown word first.


def greedy(model, src, src_lengths, steps):
    said = torch.full((len(src), steps + 1), PAD)
    said[:, 0] = BOS
    model.eval()
    for t in range(steps):
        with torch.no_grad():
            said[:, t + 1] = model(src, src_lengths, said)[:, t].argmax(-1)
    model.train()
    return said[:, 1:]


def train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size, clip=1.0):
    history = []
    for start in range(0, len(order), batch_size):
        idx = order[start : start + batch_size]
        optimizer.zero_grad(set_to_none=True)
        logp = F.log_softmax(model(src[idx], src_lengths[idx], tgt_in[idx]), -1)
        picked = -logp.gather(-1, tgt_out[idx].unsqueeze(-1)).squeeze(-1)
        mask = (torch.arange(tgt_out.shape[1])[None] < tgt_lengths[idx][:, None]).to(picked.dtype)
        loss = (picked * mask).sum() / mask.sum()
        loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.sqrt(sum((g**2).sum() for g in grads))
        if norm > clip:
            for g in grads:
                g.mul_(clip / norm)
        optimizer.step()
        history.append(float(loss))
    return history


class Words:
    def __init__(self, sentences):
        self.to_id = {}
        for sentence in sentences:
            for word in sentence:
                self.to_id.setdefault(word, 4 + len(self.to_id))
        self.to_word = {i: w for w, i in self.to_id.items()}

    def __len__(self):
        return 4 + len(self.to_id)  # 3 is the unknown word

    def encode(self, sentence):
        return [self.to_id.get(word, 3) for word in sentence]


def translation_bleu(seed, epochs=20):
    corpus = toy_corpus(seed, 500)
    train, test = corpus[:400], corpus[400:]
    en, de = Words(e for e, _ in train), Words(d for _, d in train)

    def pad(rows):
        longest = max(len(row) for row in rows)
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows]), torch.tensor([len(r) for r in rows])

    src, src_len = pad([en.encode(e) for e, _ in train])
    tgt_in, _ = pad([[BOS] + de.encode(d) for _, d in train])
    tgt_out, tgt_len = pad([de.encode(d) + [EOS] for _, d in train])
    test_src, test_len = pad([en.encode(e) for e, _ in test])
    out = torch.zeros(2, 3)
    for row, cls in enumerate([FixedContext, WithAttention]):
        torch.manual_seed(seed + row)
        g = torch.Generator().manual_seed(seed)
        model = cls(len(en), len(de))
        opt = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(epochs):
            order = torch.randperm(400, generator=g)
            train_epoch(model, opt, src, src_len, tgt_in, tgt_out, tgt_len, order, 20)
        hyps = []
        for ids in greedy(model, test_src, test_len, 22).tolist():
            words = []
            for i in ids:
                if i == EOS:
                    break
                words.append(de.to_word.get(i, "<unk>"))
            hyps.append(words)
        out[row] = torch.tensor(bleu_by_length(hyps, [d for _, d in test], [len(e) for e, _ in test], BUCKETS))
    return out
