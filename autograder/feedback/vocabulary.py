"""The words that messages of hidden checks choose from: all are the grader's own.

They stand in the question, in the expected results, in the assignments' files or in Python. No worker adds one.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterator
from functools import cache

from autograder import assignments, model, protocol
from autograder.protocol import arrays

Prepared = model.Prepared | None

ERRORS = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
KINDS = {*arrays.DTYPES, *arrays.DEVICES, "train", "eval"} - {"other"}
PARAMETERS = "{} does not have the parameters listed in its docstring"
UNDEFINED = "{}, or a part of it, is not defined"
TROUBLES = {  # fact -> what is wrong with a module's parameters and buffers
    "missing": "some are missing",
    "extra": "some are not in the docstring",
    "wrong": "some have a wrong shape",
    "frozen": "some are not trainable",
    "buffers": "some buffers need persistent=False",
}


def subjects(prepared: Prepared) -> dict[str, str]:
    """Return what each step calls or makes, by step: ``LuongAttention.score`` or ``stable_softmax``."""
    if prepared is None:
        return {}
    return {into: _subject(step, prepared.program) for into, step in prepared.program.named.items()}


def _subject(step: protocol.Step, program: protocol.Program) -> str:
    if isinstance(step, protocol.Call):
        return program.target(step)
    name: str = getattr(step, "name", getattr(step, "module", ""))
    made = program.named.get(name.partition(".")[0])
    return made.name if isinstance(made, protocol.Make) else name


def names(prepared: Prepared) -> set[str]:
    """Return the names of arguments, parameters and results, as in the question and in the expected results."""
    if prepared is None:
        return set()
    found = {name for call in prepared.program.calls for name in call.outputs} | prepared.program.arrays.keys()
    for result in prepared.expected_results:
        found |= result.gradients.keys() | result.echoes.keys() | result.parameters.keys()
        found |= {parameter.name for parameter in result.interface.parameters} if result.interface else set()
    return {without_turn(name, prepared.program) for name in found}


def without_turn(name: str, program: protocol.Program) -> str:
    """Return an array's name without the letter of its turn, where a case calls with ``a_scores``, ``b_scores`` ..."""
    letter, _, rest = name.partition("_")
    turns = letter in ("a", "b", "c") and all(f"{one}_{rest}" in program.arrays for one in "abc")
    return rest if turns else name


def signatures(prepared: Prepared) -> set[str]:
    """Return the expected arguments of each inspected function, as one text."""
    results = prepared.expected_results if prepared else ()
    return {", ".join(result.interface.arguments) for result in results if result.interface}


def structures(prepared: Prepared) -> dict[str, str]:
    """Return the names of the results of each call, and how many they are."""
    calls = prepared.program.calls if prepared else ()
    return {", ".join(call.outputs): str(len(call.outputs)) for call in calls}


def undefined(prepared: Prepared) -> set[str]:
    """Return the sentences about names that a submission does not define."""
    return {form.format(subject) for form in (PARAMETERS, UNDEFINED) for subject in subjects(prepared).values()}


def troubles(prepared: Prepared) -> set[str]:
    """Return all combinations of what may be wrong with a module's parameters and buffers."""
    texts, sizes = TROUBLES.values(), range(1, len(TROUBLES) + 1)
    return {"; ".join(some) for size in sizes for some in itertools.combinations(texts, size)}


def axes() -> set[str]:
    """Return the axes along which the loaded assignments time speed."""
    return {call.axis for call in _timed()}


def sizes() -> set[str]:
    """Return the sizes at which the loaded assignments time speed, those of one call as one text."""
    return {", ".join(map(str, call.sizes)) for call in _timed()}


def _timed() -> Iterator[model.TimedCall]:
    """Yield the timed calls of the assignments that this process has loaded: a message is about one of them.

    To load all takes a second, and no worker chooses these words.
    """
    return (call for spec in assignments.loaded() for check in spec.checks for call in check.timed)


@cache
def forbidden_words() -> frozenset[str]:
    """Return the words that the rules of all assignments forbid."""
    rules = [
        rule for check in _checks() for rule in (*check.assertions, *(call.allowed for call in check.timed)) if rule
    ]
    lists = [rule.options.get(name, ()) for rule in rules if rule.name == "untouched" for name in ("words", "later")]
    return frozenset(map(function, itertools.chain.from_iterable(lists)))


def function(operation: str) -> str:
    """Return what a student calls an operation: ``softmax`` for ``aten::_softmax``."""
    return "torch.autograd" if operation == "autograd::engine" else operation.rpartition("::")[2].lstrip("_")


@cache
def properties() -> frozenset[str]:
    """Return the properties of free results that the checks of all assignments ask for, in words."""
    return frozenset(rule.options["says"] for check in _checks() for rule in check.assertions if "says" in rule.options)


def _checks() -> Iterator[model.Check]:
    return itertools.chain.from_iterable(assignments.load(name).checks for name in assignments.NAMES)
