"""Declarations in the making: lines of ``checks.py`` as texts, which can be changed, and built as the author would."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from autograder.assignments import places
from autograder.assignments.kit.calls import Call, Module
from autograder.assignments.kit.inputs import names_in

UNSEEN = {"result": ""}  # in place of results that nobody has seen yet
LITERAL = re.compile(r'"([^"]*)"')


@cache
def vocabulary() -> dict[str, Any]:
    """Return the names that authors write checks with."""
    author = places.imported("autograder.author")  # as the lines themselves will do
    return {name: getattr(author, name) for name in author.__all__}


class ModuleDraft(msgspec.Struct, frozen=True):
    """A class with its constructor's arguments and its weights. ``init`` holds texts, or other classes' drafts.

    ``rules`` are for sizes, as lines. ``tag`` tells drafts of one class apart.
    """

    name: str
    init: tuple[str | ModuleDraft, ...] = ()
    weights: dict[str, str] = {}
    numpy: bool = False
    tag: str = ""
    rules: dict[str, str] = {}

    @property
    def variable(self) -> str:
        """The name of the declaration."""
        return constant_name(self.name, "class", self.tag)

    @property
    def text(self) -> str:
        """The declaration as a line."""
        given = [one if isinstance(one, str) else one.variable for one in self.init]
        options = [f"init=[{', '.join(given)}]"] if given else []
        options += [f"weights={mapping(self.weights)}"] if self.weights else []
        options += _options(self.rules, self.numpy)
        return f"module({', '.join([quoted(self.name), *options])})"

    @property
    def inner(self) -> list[ModuleDraft]:
        """The classes whose objects the constructor takes, and those that they take."""
        return [each for one in self.init if isinstance(one, ModuleDraft) for each in (*one.inner, one)]

    @property
    def axes(self) -> list[str]:
        """The names of its axes, and of those of the objects that its constructor takes."""
        own = [one for one in self.init if isinstance(one, str) and ("@" in one or not one.startswith("constant("))]
        return names_in([*axes_in(own), *(axis for one in self.inner for axis in one.axes)])

    def built(self) -> Module:
        """Return what the line declares."""
        made: Module = evaluated(self.text, {one.variable: one.built() for one in self.inner})
        return made

    def with_axis(self, axis: str, other: str) -> ModuleDraft:
        """Return the draft with another name for an axis, or with a rule for its size."""
        if not other.isidentifier():
            return replace(self, rules=self.rules | {axis: other})
        init = tuple(
            rewritten(one, axis, other) if isinstance(one, str) else self._inner(one, axis, other) for one in self.init
        )
        weights = {name: replaced(axes, axis, other) for name, axes in self.weights.items()}
        return replace(self, init=init, weights=weights, rules=_renamed(self.rules, axis, other))

    def _inner(self, one: ModuleDraft, axis: str, other: str) -> ModuleDraft:
        """Return an inner draft with another name for an axis. If that changes it, it gets a tag of its own."""
        changed = one.with_axis(axis, other)
        return one if changed == one else replace(changed, tag="-".join(filter(None, [one.tag, "of", self.name])))


class CallDraft(msgspec.Struct, frozen=True):
    """A call: its arguments and its results. ``words`` say what is special about a tagged one: ``with dim=0``."""

    name: str
    method: str = ""
    arguments: dict[str, str] = {}
    returns: dict[str, str] = {}
    module: ModuleDraft | None = None
    numpy: bool = False
    tag: str = ""
    words: str = ""
    trains: bool = False  # its first arguments are the module and an optimizer
    rules: dict[str, str] = {}

    @property
    def variable(self) -> str:
        """The name of the declaration."""
        if self.module is None or self.trains:
            return constant_name(self.name, self.tag)
        return constant_name(f"{self.module.name}_{self.method or 'call'}", self.module.tag, self.tag)

    @property
    def text(self) -> str:
        """The declaration as a line."""
        given = [f"{name}={one}" for name, one in self.arguments.items()] + [f"returns={mapping(self.returns)}"]
        if self.module is None or self.trains:
            return f"function({', '.join([quoted(self.name), *given, *_options(self.rules, self.numpy)])})"
        given += _options(self.rules, False)
        return f"{self.module.variable}.call({', '.join([*([quoted(self.method)] if self.method else []), *given])})"

    @property
    def modules(self) -> list[ModuleDraft]:
        """The classes that must be declared first."""
        return [*self.module.inner, self.module] if self.module else []

    @property
    def label(self) -> str:
        """The name for messages: ``LuongAttention(general).score``."""
        setting = f"({self.module.tag})" if self.module and self.module.tag else ""
        return ".".join(filter(None, [f"{self.name}{setting}", self.method]))

    def built(self) -> Call:
        """Return what the line declares. Raises whatever a wrong line raises."""
        if not self.returns:
            return replace(self, returns=UNSEEN).built()
        made: Call = evaluated(self.text, {one.variable: one.built() for one in self.modules})
        return made

    def with_axis(self, axis: str, other: str) -> CallDraft:
        """Return the draft with another name for an axis, or with a rule for its size: of its class, if it has it."""
        if not other.isidentifier():
            if self.module and not self.trains and axis in self.module.axes:
                return replace(self, module=self.module.with_axis(axis, other))
            return replace(self, rules=self.rules | {axis: other})
        arguments = {name: rewritten(one, axis, other) for name, one in self.arguments.items()}
        returns = {name: replaced(axes, axis, other) for name, axes in self.returns.items()}
        module = self.module.with_axis(axis, other) if self.module else None
        rules = _renamed(self.rules, axis, other)
        return replace(self, arguments=arguments, returns=returns, module=module, rules=rules)

    def giving(self, **arguments: str) -> CallDraft:
        """Return the draft with other arguments. One before it that has a default must be given as well."""
        return replace(self, arguments=self.arguments | arguments)


def _options(rules: Mapping[str, str], numpy: bool) -> list[str]:
    given = ", ".join(f"{quoted(axis)}: {rule}" for axis, rule in rules.items())
    return [*([f"sizes={{{given}}}"] if given else []), *(["numpy=True"] if numpy else [])]


def _renamed(rules: Mapping[str, str], axis: str, other: str) -> dict[str, str]:
    return {replaced(name, axis, other): rewritten(rule, axis, other) for name, rule in rules.items()}


def evaluated(text: str, names: Mapping[str, Any] | None = None, defines: str = "") -> Any:
    """Return the value of a line that was written here, or in the author's own INPUTS; after some definitions."""
    scope = {**vocabulary(), **(names or {})}
    exec(defines, scope)  # noqa: S102 - what was written here
    return eval(text, scope)


def constant_name(*words: str) -> str:
    """Return a name for a declaration: ``LUONG_ATTENTION_GENERAL``."""
    text = "_".join(filter(None, words))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    return re.sub(r"\W+", "_", spaced).upper().strip("_")


def constant_of(value: object) -> str:
    """Return a constant as an author writes it. A bare text would be a text of axes."""
    return f"constant({quoted(value) if isinstance(value, str) else repr(value)})"


def quoted(text: str) -> str:
    """Return a text as a literal with double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mapping(table: Mapping[str, str]) -> str:
    """Return a table of texts as a literal."""
    return "{" + ", ".join(f"{quoted(key)}: {quoted(value)}" for key, value in table.items()) + "}"


def rewritten(text: str, axis: str, other: str) -> str:
    """Return a line with another name for an axis, in all its literals."""
    return LITERAL.sub(lambda match: quoted(replaced(match[1], axis, other)), text)


def replaced(axes: str, axis: str, other: str) -> str:
    """Return axes with another name for one."""
    return re.sub(rf"\b{axis}\b", other, axes)


def axes_in(lines: Iterable[str]) -> Iterator[str]:
    """Yield the texts of all literals in some lines."""
    for line in lines:
        yield from (match[1].removeprefix("@") for match in LITERAL.finditer(line))
