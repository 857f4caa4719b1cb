from torch import exp, nn, tanh


def stable_softmax(scores, dim=-1):
    num = exp(scores - scores.amax(dim, keepdim=True))
    return num / num.sum(dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim)
        self.W_h = nn.Linear(enc_dim, attn_dim)
        self.v = nn.Linear(attn_dim, 1)

    def score(self, decoder_state, encoder_states):
        return self.v(tanh(self.W_s(decoder_state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        return (weights.unsqueeze(-1) * encoder_states).sum(dim=1), weights
