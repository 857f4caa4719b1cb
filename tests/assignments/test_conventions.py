"""What holds of every reference: gradients, dtype, strides, sizes of 1, inputs left alone, no NaN."""

import importlib

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from autograder import assignments
from tests.assignments.tensor_helpers import randn


def calls(B, T_t, T_s):
    """name -> function, its tensors: of all assignments."""
    modules = (importlib.import_module(f"tests.assignments.{name}.reference_calls") for name in assignments.NAMES)
    return {name: call for module in modules for name, call in module.calls(B, T_t, T_s).items()}


NAMES = list(calls(2, 3, 4))
each_call = pytest.mark.parametrize("name", NAMES)


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def requiring(args):
    return [x.clone().requires_grad_(x.is_floating_point()) for x in args]


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 1), (2, 1, 1)])
@each_call
def test_gradients_are_those_of_finite_differences(name, shape):
    function, args = calls(*shape)[name]
    assert gradcheck(function, requiring(args))


@each_call
def test_every_input_has_a_finite_gradient(name):
    function, args = calls(2, 3, 4)[name]
    args = requiring(args)
    for output in outputs(function(*args)):
        assert torch.isfinite(output).all()
    weighted = sum((x * randn(*x.shape, seed=7)).sum() for x in outputs(function(*args)))
    for grad in torch.autograd.grad(weighted, [x for x in args if x.requires_grad]):
        assert torch.isfinite(grad).all()
        assert grad.abs().max() > 0


@each_call
def test_float32_stays_float32(name):
    function, args = calls(2, 3, 4)[name]
    expected = outputs(function(*args))
    got = outputs(function(*(x.float() if x.is_floating_point() else x for x in args)))
    for x, y in zip(got, expected, strict=True):
        assert x.dtype == torch.float32
        assert_close(x, y.float(), rtol=1e-4, atol=1e-5)


def strided(x):
    """The same values with other strides: axes laid out backwards, and every other element."""
    axes = tuple(range(x.dim()))[::-1]
    twice = x.permute(axes).repeat_interleave(2, dim=0).contiguous()
    view = twice[::2].permute(axes)
    assert torch.equal(view, x)
    return view


@each_call
def test_strides_do_not_matter(name):
    function, args = calls(2, 3, 4)[name]
    for x, y in zip(outputs(function(*map(strided, args))), outputs(function(*args)), strict=True):
        assert_close(x, y)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("dim 0")])
def test_a_row_seen_twice_gives_its_result_twice(name):
    """The batch axis may have the stride 0 of an expanded tensor."""
    function, args = calls(1, 3, 4)[name]
    _, twice = calls(2, 3, 4)[name]
    expanded = [x if x.shape == y.shape else x.expand(y.shape) for x, y in zip(args, twice, strict=True)]
    for x, y in zip(outputs(function(*expanded)), outputs(function(*args)), strict=True):
        assert_close(x, y.expand(x.shape))


@each_call
def test_inputs_are_left_alone(name):
    function, args = calls(2, 3, 4)[name]
    before = [x.clone() for x in args]
    first = outputs(function(*args))
    kept = [x.clone() for x in first]
    function(*[x + 1 if x.is_floating_point() else x for x in args])
    assert all(torch.equal(x, y) for x, y in zip(args, before, strict=True))
    assert all(torch.equal(x, y) for x, y in zip(first, kept, strict=True))
