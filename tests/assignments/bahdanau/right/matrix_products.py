# Weight matrices instead of layer calls; `matmul` and swapped axes.


class BahdanauAttention(nn.Module):
    def score(self, decoder_state, encoder_states):
        query = (decoder_state @ self.W_s.weight.T)[:, None, :]
        keys = encoder_states.matmul(self.W_h.weight.t())
        return torch.matmul(torch.tanh(query + keys), self.v.weight.T)[..., 0]

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = (encoder_states.mT @ weights[:, :, None]).reshape(encoder_states.size(0), -1)
        return context, weights
