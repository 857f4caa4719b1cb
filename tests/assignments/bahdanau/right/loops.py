# A loop over the batch and one over positions.


class BahdanauAttention(nn.Module):
    def score(self, decoder_state, encoder_states):
        rows = []
        for s, states in zip(decoder_state, encoder_states):
            q = self.W_s(s)
            rows.append(torch.stack([self.v(torch.tanh(q + self.W_h(h)))[0] for h in states]))
        return torch.stack(rows)

    def forward(self, decoder_state, encoder_states):
        e = self.score(decoder_state, encoder_states)
        weights = torch.stack([stable_softmax(row) for row in e])
        context = torch.stack([sum(a * h for a, h in zip(w, hs)) for w, hs in zip(weights, encoder_states)])
        return context, weights
