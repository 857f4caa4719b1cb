# Einstein sums, a detached maximum, and lists for tuples.


def stable_softmax(scores, dim=-1):
    exponentials = (scores - scores.detach().max(dim, keepdim=True).values).exp()
    return torch.div(exponentials, torch.sum(exponentials, dim, keepdim=True))


def softmax_vjp(weights, grad_weights):
    mean_gradient = torch.einsum('...t,...t->...', weights, grad_weights)[..., None]
    return weights * (grad_weights - mean_gradient)


class BahdanauAttention(nn.Module):
    def score(self, decoder_state, encoder_states):
        query = self.W_s(decoder_state).unsqueeze(1)  # (B, 1, attn_dim)
        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        return torch.einsum('bta,a->bt', (query + keys).tanh(), self.v.weight[0])

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = torch.einsum('bt,bth->bh', weights, encoder_states)
        return [context, weights]
