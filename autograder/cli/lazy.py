"""Groups of commands that import a command only when it is called."""

import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click
from click.exceptions import NoSuchCommand

from autograder.cli import courses


class LazyGroup(click.Group):
    """A group whose commands are the modules of a package. The module ``grade`` holds ``grade_command``,
    and ``show_weights`` the command ``show-weights``.

    So that ``attngrade list`` starts fast, a module is imported only for its command's call or help. ``sections`` has
    the headings of the help and the commands below each, in order; ``*`` stands for all that are not named.
    """

    def __init__(
        self, *args: Any, package: str, sections: Mapping[str, Sequence[str]] | None = None, **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.package = package
        self.sections = sections or {"Commands": "*"}

    def list_commands(self, ctx: click.Context) -> list[str]:
        modules = pkgutil.iter_modules(import_module(self.package).__path__)
        return sorted(module.name.replace("_", "-") for module in modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"{self.package}.{name}"), f"{name}_command")
        return courses.shown(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section of the help for each kind of reader."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        named = {name for those in self.sections.values() for name in those}
        others = [name for name in names if name not in named]
        for heading, those in self.sections.items():
            rows = []
            for name in (each for one in those for each in (others if one == "*" else [one])):
                command = self.get_command(ctx, name)
                if command is not None and not command.hidden:
                    rows.append((name, command.get_short_help_str(width)))
            with formatter.section(heading):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the command that was probably meant, if there is no command of that name."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=self.list_commands(ctx), ctx=ctx) from None
