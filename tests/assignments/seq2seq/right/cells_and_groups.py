# Softmax row by row, sentences of one length together, greedy by `forward`, ended beams put aside in lists.
# from added_fill: is_real, Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: FixedContextSeq2Seq
# from aligned_twice: Seq2Seq.greedy_decode, Seq2Seq.beam_search, train_step
# from aligned_and_rows: corpus_bleu


def gru_step(x, h, w_ih, w_hh, b_ih, b_hh):
    xr, xz, xn = (x @ w_ih.T + b_ih).chunk(3, -1)
    hr, hz, hn = (h @ w_hh.T + b_hh).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return (1 - z) * n + z * h


def weights_of(rnn, suffix=""):
    return [getattr(rnn, f"{kind}_l0{suffix}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def weigh(scores, mask):
    rows = []
    for row, keep in zip(scores, mask):
        out = torch.zeros_like(row)
        if bool(keep.any()):
            out = out.masked_scatter(keep, row[keep].softmax(0))
        rows.append(out)
    return torch.stack(rows)


def look(weights, values):
    return torch.stack([w @ v for w, v in zip(weights, values)])


class Encoder(nn.Module):
    def forward(self, src, lengths):
        """Sentences of one length go through the GRU together; nothing is padded."""
        H = self.rnn.hidden_size
        rows = {}
        for n in sorted(set(lengths.tolist())):
            where = (lengths == n).nonzero().flatten()
            out, h = self.rnn(self.embedding(src[where, :n]))
            for k, b in enumerate(where.tolist()):
                rows[b] = (out[k], torch.cat([h[0, k], h[1, k]]))
        pieces = [rows[b][0] for b in range(len(src))]
        states = pad_sequence([*pieces, src.new_zeros(src.shape[1], 2 * H).to(pieces[0].dtype)], batch_first=True)
        return states[:-1], torch.tanh(self.bridge(torch.stack([rows[b][1] for b in range(len(src))])))


class BahdanauDecoder(nn.Module):
    def step(self, token, state, encoder_states, mask):
        q = state @ self.W_s.weight.T
        k = encoder_states @ self.W_h.weight.T
        e = ((q.unsqueeze(1) + k).tanh() * self.v.weight[0]).sum(-1)
        alpha = weigh(e, mask)
        c = look(alpha, encoder_states)
        new = gru_step(torch.cat([self.embedding.weight[token], c], -1), state, *weights_of(self.rnn))
        w, b = self.out.weight, self.out.bias
        H = new.shape[-1]
        return new @ w[:, :H].T + c @ w[:, H:].T + b, new, alpha


class LuongDecoder(nn.Module):
    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat([F.one_hot(token, self.embedding.num_embeddings).to(fed.dtype) @ self.embedding.weight, fed], -1)
        new = gru_step(x, state, *weights_of(self.rnn))
        query = new @ self.W_a.weight
        alpha = weigh((query.unsqueeze(1) * encoder_states).sum(-1), mask)
        c = look(alpha, encoder_states)
        E = c.shape[-1]
        a = (c @ self.W_c.weight[:, :E].T + new @ self.W_c.weight[:, E:].T).tanh()
        return [self.out(a), new, a, alpha]
