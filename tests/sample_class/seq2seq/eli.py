# Eli, HW5
import math
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_mask(tokens, lengths):
    return torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0) < lengths.to(tokens.device).unsqueeze(1)


def attend(scores, mask, encoder_states):
    scores = torch.where(mask, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    weights = F.softmax(scores, dim=1) * mask
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    return context, weights


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        embedded = self.embedding(src)
        states, hidden = self.rnn(embedded)
        states = states * make_mask(src, lengths).unsqueeze(2)   # zero at padding
        state = torch.tanh(self.bridge(torch.cat((hidden[0], hidden[1]), dim=1)))
        return states, state


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def attention(self, state, encoder_states, mask):
        scores = self.v(torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(2)
        return attend(scores, mask, encoder_states)

    def step(self, token, state, encoder_states, mask):
        context, weights = self.attention(state, encoder_states, mask)
        rnn_in = torch.cat((self.embedding(token), context), dim=1).unsqueeze(1)
        output, _ = self.rnn(rnn_in, state.unsqueeze(0).contiguous())
        state = output[:, 0]
        logits = self.out(torch.cat((state, context), dim=1))
        return logits, state, weights


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        rnn_in = torch.cat((self.embedding(token), fed), dim=1).unsqueeze(1)
        output, _ = self.rnn(rnn_in, state.unsqueeze(0).contiguous())
        state = output[:, 0]
        scores = torch.bmm(self.W_a(encoder_states), state.unsqueeze(2)).squeeze(2)
        context, weights = attend(scores, mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat((context, state), dim=1)))
        return self.out(attentional), state, attentional, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def encode(self, src, src_lengths):
        encoder_states, state = self.encoder(src, src_lengths)
        mask = make_mask(src, src_lengths)
        return encoder_states, mask, state, torch.zeros_like(state)

    def decode_step(self, token, state, fed, encoder_states, mask):
        if isinstance(self.decoder, LuongDecoder):
            logits, state, fed, weights = self.decoder.step(token, state, fed, encoder_states, mask)
        else:
            logits, state, weights = self.decoder.step(token, state, encoder_states, mask)
        return logits, state, fed, weights

    def forward(self, src, src_lengths, tgt_in):
        encoder_states, mask, state, fed = self.encode(src, src_lengths)
        logits, weights = [], []
        for t in range(tgt_in.size(1)):
            token = tgt_in[:, t]
            step_logits, state, fed, step_weights = self.decode_step(token, state, fed, encoder_states, mask)
            logits.append(step_logits)
            weights.append(step_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        encoder_states, mask, state, fed = self.encode(src, src_lengths)
        token = torch.full((src.size(0),), self.bos_id, dtype=torch.long, device=src.device)
        finished = torch.zeros(src.size(0), dtype=torch.bool, device=src.device)
        words = []
        for _ in range(max_len):
            logits, state, fed, _ = self.decode_step(token, state, fed, encoder_states, mask)
            token = logits.argmax(dim=1)
            token[finished] = self.pad_id
            words.append(token)
            finished = finished | (token == self.eos_id)
            if finished.all():
                break
        return torch.stack(words, dim=1)

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        best = [self.beam_one(src[b:b + 1], src_lengths[b:b + 1], beam_size, max_len) for b in range(src.size(0))]
        return torch.nn.utils.rnn.pad_sequence(best, batch_first=True, padding_value=self.pad_id)

    def beam_one(self, src, length, beam_size, max_len):
        encoder_states, mask, state, fed = self.encode(src, length)
        words = torch.full((1, 1), self.bos_id, dtype=torch.long, device=src.device)
        scores = torch.zeros(1, dtype=torch.double, device=src.device)
        done, done_scores = [], []
        for _ in range(max_len):
            n = words.size(0)
            H, M = encoder_states.expand(n, -1, -1), mask.expand(n, -1)
            logits, state, fed, _ = self.decode_step(words[:, -1], state, fed, H, M)
            total = scores.unsqueeze(1) + F.log_softmax(logits.double(), dim=1)
            scores, index = total.flatten().topk(min(beam_size, total.numel()))
            parent, word = index // total.size(1), index % total.size(1)
            words = torch.cat((words[parent], word.unsqueeze(1)), dim=1)
            state, fed = state[parent], fed[parent]
            ended = word == self.eos_id
            for k in ended.nonzero().flatten().tolist():
                done.append(words[k, 1:])
                done_scores.append(scores[k].item())
            keep = ~ended
            words, scores, state, fed = words[keep], scores[keep], state[keep], fed[keep]
            # log-probabilities only fall, so nothing can beat the best finished one any more
            if words.size(0) == 0 or (done and max(done_scores) >= scores.max().item()):
                break
        for k in range(words.size(0)):
            done.append(words[k, 1:])
            done_scores.append(scores[k].item())
        return done[max(range(len(done)), key=done_scores.__getitem__)]


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        _, first = self.encoder(src, src_lengths)
        fixed = first.unsqueeze(1).repeat(1, tgt_in.size(1), 1)
        output, _ = self.rnn(torch.cat((self.embedding(tgt_in), fixed), dim=2), first.unsqueeze(0).contiguous())
        return self.out(torch.cat((output, fixed), dim=2))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.train()
    optimizer.zero_grad()
    logits = model(src, src_lengths, tgt_in)
    if isinstance(model, Seq2Seq):
        logits = logits[0]
    targets = tgt_out.masked_fill(~make_mask(tgt_out, tgt_lengths), -100)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item()


def corpus_bleu(candidates, references):
    logs = []
    for n in range(1, 5):
        match, count = 0, 0
        for candidate, reference in zip(candidates, references):
            cand_grams = Counter(zip(*[candidate[k:] for k in range(n)]))
            ref_grams = Counter(zip(*[reference[k:] for k in range(n)]))
            match += sum((cand_grams & ref_grams).values())
            count += sum(cand_grams.values())
        if match == 0:
            return 0.0
        logs.append(math.log(match / count))
    c = sum(len(x) for x in candidates)
    r = sum(len(x) for x in references)
    bp = min(1.0, math.exp(1 - r / c))
    return 100 * bp * math.exp(sum(logs) / 4)
