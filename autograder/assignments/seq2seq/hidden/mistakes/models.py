"""An encoder and decoders as students write them, built from replaceable parts.

Each part is a function. ``encoder``, ``bahdanau`` and ``luong`` build classes with some parts replaced by wrong ones.
Whole models and ``train_step`` call these classes' methods, so a wrong part shows there too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from reference.seq2seq import modules as right
from reference.seq2seq.recurrent import Weights, rnn_weights

Part = Callable[..., Any]
Parts = dict[str, Part]


def real(lengths: Tensor, width: int) -> Tensor:
    """Return which positions are real, (B, T)."""
    return torch.arange(width) < lengths.unsqueeze(1)


def cat(*parts: Tensor) -> Tensor:
    """Concatenate along the last axis."""
    return torch.cat(parts, -1)


def linear(weights: Weights, name: str, x: Tensor) -> Tensor:
    """Apply a layer of the module, by its name."""
    return F.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Return the right masked softmax."""
    return torch.softmax(scores.masked_fill(~mask, -1e300), -1) * mask


# ---- Encoder


def whole(weights: Weights, x: Tensor) -> tuple[Tensor, Tensor]:
    """Run both directions over all positions: (B, T, 2H), (2, B, H)."""
    flat = [*rnn_weights(weights), *rnn_weights(weights, "_reverse")]
    start = x.new_zeros(2, x.shape[0], flat[1].shape[1])
    return torch.gru(x, start, flat, True, 1, 0.0, False, True, True)


def packed(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run both directions over the real words; zeros elsewhere."""
    flat = [*rnn_weights(weights), *rnn_weights(weights, "_reverse")]
    start = x.new_zeros(2, x.shape[0], flat[1].shape[1])
    inputs = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    out, last = torch.gru(inputs.data, inputs.batch_sizes, start, flat, True, 1, 0.0, False, True)
    states, _ = pad_packed_sequence(PackedSequence(out, *inputs[1:]), batch_first=True, total_length=x.shape[1])
    assert inputs.unsorted_indices is not None
    return states, last.index_select(1, inputs.unsorted_indices)


ENCODER: Parts = {
    "words": lambda src, table: F.embedding(src, table),
    "run": packed,
    "states": lambda states, lengths: states,
    "final": lambda states, last, lengths: cat(last[0], last[1]),
    "first": lambda final, bridge: torch.tanh(bridge(final)),
    "results": lambda states, first: (states, first),
}


def encoder(**parts: Part) -> type[right.Encoder]:
    """Build an Encoder with some parts replaced by wrong ones."""
    use = SimpleNamespace(**{**ENCODER, **parts})

    class Encoder(right.Encoder):
        def forward(self, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
            weights = self.weights
            found, last = use.run(weights, use.words(src, weights["embedding.weight"]), lengths)
            states = use.states(found, lengths)
            final = use.final(found, last, lengths)
            return use.results(states, use.first(final, lambda x: linear(weights, "bridge", x)))  # type: ignore[no-any-return]

    return Encoder


# ---- decoders


def gru(weights: Weights, x: Tensor, state: Tensor) -> Tensor:
    """Run one step of the decoder's cell."""
    return torch.gru_cell(x, state, *rnn_weights(weights))


def additive(weights: Weights, state: Tensor, states: Tensor, activation: Part = torch.tanh) -> Tensor:
    """Return Bahdanau's energies, (B, T_s)."""
    both = linear(weights, "W_s", state).unsqueeze(1) + linear(weights, "W_h", states)
    return linear(weights, "v", activation(both)).squeeze(-1)


def product(weights: Weights, state: Tensor, states: Tensor) -> Tensor:
    """Return Luong's "general" score, (B, T_s)."""
    return (state.unsqueeze(1) @ linear(weights, "W_a", states).mT).squeeze(1)


def weighted(alpha: Tensor, states: Tensor, keys: Part) -> Tensor:
    """Return the context, (B, E)."""
    return (alpha.unsqueeze(1) @ states).squeeze(1)


def _bahdanau(use: SimpleNamespace, w: Weights, word: Tensor, old: Tensor, states: Tensor, mask: Tensor) -> Any:
    """Run a step in the right order. A variant may have its own order."""
    alpha = use.softmax(use.score(w, old, states), mask)
    context = use.context(alpha, states, lambda: linear(w, "W_h", states))
    new = use.cell(w, use.read(word, context), old)
    return new, context, alpha


BAHDANAU: Parts = {
    "word": lambda token, table: F.embedding(token, table),
    "score": additive,
    "softmax": masked_softmax,
    "context": weighted,
    "cell": gru,
    "read": cat,
    "step": _bahdanau,
    "say": lambda new, context, old: cat(new, context),
    "results": lambda logits, new, alpha, old: (logits, new, alpha),
}


def bahdanau(**parts: Part) -> type[right.BahdanauDecoder]:
    """Build a BahdanauDecoder with some parts replaced by wrong ones."""
    use = SimpleNamespace(**{**BAHDANAU, **parts})

    class BahdanauDecoder(right.BahdanauDecoder):
        def step(
            self, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor
        ) -> tuple[Tensor, Tensor, Tensor]:
            w = self.weights
            word = use.word(token, w["embedding.weight"])
            new, context, alpha = use.step(use, w, word, state, encoder_states, mask)
            logits = linear(w, "out", use.say(new, context, state))
            return use.results(logits, new, alpha, state)  # type: ignore[no-any-return]

    return BahdanauDecoder


LUONG: Parts = {
    "word": lambda token, table: F.embedding(token, table),
    "read": lambda word, fed, old: cat(word, fed),
    "cell": gru,
    "query": lambda new, old: new,
    "score": product,
    "softmax": masked_softmax,
    "context": weighted,
    "join": lambda context, new, old: cat(context, new),
    "activation": torch.tanh,
    "say": lambda attentional, new: attentional,
    "results": lambda logits, new, attentional, alpha, old, fed: (logits, new, attentional, alpha),
}


def luong(**parts: Part) -> type[right.LuongDecoder]:
    """Build a LuongDecoder with some parts replaced by wrong ones."""
    use = SimpleNamespace(**{**LUONG, **parts})

    class LuongDecoder(right.LuongDecoder):
        def step(
            self, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor
        ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
            w = self.weights
            new = use.cell(w, use.read(use.word(token, w["embedding.weight"]), fed, state), state)
            alpha = use.softmax(use.score(w, use.query(new, state), encoder_states), mask)
            context = use.context(alpha, encoder_states, lambda: linear(w, "W_a", encoder_states))
            attentional = use.activation(linear(w, "W_c", use.join(context, new, state)))
            logits = linear(w, "out", use.say(attentional, new))
            return use.results(logits, new, attentional, alpha, state, fed)  # type: ignore[no-any-return]

    return LuongDecoder


def carried(results: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...], Tensor]:
    """Return the logits, the next step's state and the weights, for either decoder."""
    logits, *carry, alpha = results
    return logits, tuple(carry), alpha
