"""Message templates, by symptom. ``messages`` fills the placeholders from a finding's facts."""

from __future__ import annotations

from typing import NamedTuple

from autograder.model import Kind


class Template(NamedTuple):
    """A message: ``general`` for every check, and ``public`` after it where the check is public.

    Messages of hidden checks end after ``general``, and ``closed.CLOSED`` fills its placeholders there.
    """

    general: str
    public: str = ""


SHAPES = " Got shape {actual}, expected {expected}."
REASON = " Reason: {why}."

SYMPTOMS: dict[str, Template] = {
    "not-implemented": Template("{subject} is not written yet: it raises NotImplementedError.", "{stub}"),
    "missing-name": Template("{why}."),
    "raised": Template("{subject} raised {error}{place}."),
    "raised-other": Template("{subject} raised {error}{place}, expected {wanted}."),
    "did-not-raise": Template("{subject} accepted arguments for which it must raise {wanted}."),
    "backward-raised": Template("The backward pass through {subject} raised {error}{place}."),
    "wrong-structure": Template("{subject} must return {count} results ({names}).", " It returned {actual}."),
    "wrong-type": Template("{output} has the wrong type.", " Got {actual}, expected {expected}."),
    "wrong-shape": Template("{output} has the wrong shape.{axes}", SHAPES + "{related}"),
    "wrong-dtype": Template("{output} has dtype {actual}, expected {expected}."),
    "wrong-device": Template("{output} is on {actual}, but the inputs are on {expected}."),
    "mixed-devices": Template(
        "{subject} mixes tensors of two devices{place}. It makes a tensor that is not on the device of its inputs."
    ),
    "wrong-values": Template("{output} has wrong values.", " {worst}"),
    "wrong-sum": Template("{output} has wrong sums along its last axis.", " {worst}"),
    "negative-weights": Template("{output} has negative entries."),
    "not-zero": Template(
        "{output} is not exactly 0 everywhere where it must be.", " Got {entry} at {index}, expected 0."
    ),
    "no-gradient": Template("No gradient reaches {name}: the graph is cut between it and the result."),
    "zero-gradient": Template("The gradient of {name} is 0 everywhere, but must not be."),
    "nan-gradient": Template("The gradient of {name} contains NaN or infinity.", " {worst}"),
    "wrong-gradient": Template("The gradient of {name} is wrong.", " {worst}"),
    "wrong-gradient-shape": Template("The gradient of {name} has the wrong shape.", SHAPES),
    "changed-input": Template("{subject} changes its input {name} in place."),
    "no-echo": Template("The inputs could not be read after the call."),
    "not-repeatable": Template("{output} differs between two calls that must agree.", " {worst}"),
    "not-invariant": Template(
        "{output} changes although the inputs changed only in a way that must not matter.", " {worst}"
    ),
    "not-equivariant": Template("The inputs were reordered, but {output} was not reordered with them.", " {worst}"),
    "wrong-signature": Template("{subject} must take the arguments ({arguments}).", "{yours}"),
    "wrong-kind": Template("{subject} must be a class."),
    "no-interface": Template("{subject} could not be inspected."),
    "not-a-module": Template("{subject} must be an nn.Module."),
    "wrong-parameters": Template("{subject} does not have the parameters listed in its docstring: {trouble}."),
    "made-in-dtype": Template(
        "{subject} makes {name} with dtype {actual}, expected {expected}: leave the conversion to the caller."
    ),
    "forbidden-call": Template("{subject} calls `{function}`, which is not allowed in this exercise.", "{where}"),
    "recording-stopped": Template(
        "The record of what {subject} calls is incomplete, or the source can change it. So this check does not count.",
        " Found: {operation}.",
    ),
    "changed-later": Template("A result of {subject} changed after it was returned."),
    "no-operations": Template("{subject} ran no torch operation."),
    "wrong-update": Template("{name} has the wrong value after the training steps.", " {worst}"),
    "changed-mode": Template("The model must stay in {expected} mode, but the call changes the mode."),
    "unreadable-answer": Template("The result could not be read.", REASON),
    "crashed": Template("The program ended during this check.", REASON),
    "malformed": Template("The program did not send a valid answer.", REASON),
    "timed-out": Template("{subject} did not finish in {seconds:g} s of processor time."),
    "timed-out-wall": Template("{subject} did not finish in {seconds:g} s."),
    "did-nothing": Template("{subject} did nothing for {seconds:g} s."),
    "given-up": Template("Not run: {tries} other cases of {subject} did not finish in time."),
    "unreached": Template("Not run: the submission used up its {seconds:g} s before this check."),
    "did-nothing-in-all": Template("Not run: before this check, the submission did nothing for {seconds:g} s in all."),
    "timed-too-long": Template("Its timed calls used more than {seconds:g} s of processor time together."),
    "timed-idle": Template("Its timed calls did nothing for {seconds:g} s in all."),
    "too-slow": Template(
        "{subject} is much slower than the reference."
        " For {size} {axis} it takes {figure:.1f} times the reference's CPU time; the limit is {limit:g} times."
        "{counted}"
    ),
    "grows-too-fast": Template(
        "The CPU time of {subject} grows faster than the reference's."
        " With the number of {axis} ({sizes}) it grows as a power that is {figure:.1f} higher; the limit is {limit:g}."
        "{counted}"
    ),
    "too-much-memory": Template("{subject} needs more memory than this exercise allows: the limit is {limit:g} MB."),
    "broken-property": Template("{output} of {subject} must have this property: {property}.", "{got}"),
    "import-error": Template("The file could not be run, so nothing could be checked."),
}

# kind of check -> the message of one whose own property holds while values are wrong. ``see`` names the check to mend.
BLOCKED: dict[Kind, str] = {
    "interface": "Not counted until the results of {part} are right{see}.",
    "shape": "The shapes are right. Not counted until the values of {part} are right{see}.",
    "weight_sum": "Not counted until the values of {part} are right{see}.",
    "timing": "Speed is not counted until the values of {part} are right{see}.",
    "constraint": "Nothing wrong was found here. Not counted until the values of {part} are right{see}.",
    "invariance": "Not counted until the values of {part} are right{see}.",
}
SEE = ' (see "{}")'

# of a public check that fails only in cases as redrawn from the secret seed
REDRAWN = "Right for the numbers that you can see, but not for other numbers."

# measurement-verdict -> message. These verdicts cost no points.
SPEED = {
    "ratio-within": "It takes {figure:.1f} times the reference's CPU time for {size} {axis}.",
    "ratio-inconclusive": "Too near the limit to decide on this machine. No points lost."
    " For {size} {axis} it takes between {low:.1f} and {high:.1f} times the reference's CPU time;"
    " the limit is {limit:g} times.",
    "exponent-inconclusive": "Not decided on this machine. No points lost."
    " It is uncertain how the CPU time grows with the number of {axis}.",
}
