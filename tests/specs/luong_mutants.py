"""Wrong submissions of ``luong``: one mistake each (see ``mutants``)."""

from __future__ import annotations

from tests.specs.mutants import Mutant

SOFTMAX = "weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)"
RETURN = "return weights @ encoder_states, weights"
DOT = "return decoder_states @ keys.transpose(1, 2)"
KEYS = 'keys = self.W_a(encoder_states) if self.method == "general" else encoder_states'
TANH = "return self.v(torch.tanh(queries + keys)).squeeze(-1)"
SPLIT = "left, right = self.W_a.weight.split(self.dims, dim=1)"
JOIN = "return torch.tanh(self.W_c(torch.cat([context, decoder_states], dim=-1)))"
DISTANCE = "distance = positions - center.unsqueeze(1)  # (B, T_s)"
OUTSIDE = "outside = distance.abs() > half_width"
LOCAL = "weights = torch.softmax(scores.masked_fill(outside, lowest), dim=-1).masked_fill(outside, 0.0)"
SIGMA = "sigma = half_width / 2"
LAST = "return weights * torch.exp(-distance.square() / (2 * sigma**2))"
POSITIONS = "positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)"
CONCAT_LAYER = "self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)"
GENERAL_LAYER = "self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)"


def weights(expression: str) -> str:
    """The forward pass with other weights made of the scores ``e``."""
    return f"e = self.score(decoder_states, encoder_states)\n        weights = {expression}"


def local(*lines: str) -> str:
    """Further statements in local_weights."""
    return "\n    ".join(lines)


FORWARD = (
    Mutant("softmax-over-target", SOFTMAX, SOFTMAX.replace("-1", "1")),
    Mutant("softmax-over-batch", SOFTMAX, SOFTMAX.replace("-1", "0")),
    Mutant("softmax-over-both", SOFTMAX, weights("torch.softmax(e.flatten(1), -1).view_as(e)")),
    Mutant("no-softmax", SOFTMAX, weights("e")),
    Mutant("sigmoid", SOFTMAX, weights("torch.sigmoid(e)")),
    Mutant("linear-normalisation", SOFTMAX, weights("e / e.sum(-1, keepdim=True)")),
    Mutant("absolute-normalisation", SOFTMAX, weights("e.abs() / e.abs().sum(-1, keepdim=True)")),
    Mutant("relu-normalisation", SOFTMAX, weights("torch.relu(e) / (torch.relu(e).sum(-1, keepdim=True) + 1e-9)")),
    Mutant("unstable", SOFTMAX, weights("torch.exp(e) / torch.exp(e).sum(-1, keepdim=True)")),
    Mutant("max-of-all", SOFTMAX, weights("torch.exp(e - e.max())"), also=(
        (RETURN, "weights = weights / weights.sum(-1, keepdim=True)\n        " + RETURN),)),
    Mutant("clamped", SOFTMAX, weights("torch.softmax(e.clamp(-50, 50), -1)")),
    Mutant("log-softmax", SOFTMAX, weights("torch.log_softmax(e, -1)")),
    Mutant("softmin", SOFTMAX, weights("torch.softmax(-e, -1)")),
    Mutant("softmax-twice", SOFTMAX, weights("torch.softmax(torch.softmax(e, -1), -1)")),
    Mutant("hard", SOFTMAX, weights("nn.functional.one_hot(e.argmax(-1), e.size(-1)).to(e.dtype)")),
    Mutant("straight-through", SOFTMAX, weights("torch.softmax(e, -1)"), also=(
        (RETURN, "hard = nn.functional.one_hot(weights.argmax(-1), weights.size(-1)).to(weights.dtype)\n"
         "        weights = hard + weights - weights.detach()\n        " + RETURN),)),
    Mutant("scaled", SOFTMAX, weights("torch.softmax(e / encoder_states.size(-1) ** 0.5, -1)")),
    Mutant("temperature", SOFTMAX, weights("torch.softmax(e * 1.001, -1)")),
    Mutant("epsilon", SOFTMAX, weights("torch.exp(e - e.amax(-1, keepdim=True))"), also=(
        (RETURN, "weights = weights / (weights.sum(-1, keepdim=True) + 1e-3)\n        " + RETURN),)),
    Mutant("dropout", SOFTMAX, weights("nn.functional.dropout(torch.softmax(e, -1), 0.1, self.training)")),
    Mutant("dropout-always", SOFTMAX, weights("nn.functional.dropout(torch.softmax(e, -1), 0.1)")),
    Mutant("noise", SOFTMAX, weights("torch.softmax(e + 1e-3 * torch.randn_like(e), -1)")),
    Mutant("causal", SOFTMAX, weights("torch.softmax(e + torch.full_like(e, -1e9).triu(1), -1)")),
    Mutant("rounded", SOFTMAX, weights("torch.softmax(e, -1).round(decimals=4)")),
    Mutant("swapped-results", RETURN, "return weights, weights @ encoder_states"),
    Mutant("context-only", RETURN, "return weights @ encoder_states"),
    Mutant("three-results", RETURN, "return weights @ encoder_states, weights, None"),
    Mutant("dictionary", RETURN, 'return {"context": weights @ encoder_states, "weights": weights}'),
    Mutant("scores-for-weights", RETURN, "return weights @ encoder_states, self.score(decoder_states, encoder_states)"),
    Mutant("weights-transposed", RETURN, "return weights @ encoder_states, weights.transpose(1, 2)"),
    Mutant("weights-without-gradient", RETURN, "return weights @ encoder_states, weights.detach()"),
    Mutant("context-without-weights-gradient", RETURN, "return weights.detach() @ encoder_states, weights"),
    Mutant("context-without-values-gradient", RETURN, "return weights @ encoder_states.detach(), weights"),
    Mutant("no-grad", SOFTMAX, "with torch.no_grad():\n            " + SOFTMAX),
    Mutant("mean-not-sum", RETURN, "return weights @ encoder_states / weights.size(-1), weights"),
    Mutant("unweighted", RETURN, "return encoder_states.mean(1, keepdim=True).expand(-1, weights.size(1), -1), weights"),
    Mutant("residual", RETURN, "context = weights @ encoder_states\n        if context.shape == decoder_states.shape:\n"
           "            context = context + decoder_states\n        return context, weights"),
    Mutant("context-squeezed", RETURN, "return (weights @ encoder_states).squeeze(1), weights"),
    Mutant("all-squeezed", RETURN, "return (weights @ encoder_states).squeeze(), weights.squeeze()"),
    Mutant("batch-squeezed", RETURN, "return (weights @ encoder_states).squeeze(0), weights"),
    Mutant("source-squeezed", RETURN, "return weights @ encoder_states, weights.squeeze(-1)"),
    Mutant("context-of-projections", RETURN, 'if self.method == "general" and encoder_states.size(-1) == decoder_states'
           ".size(-1):\n            return weights @ self.W_a(encoder_states), weights\n        " + RETURN),
    Mutant("context-of-decoder", RETURN, "if encoder_states.shape == decoder_states.shape:\n"
           "            return weights @ decoder_states, weights\n        " + RETURN),
    Mutant("first-sentence-keys", SOFTMAX, "encoder_states = encoder_states[:1].expand_as(encoder_states)\n        "
           + SOFTMAX),
    Mutant("batch-mean", SOFTMAX, weights("torch.softmax(e.mean(0, keepdim=True).expand_as(e), -1)")),
    Mutant("single-precision", SOFTMAX, weights("torch.softmax(e.float(), -1).to(e.dtype)")),
    Mutant("float32-result", RETURN, "return (weights @ encoder_states).float(), weights.float()"),
    Mutant("float64-result", RETURN, "return (weights @ encoder_states).double(), weights.double()"),
    Mutant("weights-float32", RETURN, "return weights @ encoder_states, weights.float()"),
    Mutant("half-precision", SOFTMAX, weights("torch.softmax(e.half(), -1).to(e.dtype)")),
    Mutant("modifies-encoder", RETURN, "context = weights @ encoder_states\n        encoder_states.data.mul_(2.0)\n"
           "        return context, weights"),
    Mutant("modifies-decoder", SOFTMAX, SOFTMAX + "\n        decoder_states.data.zero_()"),
    Mutant("normalises-input", SOFTMAX, "encoder_states.data -= encoder_states.data.mean()\n        " + SOFTMAX),
    Mutant("remembers", SOFTMAX, SOFTMAX + "\n        if getattr(self, 'last', None) is not None "
           "and self.last.shape == weights.shape:\n            weights = (weights + self.last) / 2\n"
           "        self.last = weights.detach()"),
    Mutant("caches", SOFTMAX, "if not hasattr(self, 'first') or self.first[1].shape[:2] != decoder_states.shape[:2]:\n"
           "            weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)\n"
           "            self.first = weights @ encoder_states, weights\n        return self.first"),
    Mutant("caches-first-keys", KEYS, 'if not hasattr(self, "keys") or self.keys.shape != encoder_states.shape:\n'
           '            self.keys = self.W_a(encoder_states) if self.method == "general" else encoder_states\n'
           "        keys = self.keys"),
    Mutant("reuses-storage", RETURN, "context = weights @ encoder_states\n"
           "        if getattr(self, 'store', None) is None or self.store.shape != context.shape:\n"
           "            self.store = torch.empty_like(context)\n        if not context.requires_grad:\n"
           "            self.store.copy_(context.detach())\n            return self.store, weights\n"
           "        return context, weights"),
    Mutant("train-differs", SOFTMAX, SOFTMAX + "\n        if self.training:\n            weights = weights * 0.5"),
    Mutant("zeros", RETURN, "return torch.zeros_like(weights @ encoder_states), torch.zeros_like(weights)"),
    Mutant("uniform", SOFTMAX, weights("torch.softmax(e * 0.0, -1)")),
)

SCORES = (
    Mutant("score-normalised", DOT, "return torch.softmax(decoder_states @ keys.transpose(1, 2), -1)", also=(
        (SOFTMAX, "weights = self.score(decoder_states, encoder_states)"),)),
    Mutant("score-transposed", DOT, "return keys @ decoder_states.transpose(1, 2)", also=(
        (SOFTMAX, weights('torch.softmax(e if self.method == "concat" else e.transpose(1, 2), -1)')),)),
    Mutant("cosine", DOT, "keys = keys / keys.norm(dim=-1, keepdim=True)\n"
           "        return decoder_states / decoder_states.norm(dim=-1, keepdim=True) @ keys.transpose(1, 2)"),
    Mutant("keys-normalised", DOT, "return decoder_states @ nn.functional.normalize(keys, dim=-1).transpose(1, 2)"),
    Mutant("score-scaled", DOT, DOT + " / keys.size(-1) ** 0.5"),
    Mutant("score-mean", DOT, "return (decoder_states.unsqueeze(2) * keys.unsqueeze(1)).mean(-1)"),
    Mutant("negative", DOT, "return -(decoder_states @ keys.transpose(1, 2))"),
    Mutant("euclidean", DOT, "return -torch.cdist(decoder_states, keys)"),
    Mutant("reshaped-not-transposed", DOT, "return decoder_states @ keys.reshape(keys.size(0), keys.size(2), -1)"),
    Mutant("viewed", DOT, "keys.view(-1)\n        " + DOT),
    Mutant("score-detached", DOT, "return decoder_states.detach() @ keys.transpose(1, 2)"),
    Mutant("first-query", DOT, "return (decoder_states[:, :1] @ keys.transpose(1, 2)).expand(-1, decoder_states.size(1), -1)"),
    Mutant("mean-query", DOT, "queries = decoder_states.mean(1, keepdim=True).expand_as(decoder_states)\n"
           "        return queries @ keys.transpose(1, 2)"),
    Mutant("general-transposed-when-square", KEYS, KEYS + "\n        if self.method == 'general' and keys.size(-1) == "
           "encoder_states.size(-1):\n            keys = encoder_states @ self.W_a.weight"),
    Mutant("general-ignores-weight", KEYS, 'keys = self.W_a(encoder_states) if self.method == "general" and encoder_states'
           ".size(-1) != decoder_states.size(-1) else encoder_states"),
    Mutant("general-detached", KEYS, KEYS.replace("self.W_a(encoder_states)", "encoder_states @ self.W_a.weight.detach().T")),
    Mutant("general-tanh", KEYS, KEYS.replace("self.W_a(encoder_states)", "torch.tanh(self.W_a(encoder_states))")),
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
    Mutant("concat-v-detached", TANH, "return (torch.tanh(queries + keys) @ self.v.weight.detach().T).squeeze(-1)"),
    Mutant("concat-squeezed", TANH, TANH.replace("squeeze(-1)", "squeeze()")),
    Mutant("concat-order", SPLIT, "right, left = self.W_a.weight.split(self.dims[::-1], dim=1)"),
    Mutant("concat-order-when-square", SPLIT, SPLIT + "\n            if left.shape == right.shape:\n"
           "                left, right = right, left"),
    Mutant("concat-mean-query", TANH, TANH.replace("queries + keys", "queries.mean(1, keepdim=True) + keys")),
)

LAYERS = (
    Mutant("general-bias", GENERAL_LAYER, GENERAL_LAYER.replace("False", "True")),
    Mutant("general-shape", GENERAL_LAYER, "self.W_a = nn.Linear(dec_dim, enc_dim, bias=False)", also=(
        (KEYS, KEYS.replace("self.W_a(encoder_states)", "encoder_states @ self.W_a.weight")),)),
    Mutant("general-name", "self.W_a", "self.W"),
    Mutant("concat-bias", CONCAT_LAYER, CONCAT_LAYER.replace("False", "True")),
    Mutant("concat-v-bias", "self.v = nn.Linear(attn_dim, 1, bias=False)", "self.v = nn.Linear(attn_dim, 1)"),
    Mutant("concat-v-name", "self.v", "self.v_a"),
    Mutant("concat-v-parameter", "self.v = nn.Linear(attn_dim, 1, bias=False)",
           "self.v = nn.Parameter(torch.randn(attn_dim))", also=(
               (TANH, "return torch.tanh(queries + keys) @ self.v"),)),
    Mutant("dot-has-parameters", "self.method = method", "self.method = method\n        "
           'if method == "dot":\n            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)'),
    Mutant("persistent-buffer", "self.method = method",
           'self.method = method\n        self.register_buffer("one", torch.ones(1))'),
    Mutant("frozen", "self.method = method", "self.method = method", also=(
        (GENERAL_LAYER, GENERAL_LAYER + "\n            self.W_a.weight.requires_grad_(False)"),)),
    Mutant("no-super", "super().__init__()\n        if method", "if method"),
    Mutant("method-required", 'method="dot"', "method"),
    Mutant("method-default", 'method="dot"', 'method="general"'),
    Mutant("arguments-swapped", "enc_dim, dec_dim, method", "dec_dim, enc_dim, method"),
    Mutant("argument-renamed", "attn_dim=None", "hidden_dim=None", also=(
        ("attn_dim is None", "hidden_dim is None"), ("self.method = method", "self.method = method; attn_dim = hidden_dim"))),
    Mutant("attn-dim-first", 'method="dot", attn_dim=None', 'attn_dim=None, method="dot"'),
    Mutant("score-arguments", "def score(self, decoder_states, encoder_states)",
           "def score(self, encoder_states, decoder_states)", also=(
               ("self.score(decoder_states, encoder_states)", "self.score(encoder_states, decoder_states)"),)),
    Mutant("forward-arguments", "def forward(self, decoder_states, encoder_states)",
           "def forward(self, encoder_states, decoder_states)"),
    Mutant("no-score-method", "def score(self", "def scores(self", also=(("self.score(", "self.scores("),)),
    Mutant("accepts-unequal-dot", 'if method == "dot" and enc_dim != dec_dim:', "if False:"),
    Mutant("accepts-wider-encoder", "enc_dim != dec_dim:", "enc_dim < dec_dim:"),
    Mutant("refuses-unequal-always", 'if method == "dot" and enc_dim != dec_dim:', "if enc_dim != dec_dim:"),
    Mutant("accepts-no-width", 'if method == "concat" and attn_dim is None:\n            raise ValueError'
           "(\"method 'concat' needs attn_dim\")", "attn_dim = attn_dim or dec_dim"),
    Mutant("accepts-any-method", 'if method not in ("dot", "general", "concat"):', "if False:"),
    Mutant("accepts-empty-method", 'if method not in ("dot", "general", "concat"):',
           'if method not in "dot general concat":'),
    Mutant("asserts", "raise ValueError(f\"a dot", "raise AssertionError(f\"a dot"),
    Mutant("key-error", "raise ValueError(f\"method", "raise KeyError(f\"method"),
    Mutant("type-error", "raise ValueError(\"method 'concat'", "raise TypeError(\"method 'concat'"),
    Mutant("not-implemented-error", "raise ValueError(f\"method", "raise NotImplementedError(f\"method"),
    Mutant("refuses-late", 'if method == "dot" and enc_dim != dec_dim:\n            raise ValueError'
           '(f"a dot product needs enc_dim == dec_dim, not {enc_dim} and {dec_dim}")', "pass", also=(
               (DOT, "if decoder_states.size(-1) != keys.size(-1):\n            raise ValueError\n        " + DOT),)),
    Mutant("prints-instead", "raise ValueError(f\"method", "print(f\"method"),
)

HIDDEN = (
    Mutant("hidden-order", JOIN, JOIN.replace("context, decoder_states", "decoder_states, context")),
    Mutant("hidden-no-tanh", JOIN, "return self.W_c(torch.cat([context, decoder_states], dim=-1))"),
    Mutant("hidden-relu", JOIN, JOIN.replace("torch.tanh", "torch.relu")),
    Mutant("hidden-sigmoid", JOIN, JOIN.replace("torch.tanh", "torch.sigmoid")),
    Mutant("hidden-tanh-inside", JOIN, "return self.W_c(torch.tanh(torch.cat([context, decoder_states], dim=-1)))"),
    Mutant("hidden-wrong-axis", JOIN, JOIN.replace("dim=-1", "dim=1")),
    Mutant("hidden-squeezed", JOIN, JOIN + ".squeeze(1)"),
    Mutant("hidden-residual", JOIN, JOIN + " + decoder_states"),
    Mutant("hidden-detached", JOIN, JOIN.replace("[context,", "[context.detach(),")),
    Mutant("hidden-state-detached", JOIN, JOIN.replace("decoder_states]", "decoder_states.detach()]")),
    Mutant("hidden-weight-detached", JOIN, "return torch.tanh(torch.cat([context, decoder_states], -1) "
           "@ self.W_c.weight.detach().T)"),
    Mutant("hidden-order-when-square", JOIN, "if context.size(-1) == decoder_states.size(-1):\n"
           "            context, decoder_states = decoder_states, context\n        " + JOIN),
    Mutant("hidden-bias", "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)",
           "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim)"),
    Mutant("hidden-width", "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)",
           "self.W_c = nn.Linear(enc_dim + dec_dim, enc_dim, bias=False)"),
    Mutant("hidden-name", "self.W_c", "self.W"),
    Mutant("hidden-arguments", "def forward(self, context, decoder_states)", "def forward(self, decoder_states, context)"),
    Mutant("hidden-init-arguments", "def __init__(self, enc_dim, dec_dim):", "def __init__(self, dec_dim, enc_dim):"),
    Mutant("hidden-dropout", JOIN, "return nn.functional.dropout(" + JOIN[7:] + ", 0.1, self.training)"),
    Mutant("hidden-single", JOIN, JOIN + ".float()"),
    Mutant("hidden-modifies", JOIN, "result = " + JOIN[7:] + "\n        context.data.zero_()\n        return result"),
    Mutant("hidden-caches", JOIN, "if not hasattr(self, 'kept') or self.kept.shape[:2] != context.shape[:2]:\n"
           "            self.kept = " + JOIN[7:] + "\n        return self.kept"),
)

LOCALS = (
    Mutant("local-exclusive", OUTSIDE, "outside = distance.abs() >= half_width"),
    Mutant("local-left-exclusive", OUTSIDE, "outside = (distance <= -half_width) | (distance > half_width)"),
    Mutant("local-right-exclusive", OUTSIDE, "outside = (distance < -half_width) | (distance >= half_width)"),
    Mutant("local-one-wider", OUTSIDE, "outside = distance.abs() > half_width + 1"),
    Mutant("local-half-wider", OUTSIDE, "outside = distance.abs() > half_width + 0.5"),
    Mutant("local-whole-distance", OUTSIDE, "outside = distance.abs().floor() > half_width"),
    Mutant("local-rounded-center", OUTSIDE, "outside = (positions - center.round().unsqueeze(1)).abs() > half_width"),
    Mutant("local-floored-center", OUTSIDE, "outside = (positions - center.floor().unsqueeze(1)).abs() > half_width"),
    Mutant("local-whole-center", DISTANCE, "distance = positions - center.long().unsqueeze(1)"),
    Mutant("local-gaussian-rounded", LAST, "distance = positions - center.detach().round().unsqueeze(1)\n    " + LAST),
    Mutant("local-clamped-center", DISTANCE, "distance = positions - center.clamp(0, scores.size(1) - 1).unsqueeze(1)"),
    Mutant("local-no-window", OUTSIDE, "outside = torch.zeros_like(scores, dtype=torch.bool)"),
    Mutant("local-from-one", POSITIONS, POSITIONS + " + 1"),
    Mutant("local-no-gaussian", LAST, "return weights"),
    Mutant("local-gaussian-no-two", LAST, LAST.replace("(2 * sigma**2)", "sigma**2")),
    Mutant("local-gaussian-no-square", LAST, LAST.replace("distance.square()", "distance.abs()")),
    Mutant("local-gaussian-sigma-not-squared", LAST, LAST.replace("sigma**2", "sigma")),
    Mutant("local-gaussian-positive", LAST, LAST.replace("-distance.square()", "distance.square()")),
    Mutant("local-gaussian-normalised", LAST, LAST + " / (sigma * (2 * 3.141592653589793) ** 0.5)"),
    Mutant("local-sigma-width", SIGMA, "sigma = half_width"),
    Mutant("local-sigma-whole", SIGMA, "sigma = max(half_width // 2, 1)"),
    Mutant("local-sigma-quarter", SIGMA, "sigma = half_width / 4"),
    Mutant("local-sigma-window", SIGMA, "sigma = (2 * half_width + 1) / 4"),
    Mutant("local-sigma-near", SIGMA, "sigma = half_width / 2 + 1e-3"),
    Mutant("local-renormalised", LAST, local("weights = weights * torch.exp(-distance.square() / (2 * sigma**2))",
           "return weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)")),
    Mutant("local-renormalised-nan", LAST, local("weights = weights * torch.exp(-distance.square() / (2 * sigma**2))",
           "return weights / weights.sum(-1, keepdim=True)")),
    Mutant("local-gaussian-on-scores", LOCAL, LOCAL.replace("scores.masked_fill", "(scores * torch.exp(-distance.square()"
           " / (half_width**2 / 2))).masked_fill"), also=((LAST, "return weights"),)),
    Mutant("local-gaussian-in-softmax", LOCAL, LOCAL.replace("scores.masked_fill", "(scores - distance.square()"
           " / (half_width**2 / 2)).masked_fill"), also=((LAST, "return weights"),)),
    Mutant("local-softmax-of-all", LOCAL, "weights = torch.softmax(scores, dim=-1).masked_fill(outside, 0.0)"),
    Mutant("local-scores-times-mask", LOCAL, "weights = torch.softmax(scores * ~outside, dim=-1).masked_fill(outside, 0.0)"),
    Mutant("local-inverted", OUTSIDE, "outside = distance.abs() <= half_width"),
    Mutant("local-softmax-axis", LOCAL, LOCAL.replace("dim=-1", "dim=0")),
    Mutant("local-no-softmax", LOCAL, "weights = scores.masked_fill(outside, 0.0)"),
    Mutant("local-uniform-row", LOCAL, "weights = torch.softmax(scores.masked_fill(outside, lowest), dim=-1)"),
    Mutant("local-nan-row", LOCAL, 'weights = torch.softmax(scores.masked_fill(outside, float("-inf")), dim=-1)'),
    Mutant("local-nan-gradient", LOCAL, 'weights = torch.softmax(scores.masked_fill(outside, float("-inf")), dim=-1)',
           also=((LAST, "return (" + LAST[7:] + ").nan_to_num(0.0)"),)),
    Mutant("local-nan-gradient-where", LOCAL,
           'weights = torch.softmax(torch.where(outside, -1e400, scores), dim=-1)', also=(
               (LAST, "return torch.where(outside, 0.0, " + LAST[7:] + ")"),)),
    Mutant("local-nan-gradient-added", LOCAL, local(
        "bias = torch.zeros_like(scores).masked_fill(outside, -1e400)",
        "weights = torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)")),
    Mutant("local-nan-gradient-divided", LOCAL, local(
        "e = torch.exp(scores - scores.masked_fill(outside, lowest).amax(-1, keepdim=True)).masked_fill(outside, 0.0)",
        "weights = (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)")),
    Mutant("local-small-fill", LOCAL, LOCAL.replace("lowest", "-100.0")),
    Mutant("local-fill-1e4", LOCAL, LOCAL.replace("lowest", "-1e4")),
    Mutant("local-additive-1e4", LOCAL, LOCAL.replace("scores.masked_fill(outside, lowest)", "scores - 1e4 * outside")),
    Mutant("local-additive-1e6", LOCAL, LOCAL.replace("scores.masked_fill(outside, lowest)", "scores - 1e6 * outside")),
    Mutant("local-unstable", LOCAL, local("weights = torch.exp(scores).masked_fill(outside, 0.0)",
           "weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)")),
    Mutant("local-max-of-row", LOCAL, local(
        "weights = torch.exp(scores - scores.amax(-1, keepdim=True)).masked_fill(outside, 0.0)",
        "weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)")),
    Mutant("local-epsilon", LOCAL, local(
        "weights = torch.exp(scores - scores.masked_fill(outside, lowest).amax(-1, keepdim=True))",
        "weights = weights.masked_fill(outside, 0.0)", "weights = weights / (weights.sum(-1, keepdim=True) + 1e-3)")),
    Mutant("local-center-detached", LAST, LAST.replace("distance.square()", "distance.detach().square()")),
    Mutant("local-center-detached-early", DISTANCE, "distance = positions - center.detach().unsqueeze(1)"),
    Mutant("local-scores-detached", LOCAL, LOCAL.replace("scores.masked", "scores.detach().masked")),
    Mutant("local-center-to-python", DISTANCE,
           "distance = torch.stack([positions - float(c) for c in center])"),
    Mutant("local-first-center", DISTANCE, "distance = (positions - center[0]).expand_as(scores)"),
    Mutant("local-broadcast", DISTANCE, "distance = positions - (center if center.numel() == scores.size(1) else "
           "center.unsqueeze(1))\n    distance = distance.expand_as(scores)"),
    Mutant("local-single", POSITIONS, "scores, center = scores.float(), center.float()\n    " + POSITIONS),
    Mutant("local-double", POSITIONS, "scores, center = scores.double(), center.double()\n    " + POSITIONS),
    Mutant("local-positions-float32", LAST, "return weights * torch.exp(-distance.float().square() / (2 * sigma**2))"),
    Mutant("local-modifies", LOCAL, "scores.data.masked_fill_(outside, lowest)\n    "
           + LOCAL.replace("scores.masked_fill(outside, lowest)", "scores")),
    Mutant("local-modifies-center", LAST, "center.data.round_()\n    " + LAST),
    Mutant("local-truncated-window", LAST, local(LAST.replace("return ", "weights = "),
           "return weights.masked_fill(center.unsqueeze(1) > scores.size(1) - 1, 0.0)")),
    Mutant("local-left-cut", OUTSIDE, local(OUTSIDE, "outside = outside | (center.unsqueeze(1) < 0)")),
    Mutant("local-integer-slice", OUTSIDE, "outside = (positions < (center.unsqueeze(1) - half_width).trunc()) | "
           "(positions > (center.unsqueeze(1) + half_width).trunc())"),
    Mutant("local-shape-squeezed", LAST, LAST.replace("return weights", "return (weights") + ").squeeze(0)"),
    Mutant("local-caches", LAST, local(LAST.replace("return ", "weights = "),
           "store = local_weights.__dict__.setdefault('store', {})", "return store.setdefault(weights.shape, weights)")),
    Mutant("local-arguments", "def local_weights(scores, center, half_width)", "def local_weights(center, scores, half_width)"),
    Mutant("local-argument-name", "half_width", "D"),
)

MUTANTS: tuple[Mutant, ...] = (*FORWARD, *SCORES, *LAYERS, *HIDDEN, *LOCALS)
