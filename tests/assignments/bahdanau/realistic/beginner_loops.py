# Assignment 1: Bahdanau attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# bahdanau.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check bahdanau.py

import torch
from torch import nn

# ---- 1. A softmax that does not overflow


def stable_softmax(scores, dim=-1):
    """Softmax along one axis, correct for scores of any size up to +-1e4."""
    # first I find the biggest score in every row
    biggest, where_it_was = torch.max(scores, dim=dim, keepdim=True)
    # then subtract it so exp never gets too big
    shifted = scores - biggest
    exps = torch.exp(shifted)
    total = torch.sum(exps, dim=dim, keepdim=True)
    result = exps / total
    return result


# ---- 2. The derivative of softmax, by hand


def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given its gradient with respect to the weights."""
    T = weights.shape[-1]
    # the weighted mean, one number per row
    mean = 0
    for i in range(T):
        mean = mean + weights[..., i] * grad_weights[..., i]
    # now one column after another
    columns = []
    for j in range(T):
        column = weights[..., j] * (grad_weights[..., j] - mean)
        columns.append(column)
    return torch.stack(columns, dim=-1)


# ---- 3. The attention layer


class BahdanauAttention(nn.Module):
    """Additive attention (Bahdanau et al., 2015): e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        B = encoder_states.shape[0]
        T_s = encoder_states.shape[1]
        all_rows = []
        for b in range(B):
            s = self.W_s(decoder_state[b])
            row = []
            for j in range(T_s):
                h = self.W_h(encoder_states[b][j])
                e = self.v(torch.tanh(s + h))  # shape (1,)
                row.append(e[0])
            all_rows.append(torch.stack(row))
        scores = torch.stack(all_rows)
        # print("scores", scores.shape)
        return scores

    def forward(self, decoder_state, encoder_states):
        scores = self.score(decoder_state, encoder_states)
        weights = stable_softmax(scores, dim=1)
        contexts = []
        for b in range(encoder_states.shape[0]):
            context = torch.zeros_like(encoder_states[b][0])
            for j in range(encoder_states.shape[1]):
                context = context + weights[b][j] * encoder_states[b][j]
            contexts.append(context)
        return torch.stack(contexts), weights


# ---- Try it


if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (6, 12, 24, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
    print("it works!!!")
