"""The reference of ``experiments`` under the contract's names."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import torch
from torch import Tensor

from reference.experiments import functions as reference
from reference.experiments.cross import CrossAttention
from reference.experiments.functions import (
    bleu_by_length,
    copy_accuracy,
    copy_task,
    head_ablation,
    mean_attention_map,
    split_projection,
    train_epoch,
)
from reference.experiments.given import (
    BOS,
    BUCKETS,
    EOS,
    LENGTHS,
    PAD,
    FixedContext,
    TinyTranslator,
    WithAttention,
    sinusoids,
    toy_corpus,
)

__all__ = [
    "BOS",
    "BUCKETS",
    "EOS",
    "LENGTHS",
    "PAD",
    "CrossAttention",
    "FixedContext",
    "TinyTranslator",
    "WithAttention",
    "attention_times",
    "bleu_by_length",
    "copy_accuracy",
    "copy_curves",
    "copy_task",
    "head_ablation",
    "mean_attention_map",
    "sinusoids",
    "split_projection",
    "toy_corpus",
    "train_epoch",
    "translation_bleu",
]


def copy_curves(seed: int, lengths: Sequence[int], train_lengths: Sequence[int], vocab_size: int = 13) -> Tensor:
    """Contract of the assignment."""
    return reference.copy_curves(seed, lengths, train_lengths, vocab_size, (FixedContext, WithAttention))


def translation_bleu(seed: int, epochs: int = 20) -> Tensor:
    """Contract of the assignment."""
    return reference.translation_bleu(seed, epochs, (FixedContext, WithAttention), toy_corpus)


def attention_times(lengths: Sequence[int], width: int = 128, repeats: int = 20) -> Tensor:
    """Contract of the assignment."""
    W_s, W_h = torch.randn(width, width), torch.randn(width, width)
    v = torch.randn(width)

    def additive(query: Tensor, states: Tensor) -> Tensor:
        return (torch.tanh(W_s @ query + states @ W_h.T) @ v).softmax(0) @ states

    def dot(query: Tensor, states: Tensor) -> Tensor:
        return (states @ query).softmax(0) @ states

    rows = []
    with torch.no_grad():
        for attention in (additive, dot):
            row = []
            for length in lengths:
                query, states = torch.randn(width), torch.randn(length, width)
                attention(query, states)
                passes = []
                for _ in range(repeats):
                    start = time.perf_counter()
                    attention(query, states)
                    passes.append(time.perf_counter() - start)
                row.append(statistics.median(passes))
            rows.append(row)
    return torch.tensor(rows)
