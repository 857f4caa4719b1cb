"""Everything of an assignment that can be called, with inputs that work, and other forms of each call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from autograder.instructor.authoring.suggest import classes, finding, inputs, variants
from autograder.instructor.authoring.suggest.candidates import combined
from autograder.instructor.authoring.suggest.classes import Made
from autograder.instructor.authoring.suggest.drafts import CallDraft, quoted, rewritten
from autograder.instructor.authoring.suggest.subjects import Argument, Assignment, Class, Subject
from autograder.instructor.authoring.suggest.trying import Bench, Refused, Tried

Declared = Mapping[str, Mapping[str, str]]  # what is called -> its arguments that the author gives, as lines


class Form(NamedTuple):
    """A call that works. ``is_main``: the first form of it, of which properties are looked for."""

    part: str
    tried: Tried
    is_main: bool
    is_first: bool  # of all settings of its class
    is_opening: bool = False  # of one setting


class Missing(NamedTuple):
    """What can't be called: why, and the line with which the author says what it takes."""

    target: str
    why: str
    line: str

    def __str__(self) -> str:
        return f"{self.target}: {self.why}. Say what it takes: {self.line}"


class Survey:
    """Goes through an assignment. ``forms`` and ``missing`` hold what it found."""

    def __init__(self, bench: Bench, assignment: Assignment, declared: Declared) -> None:
        self.bench = bench
        self.assignment = assignment
        self.declared = declared
        self.made: dict[str, list[Made]] = {}
        self.forms: list[Form] = []
        self.missing: list[Missing] = []
        for part in assignment.parts:
            if isinstance(part, Class):
                self._class(part)
            else:
                self._function(part)

    def _class(self, part: Class) -> None:
        given = self.declared.get(part.name, {})
        try:
            self.made[part.name] = classes.settings(self.bench, part, self.made, self.assignment.numpy, given)
        except Refused as refused:
            arguments = [_example(one) for one in part.constructor.arguments]
            self.missing.append(Missing(part.name, str(refused), _line(part.name, dict(arguments))))
            return
        for at, made in enumerate(self.made[part.name]):
            rewrites, opening = made.rewrites, True
            for method in part.methods:
                draft = CallDraft(
                    part.name, method.method, module=made.draft, numpy=self.assignment.numpy, words=made.words
                )
                found = self._found(method, draft, rewrites, at == 0)
                if found is None:
                    continue
                tried, more = found
                rewrites += more
                assert tried.draft.module is not None
                if tried.draft.module.text != made.draft.text and not opening:  # another declaration than before
                    tried = _tagged(tried, method.method)
                made = made._replace(draft=tried.draft.module or made.draft)  # the other methods need the same
                self._add(method, tried, main=not made.is_extra, first=at == 0, opening=opening)
                opening = False

    def _function(self, part: Subject) -> None:
        names = [one.name for one in part.arguments]
        if "optimizer" in names[:2]:
            self._training(part)
            return
        draft = CallDraft(part.name, numpy=self.assignment.numpy)
        if found := self._found(part, draft, (), True):
            self._add(part, found[0], main=True, first=True)

    def _training(self, part: Subject) -> None:
        """Add the steps of training of each model that a function can train."""
        models = [one.tried.draft.module for one in self.forms if one.tried.draft.module and not one.tried.draft.method]
        unique = list({one.variable: one for one in models if one}.values())
        rest = part._replace(arguments=part.arguments[2:])
        reason: Refused | None = None
        done = False
        for model in unique:
            draft = CallDraft(part.name, module=model, trains=True, tag=combined(model.name, model.tag))
            try:
                tried = finding.found(self.bench, draft, self._choices(rest, draft, ()), changes=False)[0]
            except Refused as refused:
                reason = reason or refused
                continue
            self._add(rest, tried, main=True, first=not done)
            done = True
        if not done:
            why = str(reason or "there is no class whose objects it could train")
            self.missing.append(Missing(part.name, why, _line(part.name, {one.name: "..." for one in rest.arguments})))

    def _found(
        self, subject: Subject, draft: CallDraft, rewrites: Sequence[finding.Rewrite], says: bool
    ) -> tuple[Tried, tuple[finding.Rewrite, ...]] | None:
        choices = self._choices(subject, draft, rewrites)
        try:
            return finding.found(self.bench, draft, choices)
        except Refused as refused:
            if says:
                likely = {name: next(iter(lines), "...") for name, lines in choices.items()}
                self.missing.append(Missing(subject.target, str(refused), _line(declared_as(subject, draft), likely)))
            return None

    def _choices(self, subject: Subject, draft: CallDraft, rewrites: Sequence[finding.Rewrite]) -> dict[str, list[str]]:
        """Return what each required argument may be."""
        given = self.declared.get(declared_as(subject, draft), {})
        known = self.known(subject, draft)
        choices = {}
        for argument in subject.arguments:
            if argument.name in given:
                choices[argument.name] = [given[argument.name]]
            elif argument.is_required:
                lines = inputs.lines(argument, known)
                for axis, other in rewrites:
                    lines = [rewritten(line, axis, other) if other.isidentifier() else line for line in lines]
                choices[argument.name] = list(dict.fromkeys(lines))
        return choices

    def known(self, subject: Subject, draft: CallDraft) -> inputs.Known:
        """Return what is known around the arguments of a subject."""
        axes = tuple(draft.module.axes) if draft.module else ()
        shapes = {one.name: one.shape for one in subject.arguments if one.shape}
        results = (*(axes for _, axes in subject.results), *subject.listed)
        return inputs.Known(axes, shapes, self.assignment.axes, results, subject.strings)

    def _add(self, subject: Subject, tried: Tried, main: bool, first: bool, opening: bool = False) -> None:
        tried = named(self.bench, subject, tried)
        self.forms.append(Form(subject.name, tried, main, first, opening and main))
        if main:
            for other in variants.of(self.bench, subject, tried, self.known(subject, tried.draft)):
                self.forms.append(Form(subject.name, other, False, first))


def named(bench: Bench, subject: Subject, tried: Tried) -> Tried:
    """Return the call with the names that the docstring gives its results."""
    names = [name for name, _ in subject.results]
    usable = len(set(names)) == len(names) == len(tried.draft.returns) and all(name.isidentifier() for name in names)
    if not usable:
        return tried
    draft = replace(tried.draft, returns=dict(zip(names, tried.draft.returns.values(), strict=True)))
    return tried._replace(draft=draft, call=draft.built())


def _tagged(tried: Tried, tag: str) -> Tried:
    """Return the call with another tag of its class."""
    module = tried.draft.module
    assert module is not None
    return tried._replace(draft=replace(tried.draft, module=replace(module, tag=combined(module.tag, tag))))


def declared_as(subject: Subject, draft: CallDraft) -> str:
    """Return the name under which INPUTS speak of a call: ``Layer.forward``, for ``Layer`` is the constructor."""
    return f"{subject.name}.{subject.method or 'forward'}" if draft.module and not draft.trains else subject.name


def _example(argument: Argument) -> tuple[str, str]:
    """Return an argument of a constructor as an example: an axis of its name."""
    return argument.name, quoted(argument.name) if argument.is_required else repr(argument.default)


def _line(target: str, arguments: Mapping[str, str]) -> str:
    given = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"INPUTS = ['{target}({given})']"
