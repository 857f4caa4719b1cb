# Rows without a key opened, GRU steps by hand in the encoder, greedy by `forward`, spare candidates in the beam.
# from cells_and_groups: gru_step, weights_of
# from aligned_twice: is_real, Seq2Seq.greedy_decode
# from aligned_and_rows: BahdanauDecoder, LuongDecoder, corpus_bleu
# from added_fill: Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: Seq2Seq.beam_search, FixedContextSeq2Seq


def weigh(scores, mask):
    dead = ~mask.any(dim=1, keepdim=True)
    w = F.softmax(scores.masked_fill(~(mask | dead), float("-inf")), dim=-1)
    return w.masked_fill(dead, 0)


def look(weights, values):
    return (weights[:, None, :] @ values)[:, 0]


class Encoder(nn.Module):
    def forward(self, src, lengths):
        x = self.embedding(src)
        real = is_real(lengths.to(src.device), src.shape[1]).unsqueeze(-1).to(x.dtype)
        H = self.rnn.hidden_size
        halves, lasts = [], []
        for suffix, order in (("", range(src.shape[1])), ("_reverse", reversed(range(src.shape[1])))):
            h = x.new_zeros(src.shape[0], H)
            found = {}
            for t in order:
                new = gru_step(x[:, t], h, *weights_of(self.rnn, suffix))
                h = real[:, t] * new + (1 - real[:, t]) * h
                found[t] = real[:, t] * h
            halves.append(torch.stack([found[t] for t in range(src.shape[1])], 1))
            lasts.append(h)
        return torch.cat(halves, -1), torch.tanh(self.bridge(torch.cat(lasts, -1)))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.train()
    optimizer.zero_grad()
    out = model(src, src_lengths, tgt_in)
    logits = out[0] if isinstance(model, Seq2Seq) else out
    target = tgt_out.masked_fill(~is_real(tgt_lengths.to(tgt_out.device), tgt_out.size(1)), -100)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return float(loss)
