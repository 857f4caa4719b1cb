"""Keras' Attention, AdditiveAttention, Dot, Softmax and Dense, with the module's parameters in their places."""

import importlib
import os
from functools import cache

import torch
from torch import nn

os.environ["KERAS_BACKEND"] = "torch"

# A submission may import torch and numpy only, so this asks the import system itself.
keras = importlib.import_module("keras")
dtypes = importlib.import_module("keras.src.backend.common.dtypes")

# On torch, Keras multiplies matrices of float64 in float32, whatever the dtype of the layer: told not to.
dtypes.BIT64_TO_BIT32_DTYPE["float64"] = "float64"


def device_of(tensor):
    """Keras moves what it is given to a device of its own unless told which."""
    return keras.device(str(tensor.device))


def name_of(dtype):
    """Keras casts inputs to the layer's dtype, float32 unless told another."""
    return str(dtype).removeprefix("torch.")


@cache
def additive(width, dtype):
    """An AdditiveAttention; its own variable is never used (see ``stateless_call``)."""
    layer = keras.layers.AdditiveAttention(dtype=name_of(dtype))
    layer.build([(None, None, width)] * 3)
    return layer


@cache
def joining(width, units, dtype):
    """A Dense with a tanh; its own variable is never used."""
    layer = keras.layers.Dense(units, activation="tanh", use_bias=False, dtype=name_of(dtype))
    layer.build((None, None, width))
    return layer


class LuongAttention(nn.Module):
    """dot, general and concat."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method not in ("dot", "general", "concat"):
            raise ValueError(f"unknown method {method!r}")
        if method == "dot" and enc_dim != dec_dim:
            raise ValueError("a dot product needs equal widths")
        if method == "concat" and attn_dim is None:
            raise ValueError("concat needs attn_dim")
        self.method, self.dims = method, [dec_dim, enc_dim]
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        if method == "concat":
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)

    def projected(self, decoder_states, encoder_states):
        """The queries and keys that Keras' layers compare."""
        if self.method == "general":
            return decoder_states, self.W_a(encoder_states)
        if self.method == "concat":
            left, right = self.W_a.weight.split(self.dims, dim=1)
            return decoder_states @ left.T, encoder_states @ right.T
        return decoder_states, encoder_states

    def score(self, decoder_states, encoder_states):
        """(B, T_t, dec_dim), (B, T_s, enc_dim) -> (B, T_t, T_s)."""
        queries, keys = self.projected(decoder_states, encoder_states)
        with device_of(keys):
            if self.method == "concat":
                pairs = keras.ops.expand_dims(queries, 2) + keras.ops.expand_dims(keys, 1)
                return keras.ops.sum(self.v.weight * keras.ops.tanh(pairs), axis=-1)
            return keras.layers.Dot(axes=2, dtype=name_of(keys.dtype))([queries, keys])

    def forward(self, decoder_states, encoder_states):
        """-> context (B, T_t, enc_dim), weights (B, T_t, T_s)."""
        queries, keys = self.projected(decoder_states, encoder_states)
        inputs = [queries, encoder_states, keys]
        with device_of(keys):
            if self.method == "concat":
                layer = additive(keys.size(-1), keys.dtype)
                both, _ = layer.stateless_call([self.v.weight[0]], [], inputs, return_attention_scores=True)
                return both
            return keras.layers.Attention(dtype=name_of(keys.dtype))(inputs, return_attention_scores=True)


class AttentionalHidden(nn.Module):
    """tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        """-> (B, T_t, dec_dim)."""
        layer = joining(self.W_c.in_features, self.W_c.out_features, context.dtype)
        with device_of(context):
            both = keras.ops.concatenate([context, decoder_states], axis=-1)
            return layer.stateless_call([self.W_c.weight.T], [], both)[0]


def local_weights(scores, center, half_width):
    """keras.layers.Softmax under a mask, which makes a row without a window 0, times the Gaussian."""
    positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)
    distance = positions - center.unsqueeze(1)
    with device_of(scores):
        inside = keras.ops.abs(distance) <= half_width
        weights = keras.layers.Softmax(dtype=name_of(scores.dtype))(scores, mask=inside)
        return weights * keras.ops.exp(keras.ops.square(distance / half_width) * -2.0)
