"""Turn findings into messages for students, and keep hidden inputs hidden.

A message of a public check names the call, the actual and the expected value. A message of a hidden check names only
the property that fails. It says nothing that a worker has sent: ``closed`` has all that it may say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder import model, protocol
from autograder.feedback import closed, relations, vocabulary
from autograder.feedback.templates import BLOCKED, SEE, SPEED, SYMPTOMS
from autograder.judge.relations import Relation
from autograder.judge.tolerances import Difference
from autograder.model.text import printable

closed.require_closed([*(template.general for template in SYMPTOMS.values()), *SPEED.values()])


def speed(of: str, verdict: str, facts: dict[str, Any]) -> str:
    """Return the message of a measurement that costs no points. ``of``: ``ratio`` or ``exponent``."""
    about = closed.About(model.Finding(verdict, "", facts), None)
    return SPEED[f"{of}-{verdict}"].format_map(closed.Words(about))


def figure(name: str, facts: dict[str, Any]) -> float:
    """Return one figure of a measurement as messages say it: rounded, and no larger than they say."""
    number = closed.CLOSED[name]
    assert isinstance(number, closed.Number)
    return float(number.said(closed.About(model.Finding("", "", facts), None)))


def message(
    finding: model.Finding,
    prepared: model.Prepared | None,
    hidden: bool,
    cause: model.Cause | None = None,
    in_call: model.Cause | None = None,
) -> str:
    """Return the message of a finding, with its cause: at most 2,000 printable characters.

    ``hidden``: the inputs are secret, so the message tells nothing that the worker has sent. ``in_call``: the cause of
    this one call, where no cause explains all that fails.
    """
    template = SYMPTOMS[finding.symptom]
    about = closed.About(finding, prepared)
    if hidden:
        text = template.general.format_map(closed.Words(about))
    else:
        text = (template.general + template.public).format_map(_Facts(about))
    if not hidden and "also" in finding.facts:
        also = closed.About(finding.facts["also"], prepared)
        text += " " + SYMPTOMS[also.finding.symptom].general.format_map(_Facts(also))
    if cause:
        text += f" Cause: {cause.sentence}"
    elif in_call:
        text += f" Cause in this call: {in_call.sentence}"
    return printable(text + ("" if hidden else _called(finding, prepared)))


def blocked(kind: model.Kind, part: str, see: str) -> str:
    """Return the message of a check that waits until the values are right. ``see``: the title of a check, or ""."""
    return BLOCKED[kind].format(part=part, see=SEE.format(see) if see else "")


def hint(cause: model.Cause | None, section: str) -> str:
    """Return what to look at next: the hint of a cause, and the section of the handout."""
    lead = cause.hint if cause else ""
    where = f'See "{section}" in the handout.' if section else ""
    return " ".join(part for part in (lead, where) if part)


class _Facts(dict[str, Any]):
    """Fill template placeholders: from a finding's facts, else from ``DERIVED``, else as in a hidden check."""

    def __init__(self, about: closed.About) -> None:
        super().__init__({name: about.fact(name) for name in about.finding.facts})
        self.about = about
        self.finding, self.prepared = about

    def __missing__(self, key: str) -> Any:
        return DERIVED[key](self) if key in DERIVED else closed.CLOSED[key].said(self.about)


def _called(finding: model.Finding, prepared: model.Prepared | None) -> str:
    """Return `` Called: NAME(...)`` with names and shapes; empty where the step makes no call."""
    step = _step(finding, prepared)
    if prepared is None or not isinstance(step, protocol.Call | protocol.Make):
        return ""
    return f" Called: {_expression(step, prepared.program)}"


def _expression(step: protocol.Call | protocol.Make, program: protocol.Program) -> str:
    def show(arg: Any) -> str:
        if not isinstance(arg, protocol.Ref):
            text = repr(arg)
            return text if len(text) <= 60 else text[:57] + "..."
        array = program.arrays.get(arg.name)
        return arg.name if array is None else f"{vocabulary.without_turn(arg.name, program)} {tuple(array.shape)}"

    args = [show(a) for a in step.args] + [f"{k}={show(v)}" for k, v in step.kwargs.items()]
    return f"{_made_by(step.name, program)}({', '.join(args)})"


def _made_by(name: str, program: protocol.Program) -> str:
    """Return ``BahdanauAttention(5, 3, 11).score`` for ``attention.score``."""
    first, _, rest = name.partition(".")
    made = program.named.get(first)
    return _expression(made, program) + (f".{rest}" if rest else "") if isinstance(made, protocol.Make) else name


def _step(finding: model.Finding, prepared: model.Prepared | None) -> protocol.Step | None:
    return prepared.program.named.get(finding.step) if prepared else None


def _subject(facts: _Facts) -> str:
    return vocabulary.subjects(facts.prepared).get(facts.finding.step, facts.finding.step)


def _error(facts: _Facts) -> str:
    raised: protocol.Raised = facts["raised"]
    return f"{raised.type}: {raised.message}" if raised.message else raised.type


def _place(facts: _Facts) -> str:
    raised: protocol.Raised = facts["raised"]
    return f" (line {raised.line}: {raised.code})" if raised.line else ""


def _stub(facts: _Facts) -> str:
    raised: protocol.Raised = facts["raised"]
    return f" See line {raised.line}." if raised.line else ""


def _worst(facts: _Facts) -> str:
    """Return how many entries differ, and one of them: the first of integers and truth values, else the worst."""
    found: Difference = facts["difference"]
    actual, expected = _numbers(found.actual, found.expected)
    if found.total == 1:
        return f"Got {actual}, expected {expected}.{_relations(facts)}{_others(facts)}"
    entries = f"{found.wrong} of {found.total} entries {'differs' if found.wrong == 1 else 'differ'}"
    which = "first" if isinstance(found.expected, int) else "largest"
    example = f"The {which} difference is at {found.index}: got {actual}, expected {expected}."
    return f"{entries}. {example}{_relations(facts)}{_others(facts)}"


def _relations(facts: _Facts) -> str:
    """Return how a wrong result comes from the right one, if that shows. It may be another result of the call."""
    told: tuple[str, list[Relation]] | None = facts.finding.facts.get("relations")
    if told is None:
        return ""
    name, found = told
    is_other = name != facts["output"]
    difference: Difference | None = facts.finding.facts.get("difference")
    single = not is_other and difference is not None and difference.total == 1
    text = " ".join(relations.sentence(_named(one, facts), single) for one in found)
    return f" In {name}: {text[0].lower()}{text[1:]}" if is_other else f" {text}"


def _named(relation: Relation, facts: _Facts) -> Relation:
    """Return the relation with an input's name as it is told."""
    if isinstance(relation.what, str) and facts.prepared:
        return relation._replace(what=vocabulary.without_turn(relation.what, facts.prepared.program))
    return relation


def _others(facts: _Facts) -> str:
    """Return which other results of a call are wrong too, and which are right."""
    known = {"Also wrong": facts.finding.facts.get("also_wrong"), "Right": facts.finding.facts.get("right")}
    return "".join(f" {word}: {', '.join(names)}." for word, names in known.items() if names)


def _numbers(actual: Any, expected: Any) -> tuple[str, str]:
    """Return two different numbers with as many digits as show the difference: 6, where that is enough."""
    if not isinstance(actual, float) or not isinstance(expected, float):
        return str(actual), str(expected)
    texts = ((f"{actual:.{digits}g}", f"{expected:.{digits}g}") for digits in (6, 9, 12))
    found = next(((one, other) for one, other in texts if one != other), None)
    return found or (f"{expected:.6g} {actual - expected:+.1g}", f"{expected:.6g}")


def _trouble(facts: _Facts) -> str:
    """Return what is wrong with a module's parameters and buffers."""
    parts = []
    if facts["missing"]:
        parts.append("missing " + ", ".join(facts["missing"]))
    if facts["extra"]:
        parts.append("not in the docstring: " + ", ".join(facts["extra"]))
    for name, (actual, expected) in facts["wrong"].items():
        parts.append(f"{name} has shape {actual}, expected {expected}")
    if facts["frozen"]:
        parts.append("not trainable: " + ", ".join(facts["frozen"]))
    if facts["buffers"]:
        parts.append("some buffers need persistent=False: " + ", ".join(facts["buffers"]))
    return "; ".join(parts)


def _yours(facts: _Facts) -> str:
    """Return how the arguments of a function differ from those that it must take."""
    actual, expected = ([name for name in facts[which].split(", ") if name] for which in ("actual", "expected"))
    if actual == expected[1:] and "." in _subject(facts):
        return " `self` is missing."
    missing = [f"`{name}`" for name in expected if name not in actual]
    extra = [f"`{name}`" for name in actual if name not in expected]
    if missing:
        count = "argument" if len(missing) == 1 else "arguments"
        yours = f" (yours: {', '.join(extra)})" if extra else ""
        return f" It has no {count} {', '.join(missing)}{yours}."
    if extra:
        first = next(place for place, name in enumerate(actual) if name not in expected)
        if later := [f"`{name}`" for name in actual[first:] if name in expected]:
            return f" {extra[0]} stands before {later[0]}: arguments of your own come last, with defaults."
        return f" It must not require {', '.join(extra)}."
    if optional := facts.finding.facts.get("without_default"):
        return f" {', '.join(f'`{name}`' for name in optional)} must have a default: the call may leave it out."
    return f" It takes ({', '.join(actual)})."


def _axes(facts: _Facts) -> str:
    """Return which axis is missing, or is there twice; empty where the program is unknown."""
    sentence = closed.shape_error(facts.about)
    return f" {sentence}" if sentence else ""


# placeholder -> its text in a public check, where the text is not a fact itself
DERIVED: dict[str, Callable[[_Facts], Any]] = {
    "subject": _subject,
    "axes": _axes,
    "error": _error,
    "place": _place,
    "stub": _stub,
    "worst": _worst,
    "related": _relations,
    "entry": lambda facts: _numbers(facts["actual"], 0.0)[0],
    "trouble": _trouble,
    "why": lambda facts: facts["raised"].message,
    "arguments": lambda facts: facts["expected"],
    "yours": _yours,
    "names": lambda facts: ", ".join(facts["expected"]),
    "count": lambda facts: len(facts["expected"]),
    "function": lambda facts: vocabulary.function(facts["operation"]),
    "where": lambda facts: "",  # unless the source shows it
}
