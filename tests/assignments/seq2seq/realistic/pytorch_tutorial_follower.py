# -*- coding: utf-8 -*-
"""
Assignment 5: A translator
==========================
Follows the structure of the PyTorch tutorial "NLP From Scratch: Translation with a Sequence to Sequence
Network and Attention", with the names from the skeleton.
"""
from __future__ import unicode_literals, print_function, division

import math
import random
import time
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

PAD_token = 0
SOS_token = 1
EOS_token = 2
MAX_LENGTH = 10

######################################################################
# Helpers


def attend(scores, mask, encoder_states):
    scores = scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    return context, weights


def real_tokens(tokens, lengths):
    positions = torch.arange(tokens.size(1), device=tokens.device)
    return positions.unsqueeze(0) < lengths.to(tokens.device).unsqueeze(1)


######################################################################
# The Encoder


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super(Encoder, self).__init__()
        self.hidden_dim = hidden_dim
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        embedded = self.embedding(src)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, hidden = self.rnn(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, total_length=src.size(1))
        # hidden: (2, B, hidden_dim), forward then backward
        hidden = torch.tanh(self.bridge(torch.cat((hidden[0], hidden[1]), dim=1)))
        return output, hidden


######################################################################
# The Decoders


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super(BahdanauDecoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask):
        query = self.W_s(state).unsqueeze(1)
        keys = self.W_h(encoder_states)
        scores = self.v(torch.tanh(query + keys)).squeeze(-1)
        context, weights = attend(scores, mask, encoder_states)

        embedded = self.embedding(token)
        input_gru = torch.cat((embedded, context), dim=1).unsqueeze(1)
        output, hidden = self.rnn(input_gru, state.unsqueeze(0).contiguous())
        new_state = hidden.squeeze(0)
        logits = self.out(torch.cat((new_state, context), dim=1))
        return logits, new_state, weights


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super(LuongDecoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        embedded = self.embedding(token)
        input_gru = torch.cat((embedded, fed), dim=1).unsqueeze(1)
        _, hidden = self.rnn(input_gru, state.unsqueeze(0).contiguous())
        new_state = hidden.squeeze(0)

        scores = torch.bmm(self.W_a(encoder_states), new_state.unsqueeze(2)).squeeze(2)
        context, weights = attend(scores, mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat((context, new_state), dim=1)))
        logits = self.out(attentional)
        return logits, new_state, attentional, weights


######################################################################
# Encoder and decoder together


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super(Seq2Seq, self).__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def start(self, src, src_lengths):
        states, first = self.encoder(src, src_lengths)
        mask = real_tokens(src, src_lengths)
        if isinstance(self.decoder, LuongDecoder):
            carry = [first, torch.zeros_like(first)]
        else:
            carry = [first]
        return states, mask, carry

    def forward(self, src, src_lengths, tgt_in):
        states, mask, carry = self.start(src, src_lengths)
        all_logits = []
        all_weights = []
        for t in range(tgt_in.size(1)):
            # Teacher forcing: feed the target as the next input
            logits, *carry, weights = self.decoder.step(tgt_in[:, t], *carry, states, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        states, mask, carry = self.start(src, src_lengths)
        decoder_input = torch.full((src.size(0),), self.bos_id, dtype=torch.long, device=src.device)
        ended = torch.zeros(src.size(0), dtype=torch.bool, device=src.device)
        decoded_words = []
        for di in range(max_len):
            logits, *carry, _ = self.decoder.step(decoder_input, *carry, states, mask)
            topv, topi = logits.topk(1)
            word = topi.squeeze(-1)
            word = word.masked_fill(ended, self.pad_id)
            decoded_words.append(word)
            ended = ended | ((word == self.eos_id) & ~ended)
            if ended.all():
                break
            decoder_input = word
        return torch.stack(decoded_words, dim=1)

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        K = beam_size
        B = src.size(0)
        states, mask, carry = self.start(src, src_lengths)
        states = states.repeat_interleave(K, dim=0)
        mask = mask.repeat_interleave(K, dim=0)
        carry = [c.repeat_interleave(K, dim=0) for c in carry]

        total = torch.full((B, K), float("-inf"), dtype=states.dtype, device=src.device)
        total[:, 0] = 0.0  # all members start with the same bos, only the first one counts
        words = torch.full((B * K,), self.bos_id, dtype=torch.long, device=src.device)
        ended = torch.zeros(B * K, dtype=torch.bool, device=src.device)
        sequences = torch.zeros(B * K, 0, dtype=torch.long, device=src.device)
        offset = torch.arange(B, device=src.device).unsqueeze(1) * K

        for _ in range(max_len):
            logits, *carry, _ = self.decoder.step(words, *carry, states, mask)
            log_probs = F.log_softmax(logits, dim=-1)
            V = log_probs.size(-1)
            # an ended hypothesis can only be continued by pad, for free
            frozen = torch.full_like(log_probs, float("-inf"))
            frozen[:, self.pad_id] = 0.0
            log_probs = torch.where(ended.unsqueeze(1), frozen, log_probs)

            candidates = (total.view(B * K, 1) + log_probs).view(B, K * V)
            total, index = candidates.topk(K, dim=1)
            origin = (offset + torch.div(index, V, rounding_mode="floor")).view(-1)
            words = (index % V).view(-1)

            carry = [c[origin] for c in carry]
            sequences = torch.cat((sequences[origin], words.unsqueeze(1)), dim=1)
            ended = ended[origin]
            ended = ended | (words == self.eos_id)
            if ended.view(B, K)[:, 0].all():
                break  # the best one of every sentence has ended
        return sequences.view(B, K, -1)[:, 0]


######################################################################
# Without attention


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super(FixedContextSeq2Seq, self).__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def forward(self, src, src_lengths, tgt_in):
        _, first = self.encoder(src, src_lengths)
        context = first.unsqueeze(1).expand(-1, tgt_in.size(1), -1)
        embedded = self.embedding(tgt_in)
        output, _ = self.rnn(torch.cat((embedded, context), dim=2), first.unsqueeze(0))
        return self.out(torch.cat((output, context), dim=2))


######################################################################
# Training the Model


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.train()
    model.zero_grad()
    optimizer.zero_grad()

    output = model(src, src_lengths, tgt_in)
    logits = output[0] if isinstance(output, tuple) else output
    mask = real_tokens(tgt_out, tgt_lengths)
    loss = F.cross_entropy(logits[mask], tgt_out[mask])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item()


######################################################################
# Evaluation


def corpus_bleu(candidates, references):
    matches = Counter()
    possible = Counter()
    c_len, r_len = 0, 0
    for cand, ref in zip(candidates, references):
        c_len += len(cand)
        r_len += len(ref)
        for n in range(1, 5):
            c_counts = Counter(tuple(cand[i : i + n]) for i in range(len(cand) - n + 1))
            r_counts = Counter(tuple(ref[i : i + n]) for i in range(len(ref) - n + 1))
            matches[n] += sum((c_counts & r_counts).values())
            possible[n] += max(len(cand) - n + 1, 0)
    if any(matches[n] == 0 for n in range(1, 5)):
        return 0.0
    log_p = sum(math.log(matches[n] / possible[n]) for n in range(1, 5)) / 4
    bp = min(1.0, math.exp(1 - r_len / c_len))
    return 100 * bp * math.exp(log_p)


######################################################################


def asMinutes(s):
    m = math.floor(s / 60)
    s -= m * 60
    return "%dm %ds" % (m, s)


def timeSince(since, percent):
    now = time.time()
    s = now - since
    es = s / (percent)
    rs = es - s
    return "%s (- %s)" % (asMinutes(s), asMinutes(rs))


if __name__ == "__main__":
    # toy task: copy
    model = Seq2Seq(Encoder(12, 16, 32), BahdanauDecoder(12, 16, 32, 64, 32), PAD_token, SOS_token, EOS_token)
    model = model.to(device)
    optimizer = optim.Adam(model.parameters(), lr=0.003)
    start = time.time()
    for it in range(1, 301):
        n = random.randint(2, MAX_LENGTH - 1)
        src = torch.randint(3, 12, (32, n), device=device)
        sos = torch.full((32, 1), SOS_token, device=device)
        eos = torch.full((32, 1), EOS_token, device=device)
        lens = torch.full((32,), n)
        loss = train_step(model, optimizer, src, lens, torch.cat((sos, src), 1), torch.cat((src, eos), 1), lens + 1)
        if it % 50 == 0:
            print("%s (%d %d%%) %.4f" % (timeSince(start, it / 300), it, it / 3, loss))
    print(src[0], model.greedy_decode(src[:1], lens[:1], MAX_LENGTH))
