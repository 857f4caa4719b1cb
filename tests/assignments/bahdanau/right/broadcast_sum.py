# The weighted sum by broadcasting; repeated states; layers in another order.


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        nn.init.normal_(self.v.weight)

    def score(self, decoder_state, encoder_states):
        query = self.W_s(decoder_state.unsqueeze(1).repeat(1, encoder_states.size(1), 1))
        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        return self.v(torch.tanh(query + keys)).squeeze(-1)  # (B, T_s)

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = (weights.unsqueeze(-1) * encoder_states).sum(dim=1)
        return context, weights
