"""Wrong submissions of ``luong``: constructors, and AttentionalHidden."""

from __future__ import annotations

from tests.specs.mutants import Mutant

DOT = "return decoder_states @ keys.transpose(1, 2)"
KEYS = 'keys = self.W_a(encoder_states) if self.method == "general" else encoder_states'
TANH = "return self.v(torch.tanh(queries + keys)).squeeze(-1)"
JOIN = "return torch.tanh(self.W_c(torch.cat([context, decoder_states], dim=-1)))"
CONCAT_LAYER = "self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)"
GENERAL_LAYER = "self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)"


LAYERS = (
    Mutant("general-bias", GENERAL_LAYER, GENERAL_LAYER.replace("False", "True")),
    Mutant(
        "general-shape",
        GENERAL_LAYER,
        "self.W_a = nn.Linear(dec_dim, enc_dim, bias=False)",
        also=((KEYS, KEYS.replace("self.W_a(encoder_states)", "encoder_states @ self.W_a.weight")),),
    ),
    Mutant("general-name", "self.W_a", "self.W"),
    Mutant("concat-bias", CONCAT_LAYER, CONCAT_LAYER.replace("False", "True")),
    Mutant("concat-v-bias", "self.v = nn.Linear(attn_dim, 1, bias=False)", "self.v = nn.Linear(attn_dim, 1)"),
    Mutant("concat-v-name", "self.v", "self.v_a"),
    Mutant(
        "concat-v-parameter",
        "self.v = nn.Linear(attn_dim, 1, bias=False)",
        "self.v = nn.Parameter(torch.randn(attn_dim))",
        also=((TANH, "return torch.tanh(queries + keys) @ self.v"),),
    ),
    Mutant(
        "dot-has-parameters",
        "self.method = method",
        "self.method = method\n        "
        'if method == "dot":\n            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)',
    ),
    Mutant(
        "persistent-buffer",
        "self.method = method",
        'self.method = method\n        self.register_buffer("one", torch.ones(1))',
    ),
    Mutant(
        "frozen",
        "self.method = method",
        "self.method = method",
        also=((GENERAL_LAYER, GENERAL_LAYER + "\n            self.W_a.weight.requires_grad_(False)"),),
    ),
    Mutant("no-super", "super().__init__()\n        if method", "if method"),
    Mutant("method-required", 'method="dot"', "method"),
    Mutant("method-default", 'method="dot"', 'method="general"'),
    Mutant("arguments-swapped", "enc_dim, dec_dim, method", "dec_dim, enc_dim, method"),
    Mutant(
        "argument-renamed",
        "attn_dim=None",
        "hidden_dim=None",
        also=(
            ("attn_dim is None", "hidden_dim is None"),
            ("self.method = method", "self.method = method; attn_dim = hidden_dim"),
        ),
    ),
    Mutant("attn-dim-first", 'method="dot", attn_dim=None', 'attn_dim=None, method="dot"'),
    Mutant(
        "score-arguments",
        "def score(self, decoder_states, encoder_states)",
        "def score(self, encoder_states, decoder_states)",
        also=(("self.score(decoder_states, encoder_states)", "self.score(encoder_states, decoder_states)"),),
    ),
    Mutant(
        "forward-arguments",
        "def forward(self, decoder_states, encoder_states)",
        "def forward(self, encoder_states, decoder_states)",
    ),
    Mutant("no-score-method", "def score(self", "def scores(self", also=(("self.score(", "self.scores("),)),
    Mutant("accepts-unequal-dot", 'if method == "dot" and enc_dim != dec_dim:', "if False:"),
    Mutant("accepts-wider-encoder", "enc_dim != dec_dim:", "enc_dim < dec_dim:"),
    Mutant("refuses-unequal-always", 'if method == "dot" and enc_dim != dec_dim:', "if enc_dim != dec_dim:"),
    Mutant(
        "accepts-no-width",
        'if method == "concat" and attn_dim is None:\n            raise ValueError'
        "(\"method 'concat' needs attn_dim\")",
        "attn_dim = attn_dim or dec_dim",
    ),
    Mutant("accepts-any-method", 'if method not in ("dot", "general", "concat"):', "if False:"),
    Mutant(
        "accepts-empty-method",
        'if method not in ("dot", "general", "concat"):',
        'if method not in "dot general concat":',
    ),
    Mutant("asserts", 'raise ValueError(f"a dot', 'raise AssertionError(f"a dot'),
    Mutant("key-error", 'raise ValueError(f"method', 'raise KeyError(f"method'),
    Mutant("type-error", "raise ValueError(\"method 'concat'", "raise TypeError(\"method 'concat'"),
    Mutant("not-implemented-error", 'raise ValueError(f"method', 'raise NotImplementedError(f"method'),
    Mutant(
        "refuses-late",
        'if method == "dot" and enc_dim != dec_dim:\n            raise ValueError'
        '(f"a dot product needs enc_dim == dec_dim, not {enc_dim} and {dec_dim}")',
        "pass",
        also=(
            (
                DOT,
                "if decoder_states.size(-1) != keys.size(-1):\n            raise ValueError\n        " + DOT,
            ),
        ),
    ),
    Mutant("prints-instead", 'raise ValueError(f"method', 'print(f"method'),
)

HIDDEN = (
    Mutant("hidden-order", JOIN, JOIN.replace("context, decoder_states", "decoder_states, context")),
    Mutant("hidden-no-tanh", JOIN, "return self.W_c(torch.cat([context, decoder_states], dim=-1))"),
    Mutant("hidden-relu", JOIN, JOIN.replace("torch.tanh", "torch.relu")),
    Mutant("hidden-sigmoid", JOIN, JOIN.replace("torch.tanh", "torch.sigmoid")),
    Mutant(
        "hidden-tanh-inside",
        JOIN,
        "return self.W_c(torch.tanh(torch.cat([context, decoder_states], dim=-1)))",
    ),
    Mutant("hidden-wrong-axis", JOIN, JOIN.replace("dim=-1", "dim=1")),
    Mutant("hidden-squeezed", JOIN, JOIN + ".squeeze(1)"),
    Mutant("hidden-residual", JOIN, JOIN + " + decoder_states"),
    Mutant("hidden-detached", JOIN, JOIN.replace("[context,", "[context.detach(),")),
    Mutant("hidden-state-detached", JOIN, JOIN.replace("decoder_states]", "decoder_states.detach()]")),
    Mutant(
        "hidden-weight-detached",
        JOIN,
        "return torch.tanh(torch.cat([context, decoder_states], -1) @ self.W_c.weight.detach().T)",
    ),
    Mutant(
        "hidden-order-when-square",
        JOIN,
        "if context.size(-1) == decoder_states.size(-1):\n"
        "            context, decoder_states = decoder_states, context\n        " + JOIN,
    ),
    Mutant(
        "hidden-bias",
        "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)",
        "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim)",
    ),
    Mutant(
        "hidden-width",
        "self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)",
        "self.W_c = nn.Linear(enc_dim + dec_dim, enc_dim, bias=False)",
    ),
    Mutant("hidden-name", "self.W_c", "self.W"),
    Mutant(
        "hidden-arguments",
        "def forward(self, context, decoder_states)",
        "def forward(self, decoder_states, context)",
    ),
    Mutant(
        "hidden-init-arguments",
        "def __init__(self, enc_dim, dec_dim):",
        "def __init__(self, dec_dim, enc_dim):",
    ),
    Mutant("hidden-dropout", JOIN, "return nn.functional.dropout(" + JOIN[7:] + ", 0.1, self.training)"),
    Mutant("hidden-single", JOIN, JOIN + ".float()"),
    Mutant(
        "hidden-modifies",
        JOIN,
        "result = " + JOIN[7:] + "\n        context.data.zero_()\n        return result",
    ),
    Mutant(
        "hidden-caches",
        JOIN,
        "if not hasattr(self, 'kept') or self.kept.shape[:2] != context.shape[:2]:\n"
        "            self.kept = " + JOIN[7:] + "\n        return self.kept",
    ),
)
