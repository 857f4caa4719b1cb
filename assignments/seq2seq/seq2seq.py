# Assignment 5: A translator
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# seq2seq.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check seq2seq.py

import math
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# ---- Sitting 1 begins: the encoder and one step of each decoder (about 2 hours)


def attend(scores, mask, encoder_states):
    """Masked softmax and context; a helper: change or drop it as you like.

    (B, T_s) scores, (B, T_s) bool, (B, T_s, enc_dim) -> context (B, enc_dim), weights (B, T_s).
    """
    # Your code here: return the context and the weights.
    raise NotImplementedError


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool, True at real tokens; a helper, like ``attend``."""
    # Your code here: return the mask.
    raise NotImplementedError


# ---- 1. The encoder


class Encoder(nn.Module):
    """Bidirectional GRU over the source; s_0 = tanh(bridge([last forward; last backward]))."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        """Make ``embedding``, ``rnn`` (bidirectional, batch first) and ``bridge``.

        bridge: Linear from 2 * hidden_dim to hidden_dim, with bias.
        """
        # Your code here: make the three layers.
        raise NotImplementedError

    def forward(self, src, lengths):
        """Encode (B, T_s) tokens of which the first ``lengths[b]`` are real, in any order.

        Returns:
            states (B, T_s, 2 * hidden_dim), zero at padding, and the decoder's first state
            (B, hidden_dim), the same whatever padding follows.
        """
        # Your code here: return the states and the first state.
        raise NotImplementedError


# ---- 2. Bahdanau's decoder


class BahdanauDecoder(nn.Module):
    """e_j = v^T tanh(W_s s_{t-1} + W_h h_j); s_t = GRU([y_{t-1}; c_t], s_{t-1})."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        """Make ``embedding``, ``W_s``, ``W_h``, ``v`` (no bias), ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + enc_dim, hidden_dim); out: hidden_dim + enc_dim -> vocab_size.
        """
        # Your code here: make the six layers.
        raise NotImplementedError

    def step(self, token, state, encoder_states, mask):
        """One word: (B,), (B, hidden_dim), (B, T_s, enc_dim), (B, T_s) bool.

        Returns:
            logits (B, vocab_size) = out([new state; context]), new state (B, hidden_dim) and
            weights (B, T_s).
        """
        # Your code here: return the logits, the new state and the weights.
        raise NotImplementedError


# ---- 3. Luong's decoder


class LuongDecoder(nn.Module):
    """s_t = GRU([y_{t-1}; fed], s_{t-1}); e_j = s_t^T W_a h_j; attentional = tanh(W_c [c_t; s_t])."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        """Make ``embedding``, ``W_a``, ``W_c`` (no bias), ``rnn`` and ``out`` (with bias).

        W_a: enc_dim -> hidden_dim; W_c: enc_dim + hidden_dim -> hidden_dim;
        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: hidden_dim -> vocab_size.
        """
        # Your code here: make the five layers.
        raise NotImplementedError

    def step(self, token, state, fed, encoder_states, mask):
        """One word; ``fed`` (B, hidden_dim) is the previous attentional state, zeros at first.

        Returns:
            logits (B, vocab_size) = out(attentional), new state (B, hidden_dim),
            attentional (B, hidden_dim) and weights (B, T_s).
        """
        # Your code here: return the logits, the new state, the attentional state and the weights.
        raise NotImplementedError


# ---- Sitting 1 ends here, and sitting 2 begins (the commands that check them are in README.md)


class Seq2Seq(nn.Module):
    """An encoder and either decoder, kept as ``encoder`` and ``decoder``."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        """Keep the two models and the three special ids."""
        # Your code here: keep what you are given.
        raise NotImplementedError

    def start(self, src, src_lengths):
        """Return what decoding begins with. A helper: change or drop it as you like."""
        # Your code here: return what all steps need, and what only the first one starts from.
        raise NotImplementedError

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing: step t reads ``tgt_in[:, t]`` of (B, T_t).

        Returns:
            logits (B, T_t, vocab_size) and weights (B, T_t, T_s).
        """
        # Your code here: return the logits and the weights of all steps.
        raise NotImplementedError

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        """Take the best word at every step, from ``bos_id`` on, until all sentences have ended.

        Returns:
            (B, L) int64, L <= max_len: without the first bos, with the eos, then pad_id.
        """
        # Your code here: return one sentence for each source (sitting 3).
        raise NotImplementedError

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """Find the sentence with the greatest total log-probability, without a length bonus.

        Returns:
            (B, L) int64 as ``greedy_decode``: the best of the finished and of those cut at max_len.
        """
        # Your code here: return the best sentence for each source (sitting 3).
        raise NotImplementedError


# ---- 5. The bottleneck baseline


class FixedContextSeq2Seq(nn.Module):
    """No attention: every step reads [embedding; first state]."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        """Keep ``encoder``; make ``embedding``, ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: 2 * hidden_dim -> vocab_size.
        """
        # Your code here: keep the encoder, and make the three layers.
        raise NotImplementedError

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing -> logits (B, T_t, vocab_size) = out([new state; first state])."""
        # Your code here: return the logits of all steps.
        raise NotImplementedError


# ---- 6. One step of training


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """Do one training step of a Seq2Seq or a FixedContextSeq2Seq.

    Zero the gradients, forward, cross-entropy averaged over all real target tokens of the batch,
    backward, clip the global norm of the gradients to ``clip``, step. Returns the loss, a float.
    """
    # Your code here: train for one step, and return the loss.
    raise NotImplementedError


# ---- Sitting 2 ends here, and sitting 3 begins (the commands that check them are in README.md)


def corpus_bleu(candidates, references):
    """4-gram corpus BLEU, from 0 to 100, for token lists with one reference each; no smoothing.

    The result is 0.0 if an order has no match or the candidates have no n-gram of it. Tokens are any
    hashables.
    """

    # Your code here: return the score.
    raise NotImplementedError


# ---- Sitting 3 ends here (the command that checks it is in README.md)
