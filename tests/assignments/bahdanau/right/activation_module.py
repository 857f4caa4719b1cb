# `nn.Tanh` as a layer, a non-persistent buffer, and `forward` does not call `score`.


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.activation = nn.Tanh()
        self.register_buffer('one', torch.ones(1), persistent=False)

    def score(self, decoder_state, encoder_states):
        query = self.W_s(decoder_state).unsqueeze(1)  # (B, 1, attn_dim)
        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        return self.v(self.activation(query + keys)).squeeze(2)

    def forward(self, decoder_state, encoder_states):
        query, keys = self.W_s(decoder_state), self.W_h(encoder_states)
        energy = self.v(self.activation(query.unsqueeze(1) + keys)).flatten(1)
        weights = stable_softmax(energy, 1)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return context, weights
