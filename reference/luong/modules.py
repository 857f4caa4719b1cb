"""The reference of ``luong`` under the contract's names."""

from __future__ import annotations

from torch import Tensor

from reference.luong import functions as reference
from reference.stand_in import ReferenceModule

local_weights = reference.local_weights


class LuongAttention(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, enc_dim: int, dec_dim: int, method: str = "dot", attn_dim: int | None = None) -> None:
        shapes: dict[str, tuple[int, ...]]
        match method:
            case "dot":
                if enc_dim != dec_dim:
                    raise ValueError("a dot product needs vectors of one width")
                shapes = {}
            case "general":
                shapes = {"W_a__weight": (dec_dim, enc_dim)}
            case "concat":
                if attn_dim is None:
                    raise ValueError("concat needs attn_dim")
                shapes = {"W_a__weight": (attn_dim, dec_dim + enc_dim), "v__weight": (1, attn_dim)}
            case _:
                raise ValueError(f"no such method: {method}")
        super().__init__(**shapes)
        self.method = method

    def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
        weights = tuple(self.weights.values())  # in the order of the shapes above
        scorer = getattr(reference, f"{self.method}_score")
        scores: Tensor = scorer(decoder_states, encoder_states, *weights)
        return scores

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        return reference.attend(self.score(decoder_states, encoder_states), encoder_states)


class AttentionalHidden(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, enc_dim: int, dec_dim: int) -> None:
        super().__init__(W_c__weight=(dec_dim, enc_dim + dec_dim))

    def forward(self, context: Tensor, decoder_states: Tensor) -> Tensor:
        return reference.attentional_hidden(context, decoder_states, self.weights["W_c.weight"])
