"""Keras' GRU, GRUCell, Dense, AdditiveAttention and Attention, with the modules' parameters in their places."""

import importlib
import math
import os
from collections import Counter
from functools import cache

import torch
from torch import nn

os.environ["KERAS_BACKEND"] = "torch"

# A submission may import torch and numpy only, so this asks the import system itself.
keras = importlib.import_module("keras")
ops = keras.ops
dtypes = importlib.import_module("keras.src.backend.common.dtypes")

# On torch, Keras multiplies matrices of float64 in float32, whatever the dtype of the layer: told not to.
dtypes.BIT64_TO_BIT32_DTYPE["float64"] = "float64"


def device_of(tensor):
    """Keras moves what it is given to a device of its own unless told which."""
    return keras.device(str(tensor.device))


def name_of(tensor):
    """Keras casts inputs to the layer's dtype, float32 unless told another."""
    return str(tensor.dtype).removeprefix("torch.")


@cache
def built(kind, *shape, **options):
    """A layer of Keras that is ready for ``stateless_call``; its own variables are never used."""
    layer = getattr(keras.layers, kind)(**options)
    layer.build([shape] * 3 if kind == "AdditiveAttention" else shape)
    return layer


def outside(layer, variables, *args, **options):
    """Calls a layer with these tensors for its variables, so that gradients reach them."""
    return layer.stateless_call(variables, layer.non_trainable_variables, *args, **options)[0]


def linear(layer, x):
    """An nn.Linear with a bias, by Keras' Dense."""
    dense = built("Dense", None, layer.in_features, units=layer.out_features, dtype=name_of(x))
    with device_of(x):
        return outside(dense, [layer.weight.T, layer.bias], x)


def keras_weights(rnn, suffix="l0"):
    """torch has the gates in the order r, z, n and Keras in the order z, r, n."""

    def ordered(name):
        reset, update, new = getattr(rnn, f"{name}_{suffix}").chunk(3)
        return torch.cat([update, reset, new])

    biases = torch.stack([ordered("bias_ih"), ordered("bias_hh")])
    return [ordered("weight_ih").T, ordered("weight_hh").T, biases]


def gru(rnn, x, suffix="l0", **call):
    """One direction of an nn.GRU: (B, T, d) -> states (B, T, h), last state (B, h)."""
    back = suffix.endswith("reverse")
    layer = built(
        "GRU", None, None, rnn.input_size, units=rnn.hidden_size, dtype=name_of(x), return_sequences=True,
        return_state=True, go_backwards=back, zero_output_for_mask=True,
    )
    with device_of(x):
        states, last = outside(layer, keras_weights(rnn, suffix), x, **call)
        return ops.flip(states, axis=1) if back else states, last


def one_step(rnn, parts, state):
    """Keras' GRUCell: what it reads in parts, (B, h) -> (B, h)."""
    inputs = torch.cat(parts, dim=1)
    cell = built("GRUCell", None, rnn.input_size, units=rnn.hidden_size, dtype=name_of(inputs))
    with device_of(inputs):
        return outside(cell, keras_weights(rnn), inputs, [state])[0]


def look(attend, mask):
    """A Keras attention under a mask; it spreads its weights over a row that is all masked: emptied after."""
    with device_of(mask):
        context, weights = attend(mask=[None, mask], return_attention_scores=True)
    seen = mask.any(dim=1, keepdim=True)
    return context.squeeze(1).masked_fill(~seen, 0.0), weights.squeeze(1).masked_fill(~mask, 0.0)


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool."""
    with device_of(tokens):
        return ops.arange(tokens.size(1)) < ops.expand_dims(lengths, 1)


class Encoder(nn.Module):
    """Two GRUs of Keras under a mask, one from the end."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        """-> states (B, T_s, 2 * hidden_dim), first state (B, hidden_dim)."""
        words, mask = self.embedding(src), real_tokens(src, lengths)
        ways = [gru(self.rnn, words, suffix, mask=mask) for suffix in ("l0", "l0_reverse")]
        states, last = (torch.cat(parts, dim=-1) for parts in zip(*ways, strict=True))
        return states, torch.tanh(linear(self.bridge, last))


class BahdanauDecoder(nn.Module):
    """Keras' AdditiveAttention, whose ``scale`` is v."""

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
        inputs = [self.W_s(state).unsqueeze(1), encoder_states, self.W_h(encoder_states)]
        layer = built("AdditiveAttention", None, None, self.v.in_features, dtype=name_of(state))
        context, weights = look(lambda **how: outside(layer, [self.v.weight[0]], inputs, **how), mask)
        state = one_step(self.rnn, [self.embedding(token), context], state)
        return linear(self.out, torch.cat([state, context], dim=1)), state, weights


class LuongDecoder(nn.Module):
    """Keras' Attention with keys that are not the values."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        """-> logits, new state, attentional, weights."""
        state = one_step(self.rnn, [self.embedding(token), fed], state)
        inputs = [state.unsqueeze(1), encoder_states, self.W_a(encoder_states)]
        layer = keras.layers.Attention(dtype=name_of(state))
        context, weights = look(lambda **how: layer(inputs, **how), mask)
        attentional = torch.tanh(self.W_c(torch.cat([context, state], dim=1)))
        return linear(self.out, attentional), state, attentional, weights


class Seq2Seq(nn.Module):
    """An encoder and a decoder."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def begin(self, src, src_lengths):
        """-> encoder states, mask, what is carried from step to step."""
        states, first = self.encoder(src, src_lengths)
        fed = [torch.zeros_like(first)] if isinstance(self.decoder, LuongDecoder) else []
        return states, real_tokens(src, src_lengths), [first, *fed]

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V), weights (B, T_t, T_s)."""
        states, mask, carry = self.begin(src, src_lengths)
        all_logits, all_weights = [], []
        for token in tgt_in.unbind(1):
            logits, *carry, weights = self.decoder.step(token, *carry, states, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        """-> (B, L); keras.ops.argmax gives int32."""
        states, mask, carry = self.begin(src, src_lengths)
        token = torch.full_like(src[:, 0], self.bos_id)
        ended, words = torch.zeros_like(token, dtype=torch.bool), []
        while len(words) < max_len and not ended.all():
            logits, *carry, _ = self.decoder.step(token, *carry, states, mask)
            with device_of(logits):
                token = ops.where(ended, self.pad_id, ops.argmax(logits, axis=-1)).to(src.dtype)
            ended = ended | (token == self.eos_id)
            words.append(token)
        return torch.stack(words, dim=1)

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """All beams of all sentences at once; finished hypotheses are put on with pad."""
        batch, vocab_size = src.size(0), self.decoder.out.out_features
        states, mask, carry = self.begin(src, src_lengths)
        states, mask, *carry = (x.repeat_interleave(beam_size, dim=0) for x in (states, mask, *carry))
        words = src.new_full((batch * beam_size, 1), self.bos_id)
        ended = torch.zeros_like(words[:, 0], dtype=torch.bool)
        totals = torch.full_like(ended, -math.inf, dtype=torch.float64).view(batch, beam_size)
        totals[:, 0] = 0.0
        first_row = torch.arange(batch, device=src.device).unsqueeze(1) * beam_size
        while words.size(1) <= max_len and not ended.all():
            logits, *carry, _ = self.decoder.step(words[:, -1], *carry, states, mask)
            with device_of(logits):
                scores = ops.log_softmax(logits.double(), axis=-1)
                scores[ended] = -math.inf
                scores[ended, self.pad_id] = 0.0
                candidates = (totals.view(-1, 1) + scores).view(batch, -1)
                totals, best = ops.top_k(candidates, beam_size)
            rows = (first_row + best // vocab_size).flatten()
            word = (best % vocab_size).flatten()
            words = torch.cat([words[rows], word.unsqueeze(1)], dim=1)
            ended = ended[rows] | (word == self.eos_id)
            carry = [x[rows] for x in carry]
        return words[::beam_size, 1:]


class FixedContextSeq2Seq(nn.Module):
    """No attention: Keras' GRU over the whole target."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V)."""
        _, first = self.encoder(src, src_lengths)
        summary = first.unsqueeze(1).expand(-1, tgt_in.size(1), -1)
        inputs = torch.cat([self.embedding(tgt_in), summary], dim=-1)
        states, _ = gru(self.rnn, inputs, initial_state=[first])
        return linear(self.out, torch.cat([states, summary], dim=-1))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """One step with Keras' crossentropy, weighted by what is real."""
    model.zero_grad()
    optimizer.zero_grad()
    output = model(src, src_lengths, tgt_in)
    logits = output[0] if isinstance(output, tuple) else output
    crossentropy = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight", dtype=name_of(logits)
    )
    with device_of(logits):
        loss = crossentropy(tgt_out, logits, sample_weight=real_tokens(tgt_out, tgt_lengths))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return float(loss)


def corpus_bleu(candidates, references):
    """4-gram BLEU, no smoothing."""

    def grams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    logs = 0.0
    for n in range(1, 5):
        pairs = [
            (grams(ours, n), grams(theirs, n)) for ours, theirs in zip(candidates, references, strict=True)
        ]
        matches = sum((ours & theirs).total() for ours, theirs in pairs)
        if not matches:
            return 0.0
        logs += math.log(matches / sum(ours.total() for ours, _ in pairs)) / 4
    ratio = sum(map(len, references)) / sum(map(len, candidates))
    return 100.0 * math.exp(logs + min(0.0, 1.0 - ratio))
