"""Known mistakes of PyramidalEncoder."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import Part
from reference.variations import modules as right
from reference.variations import readers


def clean(frames: Tensor, lengths: Tensor) -> Tensor:
    """Return frames that are 0 from each length on."""
    real = torch.arange(frames.shape[1], device=frames.device) < lengths.unsqueeze(1)
    return torch.where(real.unsqueeze(2), frames, 0.0)


def even(frames: Tensor) -> Tensor:
    """Return an even number of frames, the last of which may be new."""
    return F.pad(frames, (0, 0, 0, frames.shape[1] % 2))


def side_by_side(frames: Tensor, lengths: Tensor) -> Tensor:
    """Return pairs of neighbours."""
    frames = even(frames)
    return torch.cat([frames[:, 0::2], frames[:, 1::2]], 2)


def pyramid(
    first: Part = clean,
    pair: Part = side_by_side,
    shorter: Part = lambda lengths, width: (lengths + 1) // 2,
    run: Part = readers.both_directions,
    last: Part = clean,
    start: Part = lambda lengths: lengths,
    end: Part = lambda states, lengths: states,
    returned: Part = lambda lengths, before, given, told: lengths,
    layers: Part = lambda self: range(self.num_layers),
    results: Part = lambda states, lengths: (states, lengths),
) -> dict[str, Any]:
    """Build a PyramidalEncoder with some parts replaced by wrong ones."""

    class PyramidalEncoder(right.PyramidalEncoder):
        def forward(self, frames: Tensor, lengths: Tensor) -> Any:
            lengths = start(lengths)
            states, given, before, told = frames, lengths, lengths, lengths
            for layer in layers(self):
                states = pair(first(states, lengths), lengths)
                before, lengths, told = lengths, shorter(lengths, states.shape[1]), told // 2
                states = last(run(states, lengths, self.of_layer(layer)), lengths)
            return results(end(states, lengths), returned(lengths, before, given, told))

    return {"PyramidalEncoder": PyramidalEncoder}


def _everywhere(x: Tensor, lengths: Tensor, weights: Any) -> Tensor:
    """Run both directions over the padding too."""
    return readers.both_directions(x, torch.full_like(lengths, x.shape[1]), weights)


def _carried(x: Tensor, lengths: Tensor, weights: Any) -> Tensor:
    """Run over real frames only, but keep the last states in the padding."""
    real = torch.arange(x.shape[1], device=x.device) < lengths.unsqueeze(1)
    forward = readers.gated_states(x, real, weights, "")
    backward = readers.gated_states(x.flip(1), real.flip(1), weights, "_reverse").flip(1)
    return torch.cat([forward, backward], 2)


def _carried_both_ways(x: Tensor, lengths: Tensor, weights: Any) -> Tensor:
    """Run each direction over the padding after the sentence, the second one over flipped sentences."""
    place = torch.arange(x.shape[1]).expand(len(x), -1)
    flipped = torch.where(place < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - place, place).unsqueeze(2)
    real = torch.ones_like(place, dtype=torch.bool)
    forward = readers.gated_states(x, real, weights, "")
    backward = readers.gated_states(torch.take_along_dim(x, flipped, 1), real, weights, "_reverse")
    return torch.cat([forward, torch.take_along_dim(backward, flipped, 1)], 2)


def _filled(value: float) -> Part:
    def end(states: Tensor, lengths: Tensor) -> Tensor:
        real = torch.arange(states.shape[1]) < lengths.unsqueeze(1)
        return torch.where(real.unsqueeze(2), states, value)

    return end


def _last_repeated(states: Tensor, lengths: Tensor) -> Tensor:
    place = torch.minimum(torch.arange(states.shape[1]), lengths.unsqueeze(1) - 1)
    return torch.take_along_dim(states, place.unsqueeze(2), 1)


def _of(forward: float, backward: float) -> Part:
    def run(x: Tensor, lengths: Tensor, weights: Any) -> Tensor:
        one, other = readers.both_directions(x, lengths, weights).chunk(2, 2)
        return torch.cat([forward * one, backward * other], 2)

    return run


def _swapped(x: Tensor, lengths: Tensor, weights: Any) -> Tensor:
    one, other = readers.both_directions(x, lengths, weights).chunk(2, 2)
    return torch.cat([other, one], 2)


def _kept(frames: Tensor, lengths: Tensor) -> Tensor:
    return frames


def _next_is_noise(frames: Tensor, lengths: Tensor) -> Tensor:
    """Clean all padding but the frame after the last real one."""
    return clean(frames, lengths + lengths % 2)


def _halves(frames: Tensor, lengths: Tensor) -> Tensor:
    frames = even(frames)
    return torch.cat(frames.chunk(2, 1), 2)


def _halves_of_sentences(frames: Tensor, lengths: Tensor) -> Tensor:
    frames = even(frames)
    found = torch.zeros_like(frames).reshape(len(frames), -1, 2 * frames.shape[2])
    for b, length in enumerate(((lengths + 1) // 2).tolist()):
        found[b, :length] = torch.cat([frames[b, :length], frames[b, length : 2 * length]], 1)
    return found


def _twice(join: Part) -> Part:
    """Return pairs whose two halves are the same: ``join`` of both frames."""

    def pair(frames: Tensor, lengths: Tensor) -> Tensor:
        frames = even(frames)
        both = join(frames[:, 0::2], frames[:, 1::2])
        return torch.cat([both, both], 2)

    return pair


def _mean(one: Tensor, other: Tensor) -> Tensor:
    return (one + other) / 2


def _odd_lost(frames: Tensor, lengths: Tensor) -> Tensor:
    """Drop the last frame of a tensor with an odd number of them."""
    frames = frames[:, : frames.shape[1] // 2 * 2]
    return torch.cat([frames[:, 0::2], frames[:, 1::2]], 2)


def _flipped(frames: Tensor, lengths: Tensor) -> Tensor:
    frames = even(frames)
    return torch.cat([frames[:, 1::2], frames[:, 0::2]], 2)


def _padded_in_front(frames: Tensor, lengths: Tensor) -> Tensor:
    frames = F.pad(frames, (0, 0, frames.shape[1] % 2, 0))
    return torch.cat([frames[:, 0::2], frames[:, 1::2]], 2)


def _repeated(frames: Tensor, lengths: Tensor) -> Tensor:
    """Repeat the last frame of a sentence where there is no partner."""
    place = torch.minimum(torch.arange(frames.shape[1] + frames.shape[1] % 2), lengths.unsqueeze(1) - 1)
    frames = torch.take_along_dim(frames, place.unsqueeze(2), 1)
    return torch.cat([frames[:, 0::2], frames[:, 1::2]], 2)


def _columns_mixed(frames: Tensor, lengths: Tensor) -> Tensor:
    return even(frames).reshape(len(frames), 2, -1, frames.shape[2]).permute(0, 2, 3, 1).flatten(2)


def _interleaved(frames: Tensor, lengths: Tensor) -> Tensor:
    frames = even(frames)
    return torch.stack([frames[:, 0::2], frames[:, 1::2]], 3).flatten(2)


def _down(lengths: Tensor, width: int) -> Tensor:
    return lengths // 2


PYRAMIDS: dict[str, dict[str, dict[str, Any]]] = {
    "frames-dropped": {
        "": pyramid(pair=_twice(lambda one, other: one)),
        "even": pyramid(pair=_twice(lambda one, other: other)),
        "zeros": pyramid(pair=lambda x, n: torch.cat([even(x)[:, 0::2], 0 * even(x)[:, 1::2]], 2)),
        "odd": pyramid(pair=_odd_lost, shorter=lambda n, width: ((n + 1) // 2).clamp(max=max(width, 1))),
        "odd-of-sentence": pyramid(first=lambda x, n: clean(x, n // 2 * 2)),
        "odd-and-lengths": pyramid(pair=_odd_lost, shorter=_down),
        "odd-and-lengths-kept": pyramid(pair=_odd_lost, shorter=lambda n, width: (n // 2).clamp(min=1)),
    },
    "frames-averaged": {
        "": pyramid(pair=_twice(_mean)),
        "sum": pyramid(pair=_twice(lambda one, other: one + other)),
        "largest": pyramid(pair=_twice(torch.maximum)),
        "zeros": pyramid(pair=lambda x, n: F.pad((even(x)[:, 0::2] + even(x)[:, 1::2]) / 2, (0, x.shape[2]))),
    },
    "halves-paired": {
        "": pyramid(pair=_halves),
        "of-sentences": pyramid(pair=_halves_of_sentences),
        "mixed": pyramid(pair=_columns_mixed),
    },
    "lengths-rounded-down": {
        "": pyramid(shorter=_down),
        "at-least-one": pyramid(shorter=lambda n, width: (n // 2).clamp(min=1)),
        "returned": pyramid(returned=lambda n, before, given, told: before // 2),
        "at-the-end": pyramid(returned=lambda n, before, given, told: given // 2),
        "told": pyramid(returned=lambda n, before, given, told: told),
        "and-averaged": pyramid(pair=_twice(_mean), shorter=lambda n, width: (n // 2).clamp(min=1)),
    },
    "padding-changes-state": {
        "": pyramid(run=_everywhere),
        "not-cleaned": pyramid(first=_kept, run=_everywhere),
        "neighbour": pyramid(first=_next_is_noise),
        "neighbour-packed": pyramid(first=_kept),
        "first-layer": pyramid(first=_kept, last=clean),
        "cleaned-at-the-end": pyramid(first=_kept, run=_everywhere, last=_kept),
        "everything": pyramid(run=_everywhere, last=_kept),
    },
    "padding-not-zero": {
        "": pyramid(run=_carried, last=_kept),
        "both-ways": pyramid(run=_carried_both_ways, last=_kept),
        "ones": pyramid(end=_filled(1.0)),
        "minus-one": pyramid(end=_filled(-1.0)),
        "infinite": pyramid(end=_filled(-torch.inf)),
        "last-state": pyramid(end=_last_repeated),
    },
    "returns-swapped": {"": pyramid(results=lambda states, lengths: (lengths, states))},
    "concat-order-swapped": {"frames": pyramid(pair=_flipped), "directions": pyramid(run=_swapped)},
    "ignores-batch": {
        "lengths": pyramid(first=lambda x, n: clean(x, n[:1].expand_as(n))),
        "longest-of-all": pyramid(start=lambda n: n.amax().expand_as(n)),
        "longest": pyramid(run=lambda x, n, W: readers.both_directions(x, n.amax().expand_as(n), W), last=_kept),
    },
    "detached-graph": {
        "frames": pyramid(first=lambda x, n: clean(x, n).detach()),
        "states": pyramid(last=lambda x, n: clean(x, n).detach()),
    },
    "": {
        "padded-in-front": pyramid(pair=_padded_in_front),
        "repeated": pyramid(pair=_repeated),
        "interleaved": pyramid(pair=_interleaved),
        "only-forward": pyramid(run=_of(1, 0)),
        "only-backward": pyramid(run=_of(0, 1)),
        "lengths-of-layer-before": pyramid(returned=lambda n, before, given, told: before),
        "lengths-given": pyramid(returned=lambda n, before, given, told: given),
        "lengths-halved-once": pyramid(returned=lambda n, before, given, told: (given + 1) // 2),
        "lengths-too-long": pyramid(shorter=lambda n, width: (n // 2 + 1).clamp(max=width)),
    },
}
VARIANTS: tuple[Variant, ...] = from_table(PYRAMIDS, lambda one: one, "pyramid-{}")
