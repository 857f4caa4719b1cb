"""What is said of a symptom, a measurement, a property that is met in vain: text with places for facts."""

from __future__ import annotations

from autograder.model import Kind

# symptom -> (for hidden checks, the tail that public ones get; both filled from the finding's facts)
SENTENCES: dict[str, tuple[str, str]] = {
    "not-implemented": ("{subject} is not written yet: it raises NotImplementedError.", ""),
    "missing-name": ("{why}.", ""),
    "raised": ("{subject} raised {error}{place}.", ""),
    "raised-other": ("{subject} raised {error}{place}, where {wanted} was due.", ""),
    "did-not-raise": ("{subject} accepted arguments for which it must raise {wanted}.", ""),
    "backward-raised": ("No gradient could be taken through {subject}: {error}{place}.", ""),
    "wrong-structure": ("{subject} must return {count} results ({names}).", " It returned {came}."),
    "wrong-type": ("{output} has the wrong type.", " {Came} came; {due} was due."),
    "wrong-shape": ("{output} has the wrong shape.{axes}", " {came} came; {due} was due."),
    "wrong-dtype": ("{output} has dtype {came}; {due} was due.", ""),
    "wrong-device": ("{output} is on another device ({came}) than the inputs ({due}).", ""),
    "mixed-devices": (
        "{subject} mixes tensors of two devices: one that it makes is not on the device of its inputs{place}.",
        "",
    ),
    "wrong-values": ("{output} has wrong values.", " {worst}"),
    "wrong-sum": ("The entries of {output} along its last axis do not add up to what they must.", " {worst}"),
    "negative-weights": ("{output} has negative entries.", ""),
    "not-zero": ("{output} must be exactly 0 in some places and is not.", " At {index} it is {came}."),
    "no-gradient": ("No gradient reaches {name}: the graph is cut between it and the result.", ""),
    "zero-gradient": ("The gradient of {name} is 0 everywhere, and must not be.", ""),
    "nan-gradient": ("The gradient of {name} has entries that are not finite.", " {worst}"),
    "wrong-gradient": ("The gradient of {name} is wrong.", " {worst}"),
    "wrong-gradient-shape": ("The gradient of {name} has the wrong shape.", " {came} came; {due} was due."),
    "changed-input": ("{subject} changed its input {name} in place.", ""),
    "no-echo": ("The inputs could not be read after the call.", ""),
    "not-repeatable": ("{output} differs between two calls that must agree.", " {worst}"),
    "not-invariant": ("{output} changes where the change of the inputs must not matter.", " {worst}"),
    "not-equivariant": ("{output} does not follow when the inputs are put in another order.", " {worst}"),
    "wrong-signature": ("The arguments of {subject} must be ({due}); they are ({came}).", ""),
    "wrong-kind": ("{subject} must be a class.", ""),
    "no-interface": ("{subject} could not be inspected.", ""),
    "not-a-module": ("{subject} must be an nn.Module.", ""),
    "wrong-parameters": ("{subject} has not the parameters of the docstring: {trouble}.", ""),
    "made-in-dtype": (
        "{subject} makes {name} in {came}; a new module is {due} until its owner says otherwise.",
        "",
    ),
    "forbidden-call": (
        "While {subject} ran, {operation} was seen to be called, which this exercise asks you to do without.",
        "{where}",
    ),
    "recording-stopped": (
        "While {subject} ran, the record of what it calls was tampered with ({operation}), so there is no evidence.",
        "",
    ),
    "changed-later": ("A result of {subject} was no longer the same after it had been returned.", ""),
    "no-operations": ("{subject} ran no torch operation at all.", ""),
    "wrong-update": ("{name} has the wrong value after the training steps.", " {worst}"),
    "changed-mode": ("The model must stay in {due} mode and does not.", ""),
    "unreadable-answer": ("The result could not be read.", " The trouble: {why}."),
    "crashed": ("The program ended while this was checked.", " The trouble: {why}."),
    "malformed": ("What came back was not an answer.", " The trouble: {why}."),
    "timed-out": ("{subject} did not finish in {seconds:g} s.", ""),
    "given-up": ("Not tried: {tries} other cases of {subject} did not finish in time.", ""),
    "unreached": ("Not reached: the submission's whole time of {seconds:g} s was used up before.", ""),
    "too-slow": (
        "{subject} costs much more than the reference does.",
        " For {size} {axis} it is {figure:.1f} times as much; up to {limit:g} times is all right.{counted}",
    ),
    "grows-too-fast": (
        "The cost of {subject} grows faster than the reference's.",
        " With the number of {axis} ({sizes}) it grows as a power that is {figure:.1f} higher; up to {limit:g} is all"
        " right.{counted}",
    ),
    "import-error": ("The file could not be run, so nothing could be checked.", ""),
}


# kind of check -> what is said where its own property is met and only the values are wrong
MET: dict[Kind, str] = {
    "interface": "This counts only together with right values. ",
    "shape": "The shapes are right, but count only together with right values. ",
    "weight_sum": "The sums are right, but count only together with right values. ",
    "timing": "Speed counts only together with right values. ",
    "constraint": "Nothing was used that is not allowed, but that counts only together with right values. ",
}


# what was measured and what came of it -> what is said of it
SPEED = {
    "ratio-within": "{figure:.1f} times the reference's cost, for {size} {axis}.",
    "ratio-inconclusive": "Not decided on this machine now, which costs no points: between {low:.1f} and {high:.1f}"
    " times the reference's cost for {size} {axis}, where up to {limit:g} times is all right.",
    "exponent-inconclusive": "Not decided on this machine now, which costs no points: how the cost grows with the"
    " number of {axis} could not be told well enough.",
}
