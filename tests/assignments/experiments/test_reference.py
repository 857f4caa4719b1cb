"""The reference, held to torch's modules, to sacrebleu, and to plain loops."""

import math
import random

import numpy as np
import pytest
import sacrebleu
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from autograder.assignments.experiments.heads import checkpoint
from autograder.worker.meta import Copies
from reference.experiments import functions, given, modules
from reference.experiments.checkpoint import Trained, trained
from reference.experiments.cross import CrossAttention, cross_attention
from tests.assignments.tensor_helpers import randn
from tests.paths import ROOT

LAYERS = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")


def test_the_given_code_is_that_of_the_starter_file():
    marks = "PAD, BOS, EOS = 0", "        return self.out(query + output)\n"
    texts = []
    for path in ("solutions/experiments/experiments.py", "reference/experiments/given.py"):
        text = (ROOT / path).read_text(encoding="utf-8")
        start, end = text.index(marks[0]), text.rindex(marks[1])
        texts.append(text[start:end])
    assert texts[0] == texts[1]
    assert texts[0] in (ROOT / "assignments/experiments/experiments.py").read_text(encoding="utf-8")


# ---------------------------------------------------------------- data and accuracy


@pytest.mark.parametrize(("length", "count", "words"), [(7, 400, 13), (1, 3, 9), (4, 1, 4)])
def test_the_rows_are_symbols_and_the_decoder_reads_what_it_said(length, count, words):
    src, tgt_in, tgt_out = functions.copy_task(length, count, words, seed=5)
    assert src.dtype == tgt_in.dtype == tgt_out.dtype == torch.int64
    assert src.shape == (count, length)
    assert src.min() >= 3
    assert src.max() <= words - 1
    assert [row[1:] for row in tgt_in.tolist()] == [row[:-1] for row in tgt_out.tolist()] == src.tolist()
    assert set(tgt_in[:, 0].tolist()) == {1}
    assert set(tgt_out[:, -1].tolist()) == {2}


def test_the_seed_alone_decides_and_the_global_state_stays():
    before = torch.get_rng_state()
    first, again, other = (functions.copy_task(6, 5, 13, seed)[0] for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("said", "share"), [([[3, 4, 5]], 1.0), ([[3, 9]], 1 / 3), ([[3, 4, 9, 2]], 2 / 3)])
def test_missing_columns_are_wrong_and_further_ones_do_not_count(said, share):
    assert functions.copy_accuracy(torch.tensor(said), torch.tensor([[3, 4, 5]])) == pytest.approx(share)


# ---------------------------------------------------------------- the given models


@pytest.mark.parametrize("kind", [given.FixedContext, given.WithAttention])
def test_no_step_of_a_given_model_reads_later_words_or_padding(kind):
    torch.manual_seed(0)
    model = kind(9, 8, 4, 6)
    src, lengths, tgt_in = (
        torch.tensor([[3, 4, 5, 0], [6, 7, 8, 5]]),
        torch.tensor([3, 4]),
        torch.tensor([[1, 3, 4]] * 2),
    )
    logits = model(src, lengths, tgt_in)
    assert logits.shape == (2, 3, 8)
    assert_close(model(src, lengths, tgt_in[:, :2]), logits[:, :2])
    other = src.clone()
    other[0, 3] = 8
    assert_close(model(other, lengths, tgt_in), logits)
    assert_close(model(src[:1, :3], lengths[:1], tgt_in[:1]), logits[:1])


def test_the_weights_of_the_given_model_are_a_distribution_over_real_positions():
    torch.manual_seed(0)
    model = given.WithAttention(9, 9, 4, 6)
    weights = model.attention_weights(torch.tensor([[3, 4, 0]]), torch.tensor([2]), torch.tensor([[1, 3]]))
    assert_close(weights.sum(-1), torch.ones(1, 2))
    assert weights[..., 2].eq(0).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_corpus_has_sentences_of_5_to_15_words_and_verbs_at_the_end(seed):
    pairs = given.toy_corpus(seed, 300)
    assert pairs == given.toy_corpus(seed, 300) != given.toy_corpus(seed + 9, 300)
    assert all(5 <= len(english) <= 15 and len(english) == len(german) for english, german in pairs)
    last = [german[-1] for english, german in pairs if {"because", "although", "while"} & set(english)]
    assert len(last) > 50
    assert set(last) <= {german for _, german in (*given.VERBS, *given.ALONE)}
    assert all(any(first <= len(english) <= end for english, _ in pairs) for first, end in given.BUCKETS)


# ---------------------------------------------------------------- one epoch


def batches(count, size):
    order = list(range(count))[::-1]
    return torch.tensor(order), [order[i : i + size] for i in range(0, count, size)]


def by_hand(model, optimizer, tensors, groups, clip):
    """One epoch, sentence by sentence, with gradients that are scaled by hand."""
    src, src_lengths, tgt_in, tgt_out, tgt_lengths = tensors
    losses = []
    for group in groups:
        terms = []
        for i in group:
            logits = model(src[i : i + 1], src_lengths[i : i + 1], tgt_in[i : i + 1])[0]
            terms += [F.cross_entropy(logits[t], tgt_out[i, t]) for t in range(int(tgt_lengths[i]))]
        loss = sum(terms) / len(terms)
        model.zero_grad()
        loss.backward()
        norm = math.sqrt(sum(float((one.grad**2).sum()) for one in model.parameters() if one.grad is not None))
        for one in model.parameters():
            if one.grad is not None and norm > clip:
                one.grad *= clip / norm
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("clip", [0.3, 50.0])
@pytest.mark.parametrize("kind", [given.FixedContext, given.WithAttention])
def test_an_epoch_is_what_a_loop_over_sentences_does(kind, clip):
    order, groups = batches(5, 2)
    g = torch.Generator().manual_seed(1)
    src, tgt_in, tgt_out = (torch.randint(3, 8, (5, width), generator=g) for width in (6, 5, 5))
    tensors = src, torch.tensor([4, 6, 1, 3, 5]), tgt_in, tgt_out, torch.tensor([2, 4, 1, 5, 3])
    results = []
    for epoch in (functions.train_epoch, None):
        torch.manual_seed(0)
        model = kind(8, 8, 4, 6).double()
        for one in model.parameters():
            one.grad = torch.full_like(one, 0.3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
        losses = (
            epoch(model, optimizer, *tensors, order, 2, clip)
            if epoch
            else by_hand(model, optimizer, tensors, groups, clip)
        )
        results.append((losses, [one.detach() for one in model.parameters()]))
    (ours, mine), (theirs, other) = results
    assert all(type(loss) is float for loss in ours)
    assert ours == pytest.approx(theirs, rel=1e-5)
    for one, two in zip(mine, other, strict=True):
        assert_close(one, two, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------- BLEU


def corpus(seed, count):
    draw = random.Random(seed)
    references = [[f"w{draw.randrange(12)}" for _ in range(draw.randrange(4, 12))] for _ in range(count)]
    candidates = [
        [word if draw.random() < 0.85 else "x" for word in words][: draw.randrange(4, 12)] for words in references
    ]
    return candidates, references, [draw.randrange(1, 14) for _ in range(count)]


@pytest.mark.parametrize("seed", range(6))
def test_each_bucket_has_the_score_of_sacrebleu(seed):
    candidates, references, lengths = corpus(seed, 40)
    bounds = [(1, 4), (5, 5), (6, 13), (20, 30)]
    found = functions.bleu_by_length(candidates, references, lengths, bounds)
    for score, (first, last) in zip(found, bounds, strict=True):
        chosen = [i for i, n in enumerate(lengths) if first <= n <= last]
        expected = 0.0
        if chosen:
            sides = [[" ".join(side[i]) for i in chosen] for side in (candidates, references)]
            expected = sacrebleu.corpus_bleu(
                sides[0], [sides[1]], smooth_method="none", tokenize="none", force=True
            ).score
        assert score == pytest.approx(expected, abs=1e-9)


# ---------------------------------------------------------------- heads


def weights(d, seed=0):
    return {name: randn(d, d, seed=seed + i) for i, name in enumerate(LAYERS)}


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("masked", [False, True])
def test_cross_attention_is_that_of_torch(heads, masked):
    d = 6
    own, query, memory = weights(d), randn(2, 3, d, seed=7), randn(2, 5, d, seed=8)
    mask = torch.tensor([[True, False, True, True, False], [True] * 5]) if masked else None
    theirs = nn.MultiheadAttention(d, heads, bias=False, batch_first=True, dtype=torch.float64)
    theirs.load_state_dict(
        {"in_proj_weight": torch.cat([own[n] for n in LAYERS[:3]]), "out_proj.weight": own[LAYERS[3]]}
    )
    hidden = None if mask is None else ~mask
    expected = theirs(query, memory, memory, key_padding_mask=hidden, average_attn_weights=False)
    for one, other in zip(cross_attention(own, query, memory, mask, None, heads), expected, strict=True):
        assert_close(one, other)


def test_a_head_mask_scales_what_a_head_adds_to_the_output():
    own, query, memory = weights(6), randn(2, 3, 6, seed=7), randn(2, 5, 6, seed=8)
    alone = [cross_attention(own, query, memory, None, torch.eye(3, dtype=torch.float64)[i], 3)[0] for i in range(3)]
    gates = torch.tensor([0.5, 0.0, 2.0], dtype=torch.float64)
    output, alpha = cross_attention(own, query, memory, None, gates, 3)
    assert_close(output, 0.5 * alone[0] + 2.0 * alone[2])
    assert_close(alpha, cross_attention(own, query, memory, None, None, 3)[1])


def test_a_dark_row_is_zero_and_so_are_its_gradients():
    own = [one.requires_grad_() for one in weights(4).values()]
    query, memory = randn(2, 3, 4, seed=7).requires_grad_(), randn(2, 5, 4, seed=8).requires_grad_()
    mask = torch.tensor([[False] * 5, [True, True, False, True, False]])
    output, alpha = cross_attention(dict(zip(LAYERS, own, strict=True)), query, memory, mask, None, 2)
    assert output[0].eq(0).all()
    assert alpha[0].eq(0).all()
    grads = torch.autograd.grad(output.sum() + (alpha**2).sum(), [query, memory, *own])
    assert all(torch.isfinite(grad).all() for grad in grads)
    assert grads[0][0].eq(0).all()
    assert gradcheck(
        lambda q, m: cross_attention(dict(zip(LAYERS, own, strict=True)), q, m, mask, None, 2), (query, memory)
    )


def test_the_width_must_be_a_multiple_of_the_heads():
    with pytest.raises(ValueError, match="divide"):
        CrossAttention(7, 2)


def test_the_parts_of_a_projection_are_its_rows_in_memory_of_their_own():
    fused = randn(9, 3)
    parts = functions.split_projection(fused)
    x = randn(5, 3, seed=1)
    assert_close(torch.cat([x @ part.T for part in parts], -1), F.linear(x, fused))
    parts[0].zero_()
    assert fused[:3].ne(0).all()


# ---------------------------------------------------------------- the trained model


def translator():
    model = modules.TinyTranslator(13, 16, 4)
    model.load_state_dict({name: torch.tensor(values) for name, values in checkpoint().items()})
    return model


def test_the_shipped_weights_give_the_logits_of_torchs_own_attention():
    fused = np.load(ROOT / "autograder/assignments/experiments/checkpoint.npz")
    theirs = Trained()
    theirs.load_state_dict({name: torch.tensor(fused[name]) for name in fused.files})
    parts = functions.split_projection(torch.tensor(fused["cross.in_proj_weight"]))
    for name, part in zip(LAYERS, parts, strict=False):
        assert_close(torch.tensor(checkpoint()[f"cross.{name}"]), part)
    src, tgt_in, tgt_out = functions.copy_task(7, 40, 13, 9)
    src[:5, 5:] = 0
    assert_close(translator()(src, tgt_in), theirs(src, tgt_in), rtol=1e-4, atol=1e-4)
    assert (translator()(src[5:], tgt_in[5:]).argmax(-1) == tgt_out[5:]).double().mean() > 0.9


@pytest.mark.thorough
def test_the_shipped_weights_are_those_that_the_script_trains():
    shipped = np.load(ROOT / "autograder/assignments/experiments/checkpoint.npz")
    for name, values in trained().items():
        np.testing.assert_allclose(shipped[name], values, rtol=0.05, atol=0.05)


def test_the_drop_of_a_head_is_that_of_a_model_without_its_columns():
    model = translator()
    src, tgt_in, tgt_out = functions.copy_task(6, 30, 13, 3)
    drops = functions.head_ablation(model, src, tgt_in, tgt_out)

    def accuracy(one):
        return (one(src, tgt_in).argmax(-1) == tgt_out).float().mean()

    for i, drop in enumerate(drops):
        without = translator()
        with torch.no_grad():
            without.cross.weights["W_O.weight"][:, 4 * i : 4 * i + 4] = 0
        assert_close(drop, accuracy(model) - accuracy(without))
    assert drops.max() > 0.1


def test_a_map_is_the_mean_of_a_loop_and_zero_at_padding():
    attention = torch.rand(2, 3, 4, 5, 6, dtype=torch.float64)
    src_lengths, tgt_lengths = torch.tensor([6, 0, 3]), torch.tensor([5, 2, 1])
    found = functions.mean_attention_map(attention, src_lengths, tgt_lengths)
    for b in range(3):
        for t in range(5):
            for s in range(6):
                values = [attention[layer, b, head, t, s].item() for layer in range(2) for head in range(4)]
                real = t < tgt_lengths[b] and s < src_lengths[b]
                assert found[b, t, s].item() == pytest.approx(sum(values) / 8 if real else 0.0)


# ---------------------------------------------------------------- the given models


@pytest.mark.parametrize("kind", [given.FixedContext, given.WithAttention])
def test_the_given_models_keep_to_the_device_of_their_inputs(kind):
    model = kind(11, 13).to("meta")
    src, lengths, tgt_in = (torch.ones(*shape, dtype=torch.int64, device="meta") for shape in ((4, 7), (4,), (4, 6)))
    with Copies():
        logits = model(src, lengths, tgt_in)
    assert (logits.device.type, logits.shape) == ("meta", (4, 6, 13))


# ---------------------------------------------------------------- the experiments, with little training


@pytest.mark.thorough
def test_the_reference_learns_to_copy_short_rows():
    curves = modules.copy_curves(0, (4,), (4,))
    assert curves.shape == (2, 1)
    assert curves.dtype == torch.float32
    assert curves[1, 0] > 0.3


def test_times_are_positive():
    times = modules.attention_times((10, 1000), repeats=3)
    assert times.shape == (2, 2)
    assert (times > 0).all()
