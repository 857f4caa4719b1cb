"""Recurrence, encoder, decoders, loss and training step, held to torch's modules a sentence at a time."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference.seq2seq.functions import (
    bahdanau_step,
    encode,
    fixed_context_forward,
    gru_cell,
    luong_step,
    seq2seq_forward,
    sequence_loss,
    train_step,
)

V_SRC, V, D, H, A = 7, 5, 3, 4, 6
KINDS = ["bahdanau", "luong", "fixed"]
LENGTHS = torch.tensor([3, 5, 1])
quick = settings(max_examples=15, deadline=None)
each_kind = pytest.mark.parametrize("kind", KINDS)


def generator(seed):
    return torch.Generator().manual_seed(seed)


def gru_shapes(inputs, direction=""):
    return {
        f"rnn.weight_ih_l0{direction}": (3 * H, inputs),
        f"rnn.weight_hh_l0{direction}": (3 * H, H),
        f"rnn.bias_ih_l0{direction}": (3 * H,),
        f"rnn.bias_hh_l0{direction}": (3 * H,),
    }


def model_weights(kind, seed=0, grad=False):
    """The state dict that a student's model of these sizes has, at random."""
    words = {"embedding.weight": (V, D)}
    encoder = {"embedding.weight": (V_SRC, D), **gru_shapes(D), **gru_shapes(D, "_reverse")}
    encoder |= {"bridge.weight": (H, 2 * H), "bridge.bias": (H,)}
    shapes = {f"encoder.{name}": shape for name, shape in encoder.items()}
    if kind == "bahdanau":
        words |= {"W_s.weight": (A, H), "W_h.weight": (A, 2 * H), "v.weight": (1, A)}
        words |= gru_shapes(D + 2 * H) | {"out.weight": (V, 3 * H), "out.bias": (V,)}
    elif kind == "luong":
        words |= {"W_a.weight": (H, 2 * H), "W_c.weight": (H, 3 * H)}
        words |= gru_shapes(D + H) | {"out.weight": (V, H), "out.bias": (V,)}
    else:
        words |= gru_shapes(D + H) | {"out.weight": (V, 2 * H), "out.bias": (V,)}
    shapes |= {name if kind == "fixed" else f"decoder.{name}": shape for name, shape in words.items()}
    g = generator(seed)
    return {
        name: (0.7 * torch.randn(shape, dtype=torch.float64, generator=g)).requires_grad_(grad)
        for name, shape in shapes.items()
    }


def part(weights, prefix):
    return {name[len(prefix) :]: w.detach() for name, w in weights.items() if name.startswith(prefix)}


def batch(seed=0, T_s=6, T_t=4):
    src = torch.randint(V_SRC, (3, T_s), generator=generator(seed))
    tgt_in = torch.randint(V, (3, T_t), generator=generator(seed + 1))
    tgt_out = torch.randint(V, (3, T_t), generator=generator(seed + 2))
    return src, LENGTHS, tgt_in, tgt_out, torch.tensor([4, 2, 3])


def torch_gru(weights, inputs, bidirectional=False):
    rnn = nn.GRU(inputs, H, batch_first=True, bidirectional=bidirectional, dtype=torch.float64)
    rnn.load_state_dict(part(weights, "rnn."))
    return rnn.requires_grad_(False)


def torch_sentence(weights, kind, sentence, tgt_in):
    """The model on one unpadded sentence by torch's GRUs: logits (T_t, V), weights (T_t, T_s)."""
    encoder = part(weights, "encoder.")
    decoder = part(weights, "decoder.") if kind != "fixed" else weights
    word = F.embedding(sentence, encoder["embedding.weight"])
    h, last = torch_gru(encoder, D, bidirectional=True)(word.unsqueeze(0))
    h, last = h[0], last[:, 0].flatten()
    s = first = torch.tanh(encoder["bridge.weight"] @ last + encoder["bridge.bias"])
    rnn = torch_gru(decoder, decoder["rnn.weight_ih_l0"].shape[1])
    fed, logits, alphas = torch.zeros(H, dtype=torch.float64), [], []
    for token in tgt_in:
        y = decoder["embedding.weight"][token]
        if kind == "bahdanau":
            hidden = torch.tanh(h @ decoder["W_h.weight"].T + decoder["W_s.weight"] @ s)
            alpha = F.softmax(hidden @ decoder["v.weight"][0], 0)
            second = alpha @ h
        elif kind == "luong":
            second = fed
        else:
            second = first
        s = rnn(torch.cat([y, second]).unsqueeze(0), s.unsqueeze(0))[1][0]
        if kind == "luong":
            alpha = F.softmax(h @ decoder["W_a.weight"].T @ s, 0)
            fed = torch.tanh(decoder["W_c.weight"] @ torch.cat([alpha @ h, s]))
        logits.append(decoder["out.weight"] @ (fed if kind == "luong" else torch.cat([s, second])))
        alphas.append(alpha if kind != "fixed" else h[:, 0])
    return torch.stack(logits) + decoder["out.bias"], torch.stack(alphas)


def loop_gru(x, h, w_ih, w_hh, b_ih, b_hh):
    """PyTorch's equations of nn.GRU, one number at a time."""
    H = len(h)

    def gate(w, b, x, i):
        return sum(a * y for a, y in zip(w[i].tolist(), x, strict=True)) + float(b[i])

    new = []
    for i in range(H):
        r = 1 / (1 + math.exp(-gate(w_ih, b_ih, x, i) - gate(w_hh, b_hh, h, i)))
        z = 1 / (1 + math.exp(-gate(w_ih, b_ih, x, H + i) - gate(w_hh, b_hh, h, H + i)))
        n = math.tanh(gate(w_ih, b_ih, x, 2 * H + i) + r * gate(w_hh, b_hh, h, 2 * H + i))
        new.append((1 - z) * n + z * h[i])
    return new


@pytest.mark.parametrize("B", [1, 3])
def test_gru_cell_is_the_plain_loop_and_that_of_torch(B):
    theirs = nn.GRUCell(D, H, dtype=torch.float64).requires_grad_(False)
    x = torch.randn(B, D, dtype=torch.float64, generator=generator(0))
    h = torch.randn(B, H, dtype=torch.float64, generator=generator(1))
    args = theirs.weight_ih, theirs.weight_hh, theirs.bias_ih, theirs.bias_hh
    got = gru_cell(x, h, *args)
    assert_close(got, theirs(x, h))
    expected = [loop_gru(a, b, *args) for a, b in zip(x.tolist(), h.tolist(), strict=True)]
    assert_close(got, torch.tensor(expected, dtype=torch.float64))


def torch_encode(weights, src, lengths):
    rnn = torch_gru(weights, D, bidirectional=True)
    words = F.embedding(src, weights["embedding.weight"])
    packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    states, last = rnn(packed)
    states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=src.shape[1])
    both = torch.cat([last[0], last[1]], -1)
    return states, torch.tanh(F.linear(both, weights["bridge.weight"], weights["bridge.bias"]))


@quick
@given(st.integers(0, 999), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 2))
def test_encoder_is_a_packed_gru(seed, lengths, extra):
    weights = part(model_weights("fixed", seed), "encoder.")
    lengths = torch.tensor(lengths)
    src = torch.randint(V_SRC, (len(lengths), int(lengths.max()) + extra), generator=generator(seed))
    states, first = encode(weights, src, lengths)
    expected_states, expected_first = torch_encode(weights, src, lengths)
    assert_close(states, expected_states)
    assert_close(first, expected_first)
    assert (states[torch.arange(src.shape[1]) >= lengths[:, None]] == 0).all()


@each_kind
@pytest.mark.parametrize("T_t", [1, 4])
def test_forward_is_that_of_torch_sentence_by_sentence(kind, T_t):
    weights = model_weights(kind)
    src, lengths, tgt_in, *_ = batch(T_t=T_t)
    if kind == "fixed":
        logits, alphas = fixed_context_forward(weights, src, lengths, tgt_in), None
    else:
        logits, alphas = seq2seq_forward(weights, src, lengths, tgt_in)
        assert alphas.shape == (3, T_t, 6)
    assert logits.shape == (3, T_t, V)
    for b, length in enumerate(lengths.tolist()):
        expected, expected_alphas = torch_sentence(weights, kind, src[b, :length], tgt_in[b])
        assert_close(logits[b], expected)
        if alphas is not None:
            assert_close(alphas[b, :, :length], expected_alphas)
            assert (alphas[b, :, length:] == 0).all()


@each_kind
@quick
@given(st.integers(0, 999), st.integers(0, 3))
def test_padding_changes_nothing(kind, seed, extra):
    weights = model_weights(kind, seed)
    src, lengths, *target = batch(seed)
    wider = torch.cat([src, torch.randint(V_SRC, (3, extra), generator=generator(seed + 3))], 1)
    other = torch.randint(V_SRC, src.shape, generator=generator(seed + 4))
    real = torch.arange(6) < lengths[:, None]
    loss = sequence_loss(weights, src, lengths, *target)
    assert_close(sequence_loss(weights, wider, lengths, *target), loss)
    assert_close(sequence_loss(weights, torch.where(real, src, other), lengths.int(), *target), loss)


@pytest.mark.parametrize("kind", ["bahdanau", "luong"])
def test_steps_obey_their_mask(kind):
    weights = part(model_weights(kind), "decoder.")
    g = generator(0)
    state, states = (torch.randn(shape, dtype=torch.float64, generator=g) for shape in [(3, H), (3, 6, 2 * H)])
    fed = () if kind == "bahdanau" else (torch.randn(3, H, dtype=torch.float64, generator=g),)
    step = bahdanau_step if kind == "bahdanau" else luong_step
    token = torch.tensor([0, 4, 2])
    mask = torch.tensor([[1, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1], [0] * 6], dtype=torch.bool)
    got = step(weights, token, state, *fed, states, mask)
    alpha = got[-1]
    assert (alpha[~mask] == 0).all()
    assert_close(alpha.sum(-1), mask.any(-1).double())
    for b in range(2):  # the same as with only the states that may be seen
        seen = states[b : b + 1, mask[b]]
        row = [x[b : b + 1] for x in (token, state, *fed)]
        alone = step(weights, *row, seen, torch.ones(seen.shape[:2], dtype=torch.bool))
        for x, y in zip(got[:-1], alone[:-1], strict=True):
            assert_close(x[b : b + 1], y)
        assert_close(alpha[b, mask[b]], alone[-1][0])
    blind = step(weights, token, state, *fed, torch.zeros_like(states), mask)
    assert_close(blind[0][2], got[0][2])  # nothing seen: a context of 0


@each_kind
def test_every_parameter_has_the_gradient_of_finite_differences(kind):
    weights = model_weights(kind, grad=True)
    names, data = list(weights), batch(T_s=5, T_t=2)
    data = (*data[:4], torch.tensor([1, 2, 0]))

    def loss(*values):
        return sequence_loss(dict(zip(names, values, strict=True)), *data)

    assert gradcheck(loss, tuple(weights.values()), fast_mode=True)


@pytest.mark.parametrize("kind", ["bahdanau", "luong"])
def test_steps_have_the_gradients_of_finite_differences(kind):
    weights = part(model_weights(kind), "decoder.")
    names, g = list(weights), generator(0)
    shapes = [(2, H), (2, 3, 2 * H)] if kind == "bahdanau" else [(2, H), (2, H), (2, 3, 2 * H)]
    inputs = [torch.randn(shape, dtype=torch.float64, generator=g, requires_grad=True) for shape in shapes]
    mask = torch.tensor([[True, False, True], [False, False, False]])
    step = bahdanau_step if kind == "bahdanau" else luong_step

    def call(*args):
        tensors, values = args[: len(inputs)], args[len(inputs) :]
        return step(dict(zip(names, values, strict=True)), torch.tensor([1, 3]), *tensors, mask)

    parameters = [weights[name].requires_grad_() for name in names]
    assert gradcheck(call, (*inputs, *parameters), fast_mode=True)


@each_kind
def test_loss_counts_real_target_tokens_only(kind):
    weights = model_weights(kind)
    src, lengths, tgt_in, tgt_out, tgt_lengths = batch()
    losses = []
    for b in range(3):
        logits, _ = torch_sentence(weights, kind, src[b, : lengths[b]], tgt_in[b])
        n = int(tgt_lengths[b])
        losses += [-float(logits[t].log_softmax(-1)[tgt_out[b, t]]) for t in range(n)]
    loss = sequence_loss(weights, src, lengths, tgt_in, tgt_out, tgt_lengths)
    assert float(loss) == pytest.approx(sum(losses) / len(losses))


@each_kind
@pytest.mark.parametrize("clip", [5.0, 0.01, None])
def test_train_step_is_clipped_descent(kind, clip):
    data = batch()
    parameters = model_weights(kind, grad=True)
    loss = sequence_loss(parameters, *data)
    grads = torch.autograd.grad(loss, list(parameters.values()))
    norm = math.sqrt(sum(float(g.square().sum()) for g in grads))
    limit = 5.0 if clip is None else clip
    factor = min(1.0, limit / (norm + 1e-6))
    assert (factor < 1) == (limit < 1)
    expected = [p.detach() - 0.3 * factor * g for p, g in zip(parameters.values(), grads, strict=True)]
    for p in parameters.values():
        p.grad = torch.full_like(p, 17.0)  # what was there before does not count
    optimizer = torch.optim.SGD(list(parameters.values()), lr=0.3)
    got = train_step(parameters, optimizer, *data, **({} if clip is None else {"clip": clip}))
    assert isinstance(got, float)
    assert got == pytest.approx(float(loss.detach()))
    for p, value in zip(parameters.values(), expected, strict=True):
        assert_close(p.detach(), value)


@each_kind
def test_training_lowers_the_loss(kind):
    parameters, data = model_weights(kind, grad=True), batch()
    optimizer = torch.optim.Adam(list(parameters.values()), lr=0.05)
    losses = [train_step(parameters, optimizer, *data) for _ in range(40)]
    assert losses[-1] < losses[0] / 4
