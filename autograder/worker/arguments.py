"""Resolves the names and arguments of a step: from the submission, the program's objects and its arrays."""

from __future__ import annotations

import difflib
import types
from typing import Any

import numpy as np
import torch

from autograder import protocol

NEAR = 0.7  # how alike a name is that a student may have meant (difflib)


class Skipped(Exception):
    """A step needs an earlier one that failed."""


class Missing(Exception):
    """The submission does not define a requested name."""


class Arguments:
    """Resolves names and builds arguments for one program."""

    def __init__(self, module: types.ModuleType, program: protocol.Program) -> None:
        self.module = module
        self.program = program
        self.made: dict[str, Any] = {}
        self.lists: dict[str, list[Any]] = {}
        self.given: dict[str, dict[str, torch.Tensor]] = {}  # the tensors that each call got, by array

    def _resolve(self, name: str) -> Any:
        """Return ``object``, ``object.method`` or ``Class.method``, of this program's objects or of the file.

        A function of the file may have the name of an earlier call, whose result is none to call.
        """
        first, *rest = name.split(".")
        is_object = isinstance(self.program.named.get(first), protocol.Make)
        if first in self.made and (is_object or not hasattr(self.module, first)):
            found = self.made[first]
        elif is_object:
            raise Skipped(f"{first} could not be made")
        elif not hasattr(self.module, first):
            raise Missing(f"{first} is not defined{self._near(first)}")
        else:
            found = getattr(self.module, first)
        for part in rest:
            if not hasattr(found, part):
                owner = found.__name__ if isinstance(found, type) else type(found).__name__
                raise Missing(f"{owner}.{part} is not defined")
            found = getattr(found, part)
        return found

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, vars(self.module), 1, NEAR)
        return f"; the file defines {near[0]}" if near else ""

    def _object(self, name: str) -> Any:
        if name not in self.made:
            raise Skipped(f"{name} could not be made")
        return self.made[name]

    def _arguments(self, args: list[Any], step: protocol.Call, inputs: dict[str, torch.Tensor]) -> list[Any]:
        def resolved(arg: Any) -> Any:
            if isinstance(arg, list):  # equal lists are one object, so a later call meets what an earlier one did to it
                return self.lists.setdefault(repr(arg), arg)
            if not isinstance(arg, protocol.Ref):
                return arg
            if arg.name not in self.program.arrays:
                made = self._object(arg.name)
                return made if arg.item is None else made[arg.item]
            if arg.name not in inputs:  # the same array twice in one call is the same tensor
                tensor = laid_out(self._tensor(arg.name), step.layout)
                inputs[arg.name] = tensor.requires_grad_() if arg.name in step.wrt else tensor
            return inputs[arg.name].numpy() if self.program.library == "numpy" else inputs[arg.name]

        return [resolved(arg) for arg in args]

    def _overwritten(self, step: protocol.Call) -> dict[str, torch.Tensor]:
        """Return the tensors of an earlier call by the names of this one's arrays, with the values of these."""
        earlier = self.program.named[step.reuses]
        assert isinstance(earlier, protocol.Call)
        tensors: dict[str, torch.Tensor] = {}
        for old, new in zip(earlier.args, step.args, strict=True):
            if isinstance(old, protocol.Ref) and isinstance(new, protocol.Ref) and old.name in self.given[step.reuses]:
                tensors[new.name] = self.given[step.reuses][old.name]
                with torch.no_grad():
                    tensors[new.name].copy_(self._tensor(new.name))
        return tensors

    def _plain(self, args: list[Any]) -> list[Any]:
        return [self._object(a.name) if isinstance(a, protocol.Ref) else a for a in args]

    def _plain_dict(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(kwargs, self._plain(list(kwargs.values())), strict=True))

    def _tensor(self, name: str) -> torch.Tensor:
        """Return a new tensor each time, so that changes to one call's input cannot reach another's."""
        device = self.program.arrays[name].device
        return self._on_cpu(name) if device == "cpu" else self._on_cpu(name).to(device)

    def _on_cpu(self, name: str) -> torch.Tensor:
        """Return the array on the CPU, whatever its device. It comes from the grader, so its size needs no check."""
        array = self.program.arrays[name]
        return torch.from_numpy(np.ndarray(array.shape, array.dtype, bytearray(array.data)))


def as_tensors(result: Any) -> Any:
    """Return what a submission with NumPy gave: tensors in place of arrays, numbers in place of NumPy's scalars."""
    if isinstance(result, np.ndarray):
        numeric = result.dtype.kind in "biuf" and result.dtype.isnative
        return torch.from_numpy(np.array(result, order="C")) if numeric else result
    if isinstance(result, np.generic):
        return result.item()
    if type(result) in (tuple, list):
        return type(result)(map(as_tensors, result))
    return result


def laid_out(tensor: torch.Tensor, layout: protocol.Layout) -> torch.Tensor:
    """Return the same values with other strides: axes stored in reverse, or every second element of a storage."""
    if layout == "reversed":
        axes = tuple(reversed(range(tensor.dim())))
        return tensor.permute(axes).contiguous().permute(axes)
    if layout == "gapped" and tensor.dim():
        store = tensor.new_zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]))
        store[..., ::2] = tensor
        return store[..., ::2]
    return tensor
