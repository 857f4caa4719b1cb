"""Wrong submissions of ``luong``: one mistake each (see ``mutants``)."""

from __future__ import annotations

from tests.specs.luong_layer_mutants import HIDDEN, LAYERS
from tests.specs.luong_local_mutants import LOCALS
from tests.specs.luong_score_mutants import SCORES
from tests.specs.mutants import Mutant

SOFTMAX = "weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)"
RETURN = "return weights @ encoder_states, weights"
KEYS = 'keys = self.W_a(encoder_states) if self.method == "general" else encoder_states'


def weights(expression: str) -> str:
    """The forward pass with other weights made of the scores ``e``."""
    return f"e = self.score(decoder_states, encoder_states)\n        weights = {expression}"


FORWARD = (
    Mutant("softmax-over-target", SOFTMAX, SOFTMAX.replace("-1", "1")),
    Mutant("softmax-over-batch", SOFTMAX, SOFTMAX.replace("-1", "0")),
    Mutant("softmax-over-both", SOFTMAX, weights("torch.softmax(e.flatten(1), -1).view_as(e)")),
    Mutant("no-softmax", SOFTMAX, weights("e")),
    Mutant("sigmoid", SOFTMAX, weights("torch.sigmoid(e)")),
    Mutant("linear-normalisation", SOFTMAX, weights("e / e.sum(-1, keepdim=True)")),
    Mutant("absolute-normalisation", SOFTMAX, weights("e.abs() / e.abs().sum(-1, keepdim=True)")),
    Mutant(
        "relu-normalisation", SOFTMAX, weights("torch.relu(e) / (torch.relu(e).sum(-1, keepdim=True) + 1e-9)")
    ),
    Mutant("unstable", SOFTMAX, weights("torch.exp(e) / torch.exp(e).sum(-1, keepdim=True)")),
    Mutant(
        "max-of-all",
        SOFTMAX,
        weights("torch.exp(e - e.max())"),
        also=((RETURN, "weights = weights / weights.sum(-1, keepdim=True)\n        " + RETURN),),
    ),
    Mutant("clamped", SOFTMAX, weights("torch.softmax(e.clamp(-50, 50), -1)")),
    Mutant("log-softmax", SOFTMAX, weights("torch.log_softmax(e, -1)")),
    Mutant("softmin", SOFTMAX, weights("torch.softmax(-e, -1)")),
    Mutant("softmax-twice", SOFTMAX, weights("torch.softmax(torch.softmax(e, -1), -1)")),
    Mutant("hard", SOFTMAX, weights("nn.functional.one_hot(e.argmax(-1), e.size(-1)).to(e.dtype)")),
    Mutant(
        "straight-through",
        SOFTMAX,
        weights("torch.softmax(e, -1)"),
        also=(
            (
                RETURN,
                "hard = nn.functional.one_hot(weights.argmax(-1), weights.size(-1)).to(weights.dtype)\n"
                "        weights = hard + weights - weights.detach()\n        " + RETURN,
            ),
        ),
    ),
    Mutant("scaled", SOFTMAX, weights("torch.softmax(e / encoder_states.size(-1) ** 0.5, -1)")),
    Mutant("temperature", SOFTMAX, weights("torch.softmax(e * 1.001, -1)")),
    Mutant(
        "epsilon",
        SOFTMAX,
        weights("torch.exp(e - e.amax(-1, keepdim=True))"),
        also=((RETURN, "weights = weights / (weights.sum(-1, keepdim=True) + 1e-3)\n        " + RETURN),),
    ),
    Mutant("dropout", SOFTMAX, weights("nn.functional.dropout(torch.softmax(e, -1), 0.1, self.training)")),
    Mutant("dropout-always", SOFTMAX, weights("nn.functional.dropout(torch.softmax(e, -1), 0.1)")),
    Mutant("noise", SOFTMAX, weights("torch.softmax(e + 1e-3 * torch.randn_like(e), -1)")),
    Mutant("causal", SOFTMAX, weights("torch.softmax(e + torch.full_like(e, -1e9).triu(1), -1)")),
    Mutant("rounded", SOFTMAX, weights("torch.softmax(e, -1).round(decimals=4)")),
    Mutant("swapped-results", RETURN, "return weights, weights @ encoder_states"),
    Mutant("context-only", RETURN, "return weights @ encoder_states"),
    Mutant("three-results", RETURN, "return weights @ encoder_states, weights, None"),
    Mutant("dictionary", RETURN, 'return {"context": weights @ encoder_states, "weights": weights}'),
    Mutant(
        "scores-for-weights",
        RETURN,
        "return weights @ encoder_states, self.score(decoder_states, encoder_states)",
    ),
    Mutant("weights-transposed", RETURN, "return weights @ encoder_states, weights.transpose(1, 2)"),
    Mutant("weights-without-gradient", RETURN, "return weights @ encoder_states, weights.detach()"),
    Mutant("context-without-weights-gradient", RETURN, "return weights.detach() @ encoder_states, weights"),
    Mutant("context-without-values-gradient", RETURN, "return weights @ encoder_states.detach(), weights"),
    Mutant("no-grad", SOFTMAX, "with torch.no_grad():\n            " + SOFTMAX),
    Mutant("mean-not-sum", RETURN, "return weights @ encoder_states / weights.size(-1), weights"),
    Mutant(
        "unweighted",
        RETURN,
        "return encoder_states.mean(1, keepdim=True).expand(-1, weights.size(1), -1), weights",
    ),
    Mutant(
        "residual",
        RETURN,
        "context = weights @ encoder_states\n        if context.shape == decoder_states.shape:\n"
        "            context = context + decoder_states\n        return context, weights",
    ),
    Mutant("context-squeezed", RETURN, "return (weights @ encoder_states).squeeze(1), weights"),
    Mutant("all-squeezed", RETURN, "return (weights @ encoder_states).squeeze(), weights.squeeze()"),
    Mutant("batch-squeezed", RETURN, "return (weights @ encoder_states).squeeze(0), weights"),
    Mutant("source-squeezed", RETURN, "return weights @ encoder_states, weights.squeeze(-1)"),
    Mutant(
        "context-of-projections",
        RETURN,
        'if self.method == "general" and encoder_states.size(-1) == decoder_states'
        ".size(-1):\n            return weights @ self.W_a(encoder_states), weights\n        " + RETURN,
    ),
    Mutant(
        "context-of-decoder",
        RETURN,
        "if encoder_states.shape == decoder_states.shape:\n"
        "            return weights @ decoder_states, weights\n        " + RETURN,
    ),
    Mutant(
        "first-sentence-keys",
        SOFTMAX,
        "encoder_states = encoder_states[:1].expand_as(encoder_states)\n        " + SOFTMAX,
    ),
    Mutant("batch-mean", SOFTMAX, weights("torch.softmax(e.mean(0, keepdim=True).expand_as(e), -1)")),
    Mutant("single-precision", SOFTMAX, weights("torch.softmax(e.float(), -1).to(e.dtype)")),
    Mutant("float32-result", RETURN, "return (weights @ encoder_states).float(), weights.float()"),
    Mutant("float64-result", RETURN, "return (weights @ encoder_states).double(), weights.double()"),
    Mutant("weights-float32", RETURN, "return weights @ encoder_states, weights.float()"),
    Mutant("half-precision", SOFTMAX, weights("torch.softmax(e.half(), -1).to(e.dtype)")),
    Mutant(
        "modifies-encoder",
        RETURN,
        "context = weights @ encoder_states\n        encoder_states.data.mul_(2.0)\n"
        "        return context, weights",
    ),
    Mutant("modifies-decoder", SOFTMAX, SOFTMAX + "\n        decoder_states.data.zero_()"),
    Mutant(
        "normalises-input", SOFTMAX, "encoder_states.data -= encoder_states.data.mean()\n        " + SOFTMAX
    ),
    Mutant(
        "remembers",
        SOFTMAX,
        SOFTMAX + "\n        if getattr(self, 'last', None) is not None "
        "and self.last.shape == weights.shape:\n            weights = (weights + self.last) / 2\n"
        "        self.last = weights.detach()",
    ),
    Mutant(
        "caches",
        SOFTMAX,
        "if not hasattr(self, 'first') or self.first[1].shape[:2] != decoder_states.shape[:2]:\n"
        "            weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)\n"
        "            self.first = weights @ encoder_states, weights\n        return self.first",
    ),
    Mutant(
        "caches-first-keys",
        KEYS,
        'if not hasattr(self, "keys") or self.keys.shape != encoder_states.shape:\n'
        '            self.keys = self.W_a(encoder_states) if self.method == "general" else encoder_states\n'
        "        keys = self.keys",
    ),
    Mutant(
        "reuses-storage",
        RETURN,
        "context = weights @ encoder_states\n"
        "        if getattr(self, 'store', None) is None or self.store.shape != context.shape:\n"
        "            self.store = torch.empty_like(context)\n        if not context.requires_grad:\n"
        "            self.store.copy_(context.detach())\n            return self.store, weights\n"
        "        return context, weights",
    ),
    Mutant(
        "train-differs", SOFTMAX, SOFTMAX + "\n        if self.training:\n            weights = weights * 0.5"
    ),
    Mutant("zeros", RETURN, "return torch.zeros_like(weights @ encoder_states), torch.zeros_like(weights)"),
    Mutant("uniform", SOFTMAX, weights("torch.softmax(e * 0.0, -1)")),
)

MUTANTS: tuple[Mutant, ...] = (*FORWARD, *SCORES, *LAYERS, *HIDDEN, *LOCALS)
