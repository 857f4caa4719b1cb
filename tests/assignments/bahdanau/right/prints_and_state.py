# Prints, warnings, extra arguments and remembered weights.

import logging
import warnings
import numpy as np


def stable_softmax(scores, dim=-1, verbose=False):
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim, dropout=0.0):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        print('weights', weights)
        warnings.warn('slow')
        logging.warning('hm')
        self.last_weights = weights
        self.calls = getattr(self, 'calls', 0) + 1
        assert np.isfinite(float(context.detach().sum()))
        return context, weights
