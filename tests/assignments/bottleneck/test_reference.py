"""The reference against SciPy, scikit-learn, PyTorch's Jacobians, closed forms and whole numbers."""

from __future__ import annotations

import importlib.util
import itertools
import math
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from torch.testing import assert_close

from autograder.assignments import quizzes
from autograder.model import tokens
from reference.bottleneck import counts, functions
from reference.bottleneck import given as given_code
from tests.assignments.tensor_helpers import randn
from tests.paths import ROOT

FEW = settings(max_examples=60, deadline=None)
TABLES = st.integers(0, 2**32 - 1).map(lambda seed: table(seed, 4, 3))


def table(seed: int, *shape: int, zeros: float = 0.3) -> torch.Tensor:
    """A joint distribution with some entries of exactly 0."""
    generator = np.random.default_rng(seed)
    values = generator.random(shape) * (generator.random(shape) > zeros)
    values.flat[int(generator.integers(values.size))] += 0.5
    return torch.from_numpy(values / values.sum())


def starter() -> ModuleType:
    """The starter file, as students get it."""
    path = ROOT / "assignments" / "bottleneck" / "bottleneck.py"
    spec = importlib.util.spec_from_file_location("starter_of_bottleneck", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STARTER = starter()


# ---- contexts and costs


def test_equal_scores_make_attention_a_mean() -> None:
    states = randn(3, 5, 4)
    context, weights = functions.uniform_context(states)
    assert_close(weights, torch.softmax(torch.full((3, 5), 7.0, dtype=torch.float64), -1))
    assert_close(context, states.mean(1))


@pytest.mark.parametrize("dim", [1, 3, 8])
def test_general_is_dot_with_this_matrix(dim: int) -> None:
    matrix = functions.weight_of_dot(dim)
    assert matrix.dtype == torch.float32
    s, h = randn(5, dim).float(), randn(5, dim, seed=1).float()
    assert_close(torch.einsum("bi,ij,bj->b", s, matrix, h), (s * h).sum(-1))


class Counted(float):
    """A number that counts multiplications."""

    made = 0

    def __mul__(self, other: float) -> Counted:
        Counted.made += 1
        return Counted(float(self) * float(other))

    def __add__(self, other: float) -> Counted:
        return Counted(float(self) + float(other))

    __radd__ = __add__


def _times(matrix: list[list[Counted]], vector: list[Counted]) -> list[Counted]:
    return [Counted(sum(one * other for one, other in zip(row, vector, strict=True))) for row in matrix]


@pytest.mark.parametrize(("length", "dim", "inside"), [(1, 1, 1), (3, 4, 2), (5, 2, 7)])
def test_multiplications_are_those_that_are_made(length: int, dim: int, inside: int) -> None:
    def vector(size: int) -> list[Counted]:
        return [Counted(0.5)] * size

    def made(kind: str) -> int:
        Counted.made = 0
        if kind == "general":
            query = _times([vector(dim)] * dim, vector(dim))
        for _ in range(length):
            if kind == "additive":
                sums = [_times([vector(dim)] * inside, vector(dim)) for _ in range(2)]
                _times([vector(inside)], [Counted(math.tanh(a + b)) for a, b in zip(*sums, strict=True)])
            else:
                _times([vector(dim)], query if kind == "general" else vector(dim))
        return Counted.made

    for kind in ("additive", "dot", "general"):
        assert counts.score_multiplications(kind, length, dim, inside) == made(kind)


def test_another_kind_is_no_kind() -> None:
    with pytest.raises(ValueError, match="cosine"):
        counts.score_multiplications("cosine", 3, 4)


@pytest.mark.parametrize(("length", "heads", "layers", "dtype"), [(7, 2, 3, torch.float32), (5, 1, 1, torch.float16)])
def test_bytes_are_those_of_tensors(length: int, heads: int, layers: int, dtype: torch.dtype) -> None:
    weights = torch.zeros(layers, heads, length, length, dtype=dtype)
    assert counts.attention_bytes(length, heads, layers, dtype.itemsize) == weights.nbytes


def test_bytes_of_the_largest_model_are_exact() -> None:
    assert counts.attention_bytes(32768, 16, 24) == 2**30 * 16 * 24 * 4


# ---- information


@FEW
@given(st.integers(0, 2**32 - 1))
def test_entropy_is_scipys(seed: int) -> None:
    rows = table(seed, 5)
    assert_close(functions.entropy_bits(rows).item(), float(scipy.stats.entropy(rows.numpy(), base=2)))


@FEW
@given(st.integers(0, 2**32 - 1))
def test_mutual_information_is_that_of_scikit_learn(seed: int) -> None:
    seen = np.random.default_rng(seed).integers(0, 9, (4, 3))
    seen[0, 0] += 1
    joint = torch.from_numpy(seen / seen.sum())
    found = mutual_info_score(None, None, contingency=seen) / math.log(2)
    assert_close(functions.mutual_information(joint).item(), float(found), rtol=1e-9, atol=1e-12)


@FEW
@given(TABLES)
def test_entropies_add_up(joint: torch.Tensor) -> None:
    of_x, both = functions.entropy_bits(joint.sum(1)), functions.entropy_bits(joint.flatten())
    rest = functions.conditional_entropy(joint)
    assert_close(functions.entropy_bits(joint.sum(0)) + rest, both)
    assert_close(of_x - rest, functions.mutual_information(joint), atol=1e-12, rtol=1e-9)
    assert -1e-12 <= rest <= of_x + 1e-12


@FEW
@given(TABLES, st.integers(0, 2**32 - 1))
def test_processing_never_adds_information(joint: torch.Tensor, seed: int) -> None:
    channel = torch.stack([table(seed + row, 6) for row in range(3)])
    before, after = functions.processing_chain(joint, channel)
    assert -1e-12 <= after <= before + 1e-12


def test_a_channel_that_forgets_leaves_nothing_and_an_order_keeps_all() -> None:
    joint = table(3, 4, 3)
    forgets = table(1, 5).expand(3, 5)
    assert abs(functions.processing_chain(joint, forgets)[1]) < 1e-12
    before, after = functions.processing_chain(joint, torch.eye(3, dtype=torch.float64)[[2, 0, 1]])
    assert_close(before, after)


def test_independent_and_equal_variables() -> None:
    of_x = table(0, 4, zeros=0.0)
    assert abs(functions.mutual_information(of_x[:, None] * table(1, 3))) < 1e-12
    same = torch.diag(of_x)
    assert_close(functions.mutual_information(same), functions.entropy_bits(of_x))
    assert abs(functions.conditional_entropy(same)) < 1e-12


def test_gradients_are_finite_at_zeros() -> None:
    joint = table(0, 4, 3, zeros=0.0)
    joint[1], joint[:, 2] = 0.0, 0.0
    for of in (functions.conditional_entropy, functions.mutual_information):
        values = (joint / joint.sum()).requires_grad_()
        (gradient,) = torch.autograd.grad(of(values), values)
        assert torch.isfinite(gradient).all()


@FEW
@given(st.floats(0, 1))
def test_capacity_is_the_information_of_even_input(flip: float) -> None:
    joint = torch.tensor([[1 - flip, flip], [flip, 1 - flip]], dtype=torch.float64) / 2
    assert_close(
        counts.binary_channel_capacity(flip), functions.mutual_information(joint).item(), rtol=1e-9, atol=1e-12
    )


def test_capacity_at_the_ends() -> None:
    assert [counts.binary_channel_capacity(flip) for flip in (0.0, 0.5, 1.0)] == [1.0, 0.0, 1.0]


@FEW
@given(st.integers(1, 40), st.integers(1, 32), st.integers(2, 60000))
def test_the_longest_sentence_fits_and_a_longer_one_does_not(width: int, bits: int, vocabulary: int) -> None:
    length = counts.longest_lossless(width, bits, vocabulary)
    assert vocabulary**length <= 2 ** counts.context_capacity(width, bits) < vocabulary ** (length + 1)


def test_lengths_that_fit_exactly_count() -> None:
    assert all(counts.longest_lossless(7 * bits, 3, 2**bits) == 21 for bits in range(1, 17))
    assert counts.bits_per_token(1) == 0.0


# ---- the path of the gradient


@pytest.mark.parametrize(("source", "target", "position"), [(6, 3, 1), (6, 3, 4), (6, 3, 6), (1, 1, 1)])
def test_path_length_counts_edges(source: int, target: int, position: int) -> None:
    chain = [f"h{i}" for i in range(position, source + 1)] + [f"s{i}" for i in range(1, target + 1)]
    assert counts.path_length(source, target, position) == len(list(itertools.pairwise(chain)))
    assert counts.path_length(source, target, position, attention=True) == 1


@FEW
@given(st.floats(0.4, 0.95), st.floats(1e-8, 1e-2))
def test_reach_is_the_last_step_that_leaves_enough(gamma: float, threshold: float) -> None:
    steps = counts.reach(gamma, threshold)
    assert Fraction(gamma) ** (steps + 1) < Fraction(threshold) * (1 + Fraction(1, 10**12))
    assert Fraction(gamma) ** steps >= Fraction(threshold) * (1 - Fraction(1, 10**12))


def test_decay_underflows_to_zero() -> None:
    assert counts.path_decay(0.4, 3000) == 0.0
    assert counts.path_decay(0.4, 0) == 1.0


def test_decay_along_is_that_of_pytorchs_jacobians() -> None:
    weight, inputs = 0.9 * randn(4, 4), randn(6, 4, seed=1)

    def run(state: torch.Tensor, start: int) -> torch.Tensor:
        for one in inputs[start:]:
            state = torch.tanh(weight @ state + one)
        return state

    states = [torch.tanh(inputs[0])]
    for one in inputs[1:]:
        states.append(torch.tanh(weight @ states[-1] + one))
    found = functions.decay_along(torch.stack(states), weight)
    for t, state in enumerate(states):
        jacobian = torch.autograd.functional.jacobian(lambda x, t=t: run(x, t + 1), state)
        assert_close(found[t].item(), float(np.linalg.svd(jacobian.numpy(), compute_uv=False)[0]))


# ---- given code: numbers and questions follow from the seed

TEXTS = st.one_of(
    st.text(),
    st.builds(
        lambda name, seed, rest: f"attngrade1.bottleneck.{name}.{seed:016x}.{rest}",
        st.text("ABab01-_", max_size=6),
        st.integers(0, 2**64 - 1),
        st.sampled_from(["", "0" * 32, "0" * 31, "x"]),
    ),
)


@FEW
@given(TEXTS)
def test_the_starter_file_has_the_numbers_of_the_reference(token: str) -> None:
    found = STARTER.own_numbers(token)
    assert tuple(found) == tuple(given_code.own_numbers(token))
    assert found._fields == counts.Own._fields
    assert all(value in given_code.CHOICES[name] for name, value in found._asdict().items())
    assert STARTER.token_draw(token, "width") == tokens.draw(token, "width")


def test_every_choice_comes_up() -> None:
    drawn = [given_code.own_numbers(f"attngrade1.bottleneck..{n:016x}.") for n in range(600)]
    for name, choices in given_code.CHOICES.items():
        assert len({getattr(one, name) for one in drawn}) > 0.95 * len(choices)


@FEW
@given(TEXTS)
def test_the_grader_shows_the_options_as_the_starter_file_does(token: str) -> None:
    asked = quizzes.questions("bottleneck")
    shown = STARTER.quiz_questions(token)
    assert [text for text, _ in shown] == [one.text for one in asked]
    for (text, options), one in zip(shown, asked, strict=True):
        assert list(options) == tokens.shuffled(token, text, one.options)


def test_the_starter_file_has_the_questions_of_the_quiz() -> None:
    asked = quizzes.questions("bottleneck")
    assert tuple((one.text, one.options) for one in asked) == STARTER.QUESTIONS
    assert len(asked) == len(quizzes.key("bottleneck")) == 12


def test_options_give_nothing_away() -> None:
    places = []
    for question, answer in zip(quizzes.questions("bottleneck"), quizzes.key("bottleneck"), strict=True):
        lengths = [len(option) for option in question.options]
        assert len(lengths) == 4
        assert max(lengths) - min(lengths) <= 10
        places.append(question.options.index(answer.right))
    assert sorted(places) == sorted(list(range(4)) * 3)
