"""Wrong submissions of ``bahdanau``: one mistake each."""
# ruff: noqa: E501 (a replacement stands on one line, however long)

from __future__ import annotations

from tests.specs.mutants import Mutant

EXP = "    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))\n"
SUM = "    return exponentials / exponentials.sum(dim=dim, keepdim=True)\n"
MEAN = "    mean_gradient = (weights * grad_weights).sum(dim=-1, keepdim=True)\n"
VJP = "    return weights * (grad_weights - mean_gradient)\n"
QUERY = "        query = self.W_s(decoder_state).unsqueeze(1)  # (B, 1, attn_dim)\n"
KEYS = "        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)\n"
SCORE = "        return self.v(torch.tanh(query + keys)).squeeze(-1)  # (B, T_s)\n"
WEIGHTS = "        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)\n"
CONTEXT = "        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)\n"
END = "        return context, weights\n"
W_S = "        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)\n"
W_H = "        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)\n"
V = "        self.v = nn.Linear(attn_dim, 1, bias=False)\n"
READY = "    return torch.softmax(scores, dim=dim)\n"
BY_AUTOGRAD = (
    "    with torch.enable_grad():\n"
    "        e = weights.detach().clamp(min=1e-300).log().requires_grad_()\n"
    "        w = (e - e.amax(-1, keepdim=True)).exp()\n"
    "        w = w / w.sum(-1, keepdim=True)\n"
)

SOFTMAX_ONES = (
    Mutant("softmax-no-maximum", EXP, "    exponentials = torch.exp(scores)\n"),
    Mutant("softmax-one-maximum", EXP, "    exponentials = torch.exp(scores - scores.max())\n"),
    Mutant("softmax-maximum-of-last", EXP, EXP.replace("dim=dim", "dim=-1")),
    Mutant("softmax-sum-of-last", SUM, SUM.replace("dim=dim", "dim=-1")),
    Mutant("softmax-all-last", EXP, EXP.replace("dim=dim", "dim=-1"), also=((SUM, SUM.replace("dim=dim", "dim=-1")),)),
    Mutant("softmax-all-first", EXP, EXP.replace("dim=dim", "dim=0"), also=((SUM, SUM.replace("dim=dim", "dim=0")),)),
    Mutant("softmax-default-dim", "def stable_softmax(scores, dim=-1):", "def stable_softmax(scores, dim=0):"),
    Mutant("softmax-default-dim-1", "def stable_softmax(scores, dim=-1):", "def stable_softmax(scores, dim=1):"),
    Mutant("softmax-dim-required", "def stable_softmax(scores, dim=-1):", "def stable_softmax(scores, dim):"),
    Mutant("softmax-argument-names", "def stable_softmax(scores, dim=-1):", "def stable_softmax(x, axis=-1):\n    scores, dim = x, axis"),
    Mutant("softmax-mean", EXP, EXP.replace("amax", "mean")),
    Mutant("softmax-minimum", EXP, EXP.replace("amax", "amin")),
    Mutant("softmax-epsilon", SUM, "    return exponentials / (exponentials.sum(dim=dim, keepdim=True) + 1e-4)\n"),
    Mutant("softmax-epsilon-1e-7", SUM, "    return exponentials / (exponentials.sum(dim=dim, keepdim=True) + 1e-7)\n"),
    Mutant("softmax-clamped", EXP, "    exponentials = torch.exp(scores.clamp(-80, 80))\n"),
    Mutant("softmax-clamped-shift", EXP, EXP.replace("keepdim=True))", "keepdim=True).clamp(max=100))")),
    Mutant("softmax-negative", EXP, "    exponentials = torch.exp(scores.amin(dim=dim, keepdim=True) - scores)\n"),
    Mutant("softmax-2-to-the", EXP, EXP.replace("torch.exp(", "torch.exp2(")),
    Mutant("softmax-square", EXP, "    exponentials = scores**2\n"),
    Mutant("softmax-absolute", EXP, "    exponentials = scores.abs()\n"),
    Mutant("softmax-relu", EXP, "    exponentials = torch.relu(scores) + 1e-9\n"),
    Mutant("softmax-sigmoid", SUM, "    return torch.sigmoid(scores)\n"),
    Mutant("softmax-unnormalised", SUM, "    return exponentials\n"),
    Mutant("softmax-log", SUM, SUM.rstrip() + ".log()\n"),
    Mutant("softmax-by-mean", SUM, SUM.replace(".sum(", ".mean(")),
    Mutant("softmax-by-total", SUM, "    return exponentials / exponentials.sum()\n"),
    Mutant("softmax-by-maximum", SUM, SUM.replace(".sum(", ".amax(")),
    Mutant("softmax-hard", SUM, "    return (exponentials == 1).to(scores.dtype)\n"),
    Mutant("softmax-temperature", EXP, EXP.replace("torch.exp(", "torch.exp(1.001 * (").replace("))\n", ")))\n")),
    Mutant("softmax-detached", EXP, EXP.replace("scores - ", "scores.detach() - ")),
    Mutant("softmax-detached-sum", SUM, "    return exponentials / exponentials.sum(dim=dim, keepdim=True).detach()\n"),
    Mutant("softmax-no-grad", EXP, "    with torch.no_grad():\n        return torch.exp(scores - scores.amax(dim, keepdim=True)) / torch.exp(scores - scores.amax(dim, keepdim=True)).sum(dim, keepdim=True)\n" + EXP),
    Mutant("softmax-in-place", EXP, "    scores.data -= scores.amax(dim=dim, keepdim=True).data\n    exponentials = torch.exp(scores)\n"),
    Mutant("softmax-float32", SUM, SUM.rstrip() + ".float()\n"),
    Mutant("softmax-float32-inside", EXP, "    exponentials = torch.exp((scores - scores.amax(dim=dim, keepdim=True)).float()).to(scores.dtype)\n"),
    Mutant("softmax-float64", SUM, SUM.rstrip() + ".double()\n"),
    Mutant("softmax-view", EXP, "    scores = scores.view(-1).view(scores.shape)\n" + EXP),
    Mutant("softmax-squeezed", SUM, "    return (exponentials / exponentials.sum(dim=dim, keepdim=True)).squeeze()\n"),
    Mutant("softmax-two-axes-only", EXP, "    b, t = scores.shape\n" + EXP),
    Mutant("softmax-python", SUM, "    return torch.tensor((exponentials / exponentials.sum(dim=dim, keepdim=True)).tolist(), dtype=scores.dtype)\n"),
    Mutant("softmax-ready-made", SUM, READY),
    Mutant("softmax-ready-functional", SUM, "    return nn.functional.softmax(scores, dim)\n"),
    Mutant("softmax-ready-module", SUM, "    return nn.Softmax(dim)(scores)\n"),
    Mutant("softmax-ready-method", SUM, "    return scores.softmax(dim)\n"),
    Mutant("softmax-ready-softmin", SUM, "    return nn.functional.softmin(-scores, dim)\n"),
    Mutant("softmax-ready-log", SUM, "    return torch.log_softmax(scores, dim).exp()\n"),
    Mutant("softmax-ready-logsumexp", SUM, "    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()\n"),
    Mutant("softmax-ready-special", SUM, "    return torch.special.softmax(scores, dim)\n"),
    Mutant("softmax-ready-aten", SUM, "    return torch.ops.aten._softmax(scores, dim, False)\n"),
    Mutant("softmax-ready-renamed", "import torch\n", "import torch\nfrom torch.nn.functional import softmax as normalise\n", also=((SUM, "    return normalise(scores, dim)\n"),)),
    Mutant("softmax-ready-getattr", SUM, "    return getattr(torch, 'soft' + 'max')(scores, dim)\n"),
    Mutant("softmax-ready-cross-entropy", SUM, SUM.replace("return", "result =") + "    nn.functional.cross_entropy(scores.reshape(1, -1), torch.tensor([0]))\n    return result\n"),
    Mutant("softmax-ready-attention", SUM, SUM.replace("return", "result =") + "    nn.functional.scaled_dot_product_attention(scores.reshape(1, 1, -1), scores.reshape(1, 1, -1), scores.reshape(1, 1, -1))\n    return result\n"),
    Mutant("softmax-ready-gumbel", SUM, SUM.replace("return", "result =") + "    nn.functional.gumbel_softmax(scores)\n    return result\n"),
    Mutant("softmax-ready-backward", "def stable_softmax(scores, dim=-1):",
           "class Normalise(torch.autograd.Function):\n"
           "    @staticmethod\n"
           "    def forward(ctx, scores, dim):\n"
           "        e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))\n"
           "        weights = e / e.sum(dim=dim, keepdim=True)\n"
           "        ctx.save_for_backward(weights)\n"
           "        ctx.dim = dim\n"
           "        return weights\n\n"
           "    @staticmethod\n"
           "    def backward(ctx, grad):\n"
           "        (w,) = ctx.saved_tensors\n"
           "        return torch._softmax_backward_data(grad, w, ctx.dim, w.dtype), None\n\n\n"
           "def stable_softmax(scores, dim=-1):", also=((EXP, "    return Normalise.apply(scores, dim)\n"),)),
    Mutant("softmax-constant", SUM, "    return torch.full_like(scores, 1 / scores.size(dim))\n"),
    Mutant("softmax-cached", SUM, SUM.replace("return ", "result = ") + "    return stable_softmax.__dict__.setdefault((scores.shape, dim), result)\n"),
)  # fmt: skip

VJP_ONES = (
    Mutant("vjp-diagonal", VJP, "    return weights * (1 - weights) * grad_weights\n"),
    Mutant("vjp-no-mean", VJP, "    return weights * grad_weights\n"),
    Mutant("vjp-plain-mean", MEAN, "    mean_gradient = grad_weights.mean(dim=-1, keepdim=True)\n"),
    Mutant("vjp-mean-not-sum", MEAN, MEAN.replace(".sum(", ".mean(")),
    Mutant("vjp-sign", VJP, "    return weights * (mean_gradient - grad_weights)\n"),
    Mutant("vjp-no-keepdim", MEAN, MEAN.replace(", keepdim=True", "")),
    Mutant("vjp-axis-0", MEAN, MEAN.replace("dim=-1", "dim=0")),
    Mutant("vjp-total", MEAN, "    mean_gradient = (weights * grad_weights).sum()\n"),
    Mutant("vjp-forgets-weights", VJP, "    return grad_weights - mean_gradient\n"),
    Mutant("vjp-twice", VJP, "    return weights * weights * (grad_weights - mean_gradient)\n"),
    Mutant("vjp-of-log", VJP, "    return grad_weights - weights * grad_weights.sum(-1, keepdim=True)\n"),
    Mutant("vjp-divides", VJP, "    return (grad_weights - mean_gradient) / weights\n"),
    Mutant("vjp-identity", VJP, "    return grad_weights\n"),
    Mutant("vjp-swapped", "def softmax_vjp(weights, grad_weights):", "def softmax_vjp(grad_weights, weights):"),
    Mutant("vjp-one-row", VJP, "    jacobian = torch.diag_embed(weights[..., :1, :] if weights.dim() > 1 else weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)\n    return (jacobian @ grad_weights.unsqueeze(-1)).squeeze(-1)\n"),
    Mutant("vjp-two-axes", VJP, "    b, t = weights.shape\n" + VJP),
    Mutant("vjp-float32", VJP, VJP.rstrip() + ".float()\n"),
    Mutant("vjp-in-place", VJP, "    grad_weights.data -= mean_gradient.data\n    return weights * grad_weights\n"),
    Mutant("vjp-weights-in-place", VJP, "    weights.data *= grad_weights - mean_gradient\n    return weights\n"),
    Mutant("vjp-detached", VJP, "    return (weights * (grad_weights - mean_gradient)).detach()\n"),
    Mutant("vjp-view", VJP, "    weights = weights.view(-1).view(weights.shape)\n" + VJP),
    Mutant("vjp-autograd-grad", VJP, BY_AUTOGRAD + "        return torch.autograd.grad(w, e, grad_weights)[0]\n"),
    Mutant("vjp-autograd-backward", VJP, BY_AUTOGRAD + "        w.backward(grad_weights)\n        return e.grad\n"),
    Mutant("vjp-autograd-functional", VJP,
           "    f = lambda e: (e - e.amax(-1, keepdim=True)).exp() / (e - e.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)\n"
           "    return torch.autograd.functional.vjp(f, weights.log(), grad_weights)[1]\n"),
    Mutant("vjp-autograd-func", VJP,
           "    f = lambda e: (e - e.amax(-1, keepdim=True)).exp() / (e - e.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)\n"
           "    return torch.func.vjp(f, weights.log())[1](grad_weights)[0]\n"),
    Mutant("vjp-ready-made", VJP, "    return torch._softmax_backward_data(grad_weights, weights, -1, weights.dtype)\n"),
    Mutant("vjp-ready-made-aten", VJP, "    return torch.ops.aten._softmax_backward_data(grad_weights, weights, -1, weights.dtype)\n"),
    Mutant("vjp-jvp", VJP, VJP.replace("return", "result =") + "    torch.func.jvp(torch.exp, (weights,), (grad_weights,))\n    return result\n"),
    Mutant("vjp-squeezed", VJP, "    return (weights * (grad_weights - mean_gradient)).squeeze()\n"),
)  # fmt: skip

ATTENTION_ONES = (
    Mutant("attention-no-decoder", SCORE, SCORE.replace("query + keys", "keys")),
    Mutant("attention-no-encoder", SCORE, SCORE.replace("query + keys", "query + 0 * keys")),
    Mutant("attention-no-tanh", SCORE, SCORE.replace("torch.tanh(query + keys)", "query + keys")),
    Mutant("attention-sigmoid", SCORE, SCORE.replace("torch.tanh", "torch.sigmoid")),
    Mutant("attention-relu", SCORE, SCORE.replace("torch.tanh", "torch.relu")),
    Mutant("attention-product", SCORE, SCORE.replace("query + keys", "query * keys")),
    Mutant("attention-difference", SCORE, SCORE.replace("query + keys", "query - keys")),
    Mutant("attention-tanh-each", SCORE, SCORE.replace("torch.tanh(query + keys)", "torch.tanh(query) + torch.tanh(keys)")),
    Mutant("attention-tanh-outside", SCORE, SCORE.replace("self.v(torch.tanh(query + keys))", "torch.tanh(self.v(query + keys))")),
    Mutant("attention-no-v", SCORE, SCORE.replace("self.v(torch.tanh(query + keys)).squeeze(-1)", "torch.tanh(query + keys).sum(-1)")),
    Mutant("attention-scaled", SCORE, SCORE.replace(".squeeze(-1)", ".squeeze(-1) / keys.size(-1) ** 0.5")),
    Mutant("attention-squeezes-all", SCORE, SCORE.replace("squeeze(-1)", "squeeze()")),
    Mutant("attention-not-squeezed", SCORE, SCORE.replace(".squeeze(-1)", "")),
    Mutant("attention-score-softmaxed", SCORE, "        return stable_softmax(self.v(torch.tanh(query + keys)).squeeze(-1))\n"),
    Mutant("attention-score-softmaxed-only", SCORE, "        return stable_softmax(self.v(torch.tanh(query + keys)).squeeze(-1))\n", also=((WEIGHTS, "        weights = self.score(decoder_state, encoder_states)\n"),)),
    Mutant("attention-query-of-first", QUERY, QUERY.replace("(decoder_state)", "(decoder_state[:1])")),
    Mutant("attention-query-detached", QUERY, QUERY.replace("(decoder_state)", "(decoder_state.detach())")),
    Mutant("attention-query-no-axis", QUERY, "        query = self.W_s(decoder_state)\n"),
    Mutant("attention-query-axis-0", QUERY, "        query = self.W_s(decoder_state).unsqueeze(0)\n"),
    Mutant("attention-keys-detached", KEYS, KEYS.replace("(encoder_states)", "(encoder_states.detach())")),
    Mutant("attention-keys-tanh", KEYS, KEYS.replace("self.W_h(encoder_states)", "torch.tanh(self.W_h(encoder_states))")),
    Mutant("attention-keys-mean", KEYS, KEYS.replace("(encoder_states)", "(encoder_states - encoder_states.mean(1, keepdim=True))")),
    Mutant("attention-layers-swapped-when-equal", QUERY, "        a, b = (self.W_h, self.W_s) if decoder_state.size(-1) == encoder_states.size(-1) else (self.W_s, self.W_h)\n        query = a(decoder_state).unsqueeze(1)\n", also=((KEYS, "        keys = b(encoder_states)\n"),)),
    Mutant("attention-softmax-batch", WEIGHTS, WEIGHTS.replace("dim=-1", "dim=0")),
    Mutant("attention-no-softmax", WEIGHTS, "        weights = self.score(decoder_state, encoder_states)\n"),
    Mutant("attention-softmax-sigmoid", WEIGHTS, "        weights = torch.sigmoid(self.score(decoder_state, encoder_states))\n"),
    Mutant("attention-softmax-twice", WEIGHTS, WEIGHTS + "        weights = stable_softmax(weights)\n"),
    Mutant("attention-softmax-hard-weights", WEIGHTS, "        s = self.score(decoder_state, encoder_states)\n        weights = nn.functional.one_hot(s.argmax(-1), s.size(-1)).to(s.dtype)\n"),
    Mutant("attention-unstable-weights", WEIGHTS, "        e = torch.exp(self.score(decoder_state, encoder_states))\n        weights = e / e.sum(-1, keepdim=True)\n"),
    Mutant("attention-score-not-used", WEIGHTS, "        weights = stable_softmax(torch.bmm(self.W_h(encoder_states), self.W_s(decoder_state).unsqueeze(-1)).squeeze(-1))\n"),
    Mutant("attention-context-of-keys", CONTEXT, "        keys = self.W_h(encoder_states)\n        keys = keys if keys.shape == encoder_states.shape else encoder_states\n        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)\n"),
    Mutant("attention-context-projected", CONTEXT, CONTEXT.replace("encoder_states)", "self.W_h(encoder_states))")),
    Mutant("attention-context-mean", CONTEXT, "        context = (weights.unsqueeze(-1) * encoder_states).mean(1)\n"),
    Mutant("attention-context-unweighted", CONTEXT, "        context = encoder_states.mean(1)\n"),
    Mutant("attention-context-maximum", CONTEXT, "        context = (weights.unsqueeze(-1) * encoder_states).amax(1)\n"),
    Mutant("attention-context-first-sentence", CONTEXT, "        context = weights @ encoder_states[0]\n"),
    Mutant("attention-context-not-squeezed", CONTEXT, CONTEXT.replace(".squeeze(1)\n", "\n")),
    Mutant("attention-context-squeezes-all", CONTEXT, CONTEXT.replace(".squeeze(1)\n", ".squeeze()\n")),
    Mutant("attention-context-detached", CONTEXT, CONTEXT.replace("weights.unsq", "weights.detach().unsq")),
    Mutant("attention-context-plus-state", CONTEXT, CONTEXT + "        if context.shape == decoder_state.shape:\n            context = context + decoder_state\n"),
    Mutant("attention-context-states-detached", CONTEXT, CONTEXT.replace("encoder_states)", "encoder_states.detach())")),
    Mutant("attention-context-reversed", CONTEXT, CONTEXT.replace("encoder_states)", "encoder_states.flip(1))")),
    Mutant("attention-returns-swapped", END, "        return weights, context\n"),
    Mutant("attention-returns-context", END, "        return context\n"),
    Mutant("attention-returns-three", END, "        return context, weights, None\n"),
    Mutant("attention-returns-scores", END, "        return context, self.score(decoder_state, encoder_states)\n"),
    Mutant("attention-weights-detached", END, "        return context, weights.detach()\n"),
    Mutant("attention-weights-extra-axis", END, "        return context, weights.unsqueeze(1)\n"),
    Mutant("attention-results-float32", END, "        return context.float(), weights.float()\n"),
    Mutant("attention-dropout", WEIGHTS, WEIGHTS + "        weights = torch.dropout(weights, 0.3, self.training)\n"),
    Mutant("attention-dropout-always", WEIGHTS, WEIGHTS + "        weights = torch.dropout(weights, 0.1, True)\n"),
    Mutant("attention-noise", WEIGHTS, WEIGHTS + "        weights = weights + 1e-4 * torch.rand_like(weights)\n"),
    Mutant("attention-keeps-keys", KEYS, "        if getattr(self, 'kept', None) is None or self.kept.shape[:2] != encoder_states.shape[:2]:\n            self.kept = self.W_h(encoder_states)\n        keys = self.kept\n", also=((WEIGHTS, "        self.first = getattr(self, 'first', encoder_states)\n" + WEIGHTS.replace("encoder_states)", "self.first if self.first.shape == encoder_states.shape else encoder_states)")), (CONTEXT, CONTEXT + "        self.total = getattr(self, 'total', 0) + 1\n        context = context * (1 + 0.01 * (self.total > 2))\n"))),
    Mutant("attention-output-overwritten", WEIGHTS, WEIGHTS + "        if getattr(self, 'buffer', None) is not None and self.buffer.shape == weights.shape:\n            self.buffer.zero_()\n        self.buffer = weights.data\n"),
    Mutant("attention-input-changed", WEIGHTS, "        encoder_states.data.mul_(1.01)\n" + WEIGHTS),
    Mutant("attention-state-changed", WEIGHTS, WEIGHTS + "        decoder_state.data.zero_()\n"),
    Mutant("attention-strides", WEIGHTS, "        encoder_states = encoder_states.view(-1).view(encoder_states.shape)\n" + WEIGHTS),
    Mutant("attention-new-layers", QUERY, "        self.W_s = nn.Linear(decoder_state.size(-1), self.v.in_features, bias=False, dtype=decoder_state.dtype)\n" + QUERY),
    Mutant("attention-bias", W_H, W_H.replace(", bias=False", "")),
    Mutant("attention-bias-v", V, V.replace(", bias=False", "")),
    Mutant("attention-bias-zero", W_S, W_S.replace(", bias=False", "") + "        nn.init.zeros_(self.W_s.bias)\n"),
    Mutant("attention-named-layer", "self.W_s", "self.W_q"),
    Mutant("attention-plain-parameter", V, "        self.v = nn.Parameter(torch.randn(attn_dim))\n", also=((SCORE, "        return torch.tanh(query + keys) @ self.v\n"),)),
    Mutant("attention-frozen", V, V + "        self.v.weight.requires_grad_(False)\n"),
    Mutant("attention-extra-layer", V, V + "        self.out = nn.Linear(enc_dim, enc_dim, bias=False)\n"),
    Mutant("attention-layers-in-dict", V, V + "        self.layers = nn.ModuleList([self.W_s])\n"),
    Mutant("attention-buffer", V, V + "        self.register_buffer('count', torch.zeros(1))\n"),
    Mutant("attention-sizes-swapped", "def __init__(self, enc_dim, dec_dim, attn_dim):", "def __init__(self, dec_dim, enc_dim, attn_dim):"),
    Mutant("attention-attn-first", "def __init__(self, enc_dim, dec_dim, attn_dim):", "def __init__(self, attn_dim, enc_dim, dec_dim):"),
    Mutant("attention-arguments-swapped", "def forward(self, decoder_state, encoder_states):", "def forward(self, encoder_states, decoder_state):"),
    Mutant("attention-arguments-named", "def forward(self, decoder_state, encoder_states):", "def forward(self, s, h):\n        decoder_state, encoder_states = s, h"),
    Mutant("attention-mask-required", "def forward(self, decoder_state, encoder_states):", "def forward(self, decoder_state, encoder_states, mask):"),
    Mutant("attention-no-score", "def score(self,", "def _score(self,", also=(("self.score(", "self._score("),)),
    Mutant("attention-not-a-module", "class BahdanauAttention(nn.Module):", "class BahdanauAttention:", also=(("        super().__init__()\n", ""), (END, END + "\n    __call__ = forward\n"))),
    Mutant("attention-function-for-class", "class BahdanauAttention(nn.Module):", "class Hidden(nn.Module):", also=((END, END + "\n\ndef BahdanauAttention(enc_dim, dec_dim, attn_dim):\n    return Hidden(enc_dim, dec_dim, attn_dim)\n"),)),
)  # fmt: skip

MUTANTS = (*SOFTMAX_ONES, *VJP_ONES, *ATTENTION_ONES)
