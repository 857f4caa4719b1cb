"""Wrong submissions of ``luong``: the three scores."""

from __future__ import annotations

from tests.specs.mutants import Mutant

SOFTMAX = "weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)"
DOT = "return decoder_states @ keys.transpose(1, 2)"
KEYS = 'keys = self.W_a(encoder_states) if self.method == "general" else encoder_states'
TANH = "return self.v(torch.tanh(queries + keys)).squeeze(-1)"
SPLIT = "left, right = self.W_a.weight.split(self.dims, dim=1)"


def weights(expression: str) -> str:
    """The forward pass with other weights made of the scores ``e``."""
    return f"e = self.score(decoder_states, encoder_states)\n        weights = {expression}"


SCORES = (
    Mutant(
        "score-normalised",
        DOT,
        "return torch.softmax(decoder_states @ keys.transpose(1, 2), -1)",
        also=((SOFTMAX, "weights = self.score(decoder_states, encoder_states)"),),
    ),
    Mutant(
        "score-transposed",
        DOT,
        "return keys @ decoder_states.transpose(1, 2)",
        also=((SOFTMAX, weights('torch.softmax(e if self.method == "concat" else e.transpose(1, 2), -1)')),),
    ),
    Mutant(
        "cosine",
        DOT,
        "keys = keys / keys.norm(dim=-1, keepdim=True)\n"
        "        return decoder_states / decoder_states.norm(dim=-1, keepdim=True) @ keys.transpose(1, 2)",
    ),
    Mutant(
        "keys-normalised",
        DOT,
        "return decoder_states @ nn.functional.normalize(keys, dim=-1).transpose(1, 2)",
    ),
    Mutant("score-scaled", DOT, DOT + " / keys.size(-1) ** 0.5"),
    Mutant("score-mean", DOT, "return (decoder_states.unsqueeze(2) * keys.unsqueeze(1)).mean(-1)"),
    Mutant("negative", DOT, "return -(decoder_states @ keys.transpose(1, 2))"),
    Mutant("euclidean", DOT, "return -torch.cdist(decoder_states, keys)"),
    Mutant(
        "reshaped-not-transposed", DOT, "return decoder_states @ keys.reshape(keys.size(0), keys.size(2), -1)"
    ),
    Mutant("viewed", DOT, "keys.view(-1)\n        " + DOT),
    Mutant("score-detached", DOT, "return decoder_states.detach() @ keys.transpose(1, 2)"),
    Mutant(
        "first-query",
        DOT,
        "return (decoder_states[:, :1] @ keys.transpose(1, 2)).expand(-1, decoder_states.size(1), -1)",
    ),
    Mutant(
        "mean-query",
        DOT,
        "queries = decoder_states.mean(1, keepdim=True).expand_as(decoder_states)\n"
        "        return queries @ keys.transpose(1, 2)",
    ),
    Mutant(
        "general-transposed-when-square",
        KEYS,
        KEYS + "\n        if self.method == 'general' and keys.size(-1) == "
        "encoder_states.size(-1):\n            keys = encoder_states @ self.W_a.weight",
    ),
    Mutant(
        "general-ignores-weight",
        KEYS,
        'keys = self.W_a(encoder_states) if self.method == "general" and encoder_states'
        ".size(-1) != decoder_states.size(-1) else encoder_states",
    ),
    Mutant(
        "general-detached",
        KEYS,
        KEYS.replace("self.W_a(encoder_states)", "encoder_states @ self.W_a.weight.detach().T"),
    ),
    Mutant(
        "general-tanh", KEYS, KEYS.replace("self.W_a(encoder_states)", "torch.tanh(self.W_a(encoder_states))")
    ),
    Mutant("dot-tanh", DOT, "return torch.tanh(decoder_states @ keys.transpose(1, 2))"),
    Mutant("concat-no-tanh", TANH, "return self.v(queries + keys).squeeze(-1)"),
    Mutant("concat-sigmoid", TANH, TANH.replace("tanh", "sigmoid")),
    Mutant("concat-relu", TANH, TANH.replace("tanh", "relu")),
    Mutant("concat-gelu", TANH, TANH.replace("torch.tanh", "nn.functional.gelu")),
    Mutant("concat-tanh-each", TANH, "return self.v(torch.tanh(queries) + torch.tanh(keys)).squeeze(-1)"),
    Mutant("concat-tanh-outside", TANH, "return torch.tanh(self.v(queries + keys)).squeeze(-1)"),
    Mutant("concat-both-tanh", TANH, "return torch.tanh(self.v(torch.tanh(queries + keys))).squeeze(-1)"),
    Mutant("concat-product", TANH, TANH.replace("queries + keys", "queries * keys")),
    Mutant("concat-no-decoder", TANH, TANH.replace("queries + keys", "0 * queries + keys")),
    Mutant("concat-no-encoder", TANH, TANH.replace("queries + keys", "queries + 0 * keys")),
    Mutant("concat-minus", TANH, TANH.replace("queries + keys", "queries - keys")),
    Mutant("concat-no-v", TANH, "return torch.tanh(queries + keys).sum(-1)"),
    Mutant("concat-mean-v", TANH, "return self.v(torch.tanh(queries + keys)).squeeze(-1) / queries.size(-1)"),
    Mutant(
        "concat-v-detached",
        TANH,
        "return (torch.tanh(queries + keys) @ self.v.weight.detach().T).squeeze(-1)",
    ),
    Mutant("concat-squeezed", TANH, TANH.replace("squeeze(-1)", "squeeze()")),
    Mutant("concat-order", SPLIT, "right, left = self.W_a.weight.split(self.dims[::-1], dim=1)"),
    Mutant(
        "concat-order-when-square",
        SPLIT,
        SPLIT + "\n            if left.shape == right.shape:\n                left, right = right, left",
    ),
    Mutant("concat-mean-query", TANH, TANH.replace("queries + keys", "queries.mean(1, keepdim=True) + keys")),
)
