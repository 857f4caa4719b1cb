"""The reference of ``variations`` under the contract's names."""

from __future__ import annotations

from torch import Tensor

from reference.stand_in import ReferenceModule
from reference.variations import functions, memories, readers

coverage_attention = functions.coverage_attention
coverage_loss = functions.coverage_loss
supervised_loss = functions.supervised_loss
monotonic_attention = functions.monotonic_attention
diagonal_prior_attention = functions.diagonal_prior_attention
multi_hop = readers.multi_hop
memory_address = memories.memory_address
memory_read = memories.memory_read
memory_write = memories.memory_write
top_k_retrieval = memories.top_k_retrieval


class PointerGenerator(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, enc_dim: int, dec_dim: int, emb_dim: int) -> None:
        rows = {"w_c.weight": (1, enc_dim), "w_s.weight": (1, dec_dim), "w_y.weight": (1, emb_dim)}
        super().__init__(**rows, **{"w_y.bias": (1,)})

    def forward(
        self,
        context: Tensor,
        state: Tensor,
        embedded: Tensor,
        vocab_probs: Tensor,
        weights: Tensor,
        src_ids: Tensor,
        extended_size: int,
    ) -> tuple[Tensor, Tensor]:
        given = zip((context, state, embedded), ("w_c", "w_s", "w_y"), strict=True)
        terms = [(x, self.weights[f"{name}.weight"]) for x, name in given]
        p_gen = functions.generation_probability(terms, self.weights["w_y.bias"])
        return functions.copy_distribution(p_gen, vocab_probs, weights, src_ids, extended_size), p_gen


class BiDAF(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, dim: int) -> None:
        super().__init__(w__weight=(1, 3 * dim))

    def similarity(self, context: Tensor, question: Tensor) -> Tensor:
        return readers.trilinear(context, question, self.weights["w.weight"])

    def forward(self, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor) -> Tensor:
        scores = self.similarity(context, question)
        return readers.bidaf(scores, context, question, context_mask, question_mask)


class SpatialAttention(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, feature_dim: int, state_dim: int) -> None:
        super().__init__(W_a__weight=(state_dim, feature_dim))

    def forward(self, features: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return readers.spatial_attention(features, state, self.weights["W_a.weight"])


class PyramidalEncoder(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, input_dim: int, hidden_dim: int, num_layers: int) -> None:
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in range(num_layers):
            width = 4 * hidden_dim if layer else 2 * input_dim
            for direction in ("", "_reverse"):
                shapes[f"rnns.{layer}.weight_ih_l0{direction}"] = (3 * hidden_dim, width)
                shapes[f"rnns.{layer}.weight_hh_l0{direction}"] = (3 * hidden_dim, hidden_dim)
                shapes[f"rnns.{layer}.bias_ih_l0{direction}"] = (3 * hidden_dim,)
                shapes[f"rnns.{layer}.bias_hh_l0{direction}"] = (3 * hidden_dim,)
        super().__init__(**shapes)
        self.num_layers = num_layers

    def forward(self, frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states = frames
        for layer in range(self.num_layers):
            states, lengths = readers.join_pairs(states, lengths)
            states = readers.both_directions(states, lengths, self.of_layer(layer))
        return states, lengths

    def of_layer(self, layer: int) -> dict[str, Tensor]:
        """Return the weights of one layer, by their names in a GRU."""
        prefix = f"rnns.{layer}."
        return {name.removeprefix(prefix): one for name, one in self.weights.items() if name.startswith(prefix)}


class MultiHeadLuong(ReferenceModule):
    """Contract of the assignment. Raises ValueError for heads that do not fit."""

    def __init__(self, enc_dim: int, dec_dim: int, num_heads: int) -> None:
        if enc_dim % num_heads or dec_dim % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {enc_dim} and {dec_dim}")
        super().__init__(W_a__weight=(dec_dim, enc_dim), W_o__weight=(enc_dim, enc_dim))
        self.num_heads = num_heads

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        W_a, W_o = self.weights["W_a.weight"], self.weights["W_o.weight"]
        return memories.multi_head_luong(decoder_states, encoder_states, W_a, W_o, self.num_heads)
