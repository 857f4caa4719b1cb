"""Puts findings into sentences. The only prose of the grader, and what keeps hidden inputs hidden.

A message for a public check says what was called, what came and what was due. One for a hidden check
says what property was not met, in words that hold for any input: no number of a hidden case appears.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder import axes, model
from autograder.causes import CAUSES
from autograder.compare import Difference
from autograder.sentences import MET, SENTENCES, SPEED

LIMIT = 2000


def speed(of: str, verdict: str, facts: dict[str, Any]) -> str:
    """What is said of a measurement that costs no points."""
    return SPEED[f"{of}-{verdict}"].format_map(facts)


def message(
    finding: model.Finding,
    prepared: model.Prepared | None,
    hidden: bool,
    kind: model.Kind = "value",
    cause: str | None = None,
) -> str:
    """What is said of a finding of a check, and of its cause: at most 2,000 printable characters."""
    general, particular = SENTENCES[finding.symptom]
    words = _Words(finding, prepared, hidden)
    text = (MET.get(kind, "") if finding.symptom == "wrong-values" else "") + general.format_map(words)
    if not hidden:
        text += particular.format_map(words)
    if cause in CAUSES:
        text += f" Cause: {CAUSES[cause].sentence}"
    return printable(text + ("" if hidden else _called(finding, prepared)))


def hint(diagnosis: str | None, section: str) -> str:
    """What to look at next: a lead, and where the handout explains it."""
    lead = CAUSES[diagnosis].hint if diagnosis in CAUSES else ""
    where = f'See "{section}" in the handout.' if section else ""
    return " ".join(part for part in (lead, where) if part)


def printable(text: str, limit: int = LIMIT) -> str:
    """Text without line ends, control characters and direction marks, cut to ``limit``."""
    clean = text[: limit + 1]
    if not clean.isprintable():
        clean = "".join(c if c.isprintable() else " " if c in "\n\t" else "?" for c in clean)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


class _Words(dict[str, Any]):
    """Looks facts up by the names that the sentences use."""

    def __init__(self, finding: model.Finding, prepared: model.Prepared | None, hidden: bool) -> None:
        super().__init__(finding.facts)
        self.finding = finding
        self.prepared = prepared
        self.hidden = hidden

    def __missing__(self, key: str) -> Any:
        return WORDS[key](self)


def _called(finding: model.Finding, prepared: model.Prepared | None) -> str:
    """`` Called: bahdanau(...)`` with names and shapes, where a call was made."""
    step = _step(finding, prepared)
    if prepared is None or not isinstance(step, model.Call | model.Make):
        return ""
    return f" Called: {_expression(step, prepared.program)}"


def _expression(step: model.Call | model.Make, program: model.Program) -> str:
    def show(arg: Any) -> str:
        if not isinstance(arg, model.Ref):
            text = repr(arg)
            return text if len(text) <= 60 else text[:57] + "..."
        array = program.arrays.get(arg.name)
        return arg.name if array is None else f"{arg.name} {tuple(array.shape)}"

    args = [show(a) for a in step.args] + [f"{k}={show(v)}" for k, v in step.kwargs.items()]
    return f"{_made_by(step.name, program)}({', '.join(args)})"


def _made_by(name: str, program: model.Program) -> str:
    """``attention.score`` as ``BahdanauAttention(5, 3, 11).score``."""
    first, _, rest = name.partition(".")
    made = program.named.get(first)
    return _expression(made, program) + (f".{rest}" if rest else "") if isinstance(made, model.Make) else name


def _step(finding: model.Finding, prepared: model.Prepared | None) -> model.Step | None:
    return prepared.program.named.get(finding.step) if prepared else None


def _subject(words: _Words) -> str:
    step = _step(words.finding, words.prepared)
    name = getattr(step, "name", getattr(step, "module", words.finding.step))
    if words.prepared is None:
        return str(name)
    first, _, rest = str(name).partition(".")
    for made in words.prepared.program.steps:
        if isinstance(made, model.Make) and made.into == first:
            return f"{made.name}.{rest or 'forward'}" if isinstance(step, model.Call) else made.name
    return str(name)


def _error(words: _Words) -> str:
    """What was raised; of a hidden case without its text, in which a student could write the inputs down."""
    raised: model.Raised = words["raised"]
    if words.hidden:
        return raised.bases[0] if raised.bases else "an exception"
    return f"{raised.type}: {raised.message}" if raised.message else raised.type


def _place(words: _Words) -> str:
    raised: model.Raised = words["raised"]
    if not raised.line:
        return ""
    return f" (line {raised.line})" if words.hidden else f" (line {raised.line}: {raised.code})"


def _worst(words: _Words) -> str:
    found: Difference = words["difference"]
    which = f"{found.wrong} of {found.total} entries differ; the worst" if found.total > 1 else "It"
    at = f", at {found.index}," if found.index else ""
    came, due = _number(found.came), _number(found.due)
    if came == due:  # the digits that differ come later
        came, due = str(found.came), str(found.due)
    return f"{which}{at} is {came}; {due} was due."


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _why(words: _Words) -> str:
    """What is not there; of a hidden case not in the words of the answer."""
    if words.hidden and " parameter" in words["raised"].message:
        return f"The parameters of {_subject(words)} are not those of the docstring"
    if words.hidden:
        return f"{_subject(words)}, or a part of it that is needed, is not defined"
    return str(words["raised"].message)


def _trouble(words: _Words) -> str:
    parts = []
    if words["missing"]:
        parts.append("missing " + ", ".join(words["missing"]))
    if words["extra"]:  # names of the student's own making, which could hold a hidden size
        parts.append("more than there should be" + ("" if words.hidden else ": " + ", ".join(words["extra"])))
    for name, (came, due) in words["wrong"].items():
        parts.append(f"{name} has a wrong shape" if words.hidden else f"{name} has shape {came}, not {due}")
    if words["frozen"]:
        parts.append("not trainable: " + ", ".join(words["frozen"]))
    if words["buffers"]:
        names = "" if words.hidden else ": " + ", ".join(words["buffers"])
        parts.append(f"persistent buffers, which should have persistent=False{names}")
    return "; ".join(parts)


def _counted(words: _Words) -> str:
    """What a loop looks like from outside: operations that grow with the size."""
    (small, few), (large, many) = words["operations"]
    if not few or many < 2 * few:
        return ""
    return f" It runs {many} torch operations for {large} {words['axis']} and {few} for {small}: a loop over them."


def _names(words: _Words) -> str:
    return ", ".join(words["due"])


def _axes(words: _Words) -> str:
    """Which axis is missing, or there twice."""
    if words.prepared is None:
        return ""
    program, finding = words.prepared.program, words.finding
    sentence = axes.told(program, finding.step, words["output"], words["came"], words["due"])
    return f" {sentence}" if sentence else ""


WORDS: dict[str, Callable[[_Words], Any]] = {
    "subject": _subject,
    "axes": _axes,
    "error": _error,
    "place": _place,
    "worst": _worst,
    "trouble": _trouble,
    "names": _names,
    "counted": _counted,
    "count": lambda words: len(words["due"]),
    "why": _why,
    "where": lambda words: "",  # unless the source says it
    "Came": lambda words: str(words["came"])[:1].upper() + str(words["came"])[1:],
}
