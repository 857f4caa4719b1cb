# ==========================================================================
#  Assignment 1: Bahdanau attention
#  I wrote down for myself what happens in every line, so that I can use
#  this file to study for the exam.
# ==========================================================================

import torch              # tensors
from torch import nn      # nn.Module, nn.Linear

# --------------------------------------------------------------------------
# 1. SOFTMAX
# --------------------------------------------------------------------------
# softmax(e)_j = exp(e_j) / sum_k exp(e_k)
#
# exp(89) is already inf in float32. The trick: softmax(e) = softmax(e - c)
# for any constant c. We take c = max(e), then the largest exponent is 0.
# IMPORTANT: every row gets its own c, so keepdim=True and dim=dim!


def stable_softmax(scores, dim=-1):
    """Softmax along ``dim`` that does not overflow."""
    # c has the shape of scores, but size 1 at dim
    c = scores.max(dim=dim, keepdim=True).values
    # we do not want to learn through the maximum (it cancels anyway)
    c = c.detach()
    # numerator: all values are in (0, 1]
    numerator = torch.exp(scores - c)
    # denominator: at least 1, because the largest numerator is exp(0) = 1
    denominator = numerator.sum(dim=dim, keepdim=True)
    # divide -> weights that sum to 1
    return numerator / denominator


# --------------------------------------------------------------------------
# 2. DERIVATIVE
# --------------------------------------------------------------------------
# d alpha_i / d e_j = alpha_i (delta_ij - alpha_j)
#
# sum_i g_i alpha_i delta_ij          = g_j alpha_j
# sum_i g_i alpha_i alpha_j           = alpha_j * (g . alpha)
# difference                          = alpha_j * (g_j - g . alpha)


def softmax_vjp(weights, grad_weights):
    """alpha_j * (g_j - sum_i alpha_i g_i)"""
    # the weighted mean of the incoming gradient, one number per row
    g_dot_alpha = (weights * grad_weights).sum(dim=-1, keepdim=True)
    # the formula from above
    return weights * (grad_weights - g_dot_alpha)


# --------------------------------------------------------------------------
# 3. ATTENTION
# --------------------------------------------------------------------------


class BahdanauAttention(nn.Module):
    """Additive attention."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        # projects the decoder state       (dec_dim  -> attn_dim)
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        # projects every encoder state     (enc_dim  -> attn_dim)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        # turns attn_dim numbers into one  (attn_dim -> 1)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        # decoder_state                     (B, dec_dim)
        # after W_s and the non-linearity   (B, attn_dim)
        projected_decoder = torch.tanh(self.W_s(decoder_state))
        # one more axis for broadcasting    (B, 1, attn_dim)
        projected_decoder = projected_decoder.unsqueeze(1)
        # encoder_states                    (B, T_s, enc_dim)
        # after W_h and the non-linearity   (B, T_s, attn_dim)
        projected_encoder = torch.tanh(self.W_h(encoder_states))
        # the addition in "additive attention"
        energy = projected_decoder + projected_encoder
        # v                                 (B, T_s, 1)
        scores = self.v(energy)
        # remove ONLY the last axis         (B, T_s)
        return scores.squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        # raw scores                        (B, T_s)
        scores = self.score(decoder_state, encoder_states)
        # weights, sum to 1 over T_s        (B, T_s)
        weights = stable_softmax(scores, dim=-1)
        # (B, 1, T_s) x (B, T_s, enc_dim) = (B, 1, enc_dim)
        context = torch.bmm(weights.unsqueeze(1), encoder_states)
        # and without the 1                 (B, enc_dim)
        context = context.squeeze(1)
        # context first, then weights!
        return context, weights


# --------------------------------------------------------------------------
# small demo
# --------------------------------------------------------------------------

if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (6, 12, 24, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
