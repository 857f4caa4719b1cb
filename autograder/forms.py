"""The references as one file in the form of a submission, for a worker to be timed beside a student's.

A worker sees nothing of the grader's files, so the text travels: the modules of ``reference``, and the one of
``oracle`` that gives them the contract's names. Its stand-ins for modules become real ones there, with parameters.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from autograder import model

PLAY = '''
"""In the place of the oracle's: modules whose weights are named by their places in the state dict."""

import torch


class Ambiguous(Exception):
    pass


class Weighted(torch.nn.Module):
    def __init__(self, **shapes):
        super().__init__()
        self.weights = {}
        for name, shape in shapes.items():
            *path, last = name.replace("__", ".").split(".")
            owner = self
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, torch.nn.Module())
                owner = owner._modules[part]
            weight = torch.nn.Parameter(torch.zeros(shape))
            if len(shape) > 1:  # as torch's own layers do: making them costs the same
                torch.nn.init.kaiming_uniform_(weight, 5**0.5)
            owner.register_parameter(last, weight)
            self.weights[".".join((*path, last))] = weight

    def contain(self, **parts):
        for prefix, part in parts.items():
            self.add_module(prefix, part)
            self.weights |= {f"{prefix}.{name}": weight for name, weight in part.weights.items()}
'''

IMPORTER = """
import importlib.abc
import importlib.util
import sys


class Sources(importlib.abc.InspectLoader):
    def find_spec(self, name, path, target=None):
        if name in SOURCES:
            return importlib.util.spec_from_loader(name, self, is_package=self.is_package(name))

    def is_package(self, name):
        return any(other.startswith(name + ".") for other in SOURCES)

    def get_source(self, name):
        return SOURCES[name]


sys.meta_path.insert(0, Sources())
from autograder.oracle.{topic} import *
"""


class NotInstalled(Exception):
    """There are no references in this installation."""


@functools.cache
def reference_form(topic: str) -> model.Submission:
    """The references of ``topic`` as a submission. Raises NotInstalled."""
    found = importlib.util.find_spec("reference")
    names = Path(__file__).parent / "oracle" / f"{topic}.py"
    if found is None or found.origin is None or not names.exists():
        raise NotInstalled("the references are not installed")
    sources = {"reference": "", "autograder.oracle": "", "autograder.oracle.play": PLAY}
    sources |= {
        f"reference.{file.stem}": file.read_text()
        for file in sorted(Path(found.origin).parent.glob("[a-z]*.py"))
    }
    sources[f"autograder.oracle.{topic}"] = names.read_text()
    text = f"SOURCES = {sources!r}\n{IMPORTER.replace('{topic}', topic)}"
    return model.Submission("reference", "ready", "script", f"{topic}.py", (text.encode(),))
