"""The known mistakes: a part of the reference exchanged, what to say of it, and where to look.

The sentence is true for any inputs. The hint says where to look and what to compare, never the line to write.
"""

import torch
from torch import nn

from autograder.author.mistakes import changed, mistake

from .reference import LayerNorm


def with_statistics(mean, variance):
    """layer_norm with another mean and variance, each a function of x."""
    return lambda x, gain, shift, eps=1e-5: (x - mean(x)) / (variance(x) + eps).sqrt() * gain + shift


def over(*axes):
    """layer_norm over other axes."""

    def wrong(x, gain, shift, eps=1e-5):
        chosen = [axis for axis in axes if -x.ndim <= axis < x.ndim] or [-1]
        mean = x.mean(chosen, keepdim=True)
        return (x - mean) / ((x - mean).square().mean(chosen, keepdim=True) + eps).sqrt() * gain + shift

    return wrong


def unbiased(x):
    return (x - mean_of(x)).square().sum(-1, keepdim=True) / (x.shape[-1] - 1)


def mean_of(x):
    return x.mean(-1, keepdim=True)


def variance_of(x):
    return x.var(-1, unbiased=False, keepdim=True)


def normal_of(x, eps):
    return (x - mean_of(x)) / (variance_of(x) + eps).sqrt()


def eps_ignored(self, x):
    return normal_of(x, 1e-5) * self.gain + self.shift


def gain_ignored(self, x):
    return normal_of(x, self.eps) + self.shift


def shift_ignored(self, x):
    return normal_of(x, self.eps) * self.gain


def parameters_ignored(self, x):
    return normal_of(x, self.eps)


def zero_gain(self, d, eps=1e-5):
    nn.Module.__init__(self)
    self.gain = nn.Parameter(torch.zeros(d))
    self.shift = nn.Parameter(torch.zeros(d))
    self.eps = eps


def unit_shift(self, d, eps=1e-5):
    nn.Module.__init__(self)
    self.gain = nn.Parameter(torch.ones(d))
    self.shift = nn.Parameter(torch.ones(d))
    self.eps = eps


MISTAKES = (
    mistake(
        "over-all-axes",
        "Mean and variance are taken over all axes, but each position has its own.",
        "Normalise two positions alone, then together. Do you get the same?",
        layer_norm=lambda x, gain, shift, eps=1e-5: (
            (x - x.mean()) / (x.var(unbiased=False) + eps).sqrt() * gain + shift
        ),
    ),
    mistake(
        "over-positions",
        "Mean and variance are taken along the positions, not along the features.",
        "Which axis of x has as many entries as gain? Compare it with the axis of your mean.",
        layer_norm=over(-2),
    ),
    mistake(
        "over-positions",
        "Mean and variance are taken along the positions, not along the features.",
        "Which axis of x has as many entries as gain? Compare it with the axis of your mean.",
        how="axis-1",
        layer_norm=over(1),
    ),
    mistake(
        "over-sentence",
        "All positions of a sentence share one mean and variance, but each position has its own.",
        "How many means does one sentence have in your code, and how many positions?",
        layer_norm=over(-2, -1),
    ),
    mistake(
        "over-batch",
        "Mean and variance are taken over the batch, as batch normalisation does.",
        "Normalise one sentence alone. May its result depend on the other sentences?",
        layer_norm=over(0),
    ),
    mistake(
        "unbiased-variance",
        "The variance is divided by n - 1.",
        "What is the variance of a position after your normalisation, exactly?",
        layer_norm=with_statistics(mean_of, unbiased),
    ),
    mistake(
        "mean-kept",
        "The mean is not subtracted.",
        "Add a constant to every feature of a position. May the result change?",
        layer_norm=with_statistics(lambda x: 0.0, variance_of),
    ),
    mistake(
        "mean-square-for-variance",
        "The mean of the squares of x stands in the place of the variance.",
        "The variance measures the distance from what? Compare with the formula.",
        layer_norm=with_statistics(mean_of, lambda x: x.square().mean(-1, keepdim=True)),
    ),
    mistake(
        "variance-cancels",
        "The variance is the difference of two large numbers that nearly agree, so far from 0 no digit of it remains.",
        "Compare your variance of (10000001, 10000002, 10000003) with that of (1, 2, 3). Should they differ?",
        layer_norm=with_statistics(mean_of, lambda x: (x * x).mean(-1, keepdim=True) - mean_of(x) ** 2),
    ),
    mistake(
        "root-missing",
        "The features are divided by the variance, not by its root.",
        "Double x. By which factor does your denominator grow, and by which the numerator?",
        layer_norm=lambda x, gain, shift, eps=1e-5: (x - mean_of(x)) / (variance_of(x) + eps) * gain + shift,
    ),
    mistake(
        "eps-outside-root",
        "eps is added to the standard deviation, not to the variance.",
        "For features that are nearly equal, compare your denominator with the formula. What stands below the root?",
        share=0.2,
        layer_norm=lambda x, gain, shift, eps=1e-5: (x - mean_of(x)) / (variance_of(x).sqrt() + eps) * gain + shift,
    ),
    mistake(
        "eps-missing",
        "eps is not used.",
        "What do you divide by if all features of a position are equal?",
        share=0.2,
        layer_norm=lambda x, gain, shift, eps=1e-5: normal_of(x, 0.0) * gain + shift,
    ),
    mistake(
        "eps-fixed",
        "eps has always its default value, whatever the caller passes.",
        "Call your function with eps=1. Where does the result differ from that with eps=0.00001?",
        share=0.2,
        layer_norm=lambda x, gain, shift, eps=1e-5: normal_of(x, 1e-5) * gain + shift,
    ),
    mistake(
        "shift-before-gain",
        "The shift is added before the gain is multiplied.",
        "Set gain to 0. What should remain of the result?",
        layer_norm=lambda x, gain, shift, eps=1e-5: (normal_of(x, eps) + shift) * gain,
    ),
    mistake(
        "gain-and-shift-swapped",
        "Gain and shift are exchanged.",
        "Set gain to 1 and shift to 0. Is the result normalised?",
        layer_norm=lambda x, gain, shift, eps=1e-5: normal_of(x, eps) * shift + gain,
    ),
    mistake(
        "shift-missing",
        "The shift is not added.",
        "Set gain to 0. What should remain of the result?",
        layer_norm=lambda x, gain, shift, eps=1e-5: normal_of(x, eps) * gain,
    ),
    mistake(
        "gain-missing",
        "The gain is not multiplied.",
        "Set gain to 0. What should remain of the result?",
        layer_norm=lambda x, gain, shift, eps=1e-5: normal_of(x, eps) + shift,
    ),
    mistake(
        "statistics-detached",
        "No gradient flows through mean and variance.",
        "The mean depends on every feature. Which steps of your code does backward() not see?",
        layer_norm=with_statistics(lambda x: mean_of(x).detach(), lambda x: variance_of(x).detach()),
    ),
    mistake(
        "layer-eps-ignored",
        "The layer does not use the eps of its constructor.",
        "Make two layers with different eps. Where do their results differ?",
        LayerNorm=changed(LayerNorm, forward=eps_ignored),
    ),
    mistake(
        "layer-gain-ignored",
        "The layer does not use its gain.",
        "Double the layer's gain. What should happen to the result?",
        LayerNorm=changed(LayerNorm, forward=gain_ignored),
    ),
    mistake(
        "layer-shift-ignored",
        "The layer does not use its shift.",
        "Add 1 to the layer's shift. What should happen to the result?",
        LayerNorm=changed(LayerNorm, forward=shift_ignored),
    ),
    mistake(
        "layer-parameters-ignored",
        "The layer normalises, but uses neither its gain nor its shift.",
        "After backward(), which gradient do gain and shift have?",
        LayerNorm=changed(LayerNorm, forward=parameters_ignored),
    ),
    mistake(
        "layer-starts-at-zero",
        "The gain of a new layer is 0.",
        "Call a new layer on any x. What comes out, and what should?",
        LayerNorm=changed(LayerNorm, __init__=zero_gain),
    ),
    mistake(
        "layer-starts-shifted",
        "The shift of a new layer is not 0.",
        "Call a new layer on any x. Which mean should the result have?",
        LayerNorm=changed(LayerNorm, __init__=unit_shift),
    ),
    mistake(
        "rms-mean-subtracted",
        "rms_norm subtracts the mean, but its formula has none.",
        "Compare rms_norm of (4, 4) with the worked example in the hint. What is left after your first step?",
        rms_norm=lambda x, gain, eps=1e-5: normal_of(x, eps) * gain,
    ),
    mistake(
        "rms-variance",
        "rms_norm divides by the root of the variance, not of the mean square.",
        "The mean square measures the distance from what? And the variance?",
        rms_norm=lambda x, gain, eps=1e-5: x / (variance_of(x) + eps).sqrt() * gain,
    ),
    mistake(
        "rms-sum-of-squares",
        "The squares are summed, but their mean is asked.",
        "Repeat every feature of a position twice. May the result of a feature change?",
        rms_norm=lambda x, gain, eps=1e-5: x / (x.square().sum(-1, keepdim=True) + eps).sqrt() * gain,
    ),
    mistake(
        "rms-root-missing",
        "rms_norm divides by the mean square, not by its root.",
        "Double x. By which factor does your denominator grow, and by which the numerator?",
        rms_norm=lambda x, gain, eps=1e-5: x / (x.square().mean(-1, keepdim=True) + eps) * gain,
    ),
    mistake(
        "rms-eps-outside-root",
        "rms_norm adds eps to the root, not to the mean square.",
        "For features of about 0.003, compare your denominator with the formula. What stands below the root?",
        share=0.25,
        rms_norm=lambda x, gain, eps=1e-5: x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * gain,
    ),
    mistake(
        "rms-eps-fixed",
        "rms_norm does not use the eps that the caller passes.",
        "Call your function with eps=1. Where does the result differ from that with eps=0.00001?",
        share=0.25,
        rms_norm=lambda x, gain, eps=1e-5: x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gain,
    ),
    mistake(
        "rms-over-all-axes",
        "rms_norm takes one mean square over all axes, but each position has its own.",
        "Normalise two positions alone, then together. Do you get the same?",
        rms_norm=lambda x, gain, eps=1e-5: x / (x.square().mean() + eps).sqrt() * gain,
    ),
)
