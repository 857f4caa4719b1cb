"""torch's own: scaled_dot_product_attention, GRUCell by functional_call, pack_sequence, ignore_index, Categorical."""

import math
from collections import Counter

import torch
from torch import nn
from torch.distributions import Categorical
from torch.func import functional_call
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool."""
    return torch.arange(tokens.size(1), device=tokens.device) < lengths.to(tokens.device).unsqueeze(1)


def look(query, keys, values, mask, bias=None):
    """(B, d), (B, T, d), (B, T, e), (B, T), (B, T) -> context (B, e), weights (B, T)."""
    batch, source, width = values.shape
    seen = mask.unsqueeze(1) if bias is None else bias.masked_fill(~mask, -torch.inf).unsqueeze(1)
    unit = torch.eye(source, dtype=values.dtype, device=values.device).expand(batch, -1, -1)
    both = F.scaled_dot_product_attention(
        query.unsqueeze(1), keys, torch.cat([values, unit], dim=2), attn_mask=seen, scale=1.0
    )
    return both.squeeze(1).split([width, source], dim=1)


def one_step(rnn, inputs, state):
    """A GRUCell that has the parameters of a GRU of one layer."""
    cell = nn.GRUCell(rnn.input_size, rnn.hidden_size, device="meta")
    parameters = {name: getattr(rnn, f"{name}_l0") for name, _ in cell.named_parameters()}
    return functional_call(cell, parameters, (inputs, state))


class Encoder(nn.Module):
    """Bidirectional GRU over packed sentences."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        """-> states (B, T_s, 2 * hidden_dim), first state (B, hidden_dim)."""
        sentences = [
            words[:length] for words, length in zip(self.embedding(src), lengths.tolist(), strict=True)
        ]
        outputs, last = self.rnn(pack_sequence(sentences, enforce_sorted=False))
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        return states, F.tanh(self.bridge(last.movedim(0, 1).flatten(1)))


class BahdanauDecoder(nn.Module):
    """The scores are a bias on a product of zeros."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask):
        """-> logits, new state, weights."""
        keys = self.W_h(encoder_states)
        scores = self.v(F.tanh(self.W_s(state).unsqueeze(1) + keys)).squeeze(2)
        zeros = torch.zeros_like(keys)
        context, weights = look(zeros[:, 0], zeros, encoder_states, mask, scores)
        state = one_step(self.rnn, torch.cat([self.embedding(token), context], dim=1), state)
        return self.out(torch.cat([state, context], dim=1)), state, weights


class LuongDecoder(nn.Module):
    """The query is the new state."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        """-> logits, new state, attentional, weights."""
        state = one_step(self.rnn, torch.cat([self.embedding(token), fed], dim=1), state)
        context, weights = look(state, self.W_a(encoder_states), encoder_states, mask)
        attentional = F.tanh(self.W_c(torch.cat([context, state], dim=1)))
        return self.out(attentional), state, attentional, weights


class Seq2Seq(nn.Module):
    """An encoder and a decoder."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def begin(self, src, src_lengths):
        """-> what every step reads, what is carried from step to step."""
        states, first = self.encoder(src, src_lengths)
        carry = (first, torch.zeros_like(first)) if hasattr(self.decoder, "W_c") else (first,)
        return (states, real_tokens(src, src_lengths)), carry

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V), weights (B, T_t, T_s)."""
        fixed, carry = self.begin(src, src_lengths)
        steps = []
        for token in tgt_in.T:
            logits, *carry, weights = self.decoder.step(token, *carry, *fixed)
            steps.append((logits, weights))
        return tuple(torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))

    @torch.inference_mode()
    def greedy_decode(self, src, src_lengths, max_len):
        """-> (B, L)."""
        return self.beam_search(src, src_lengths, 1, max_len)

    @torch.inference_mode()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """One sentence at a time; finished hypotheses keep their place."""
        fixed, carry = self.begin(src, src_lengths)
        found = []
        for row in range(src.size(0)):
            one = [part[row : row + 1] for part in fixed]
            found.append(self.best([part[row : row + 1] for part in carry], one, beam_size, max_len))
        return nn.utils.rnn.pad_sequence(found, batch_first=True, padding_value=self.pad_id)

    def best(self, carry, fixed, beam_size, max_len):
        """The best hypothesis of one sentence: its words."""
        beam = [(0.0, [], carry)]
        for _ in range(max_len):
            grown = []
            for total, words, carried in beam:
                if words and words[-1] == self.eos_id:
                    grown.append((total, words, carried))
                    continue
                token = torch.tensor([words[-1] if words else self.bos_id], device=fixed[0].device)
                logits, *after, _ = self.decoder.step(token, *carried, *fixed)
                scores = Categorical(logits=logits[0].double()).logits
                top = scores.topk(min(beam_size, scores.numel()))
                for score, word in zip(top.values.tolist(), top.indices.tolist(), strict=True):
                    grown.append((total + score, [*words, word], after))
            beam = sorted(grown, key=lambda hypothesis: -hypothesis[0])[:beam_size]
            if all(words[-1] == self.eos_id for _, words, _ in beam):
                break
        return torch.tensor(beam[0][1], dtype=torch.int64, device=fixed[0].device)


class FixedContextSeq2Seq(nn.Module):
    """No attention."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V)."""
        first = self.encoder(src, src_lengths)[1]
        state, logits = first, []
        for token in tgt_in.T:
            state = one_step(self.rnn, torch.cat([self.embedding(token), first], dim=1), state)
            logits.append(self.out(torch.cat([state, first], dim=1)))
        return torch.stack(logits, dim=1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """One step; a class that does not count at padding."""
    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    logits = model(src, src_lengths, tgt_in)
    logits = logits if isinstance(logits, torch.Tensor) else logits[0]
    targets = tgt_out.masked_fill(~real_tokens(tgt_out, tgt_lengths), -100)
    loss = F.cross_entropy(logits.movedim(2, 1), targets, ignore_index=-100)
    loss.backward()
    clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return float(loss)


def corpus_bleu(candidates, references):
    """Counts of n-grams by Counter."""
    logs = 0.0
    for n in range(1, 5):
        matches = total = 0
        for candidate, reference in zip(candidates, references, strict=True):
            ours, theirs = (
                Counter(zip(*(words[i:] for i in range(n)), strict=False)) for words in (candidate, reference)
            )
            matches, total = matches + (ours & theirs).total(), total + ours.total()
        if matches == 0:
            return 0.0
        logs += math.log(matches / total) / 4
    ratio = sum(map(len, references)) / sum(map(len, candidates))
    return 100 * math.exp(logs + min(0.0, 1 - ratio))
