"""Groups of commands that import a command only when it is called."""

import pkgutil
from importlib import import_module
from typing import Any

import click
from click.exceptions import NoSuchCommand


class LazyGroup(click.Group):
    """A group whose commands are the modules of a package. The module ``grade`` holds ``grade_command``.

    So that ``attngrade list`` starts fast, a module is imported only for its command's call or help.
    """

    def __init__(self, *args: Any, package: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(import_module(self.package).__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = getattr(import_module(f"{self.package}.{cmd_name}"), f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the command that was probably meant, if there is no command of that name."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=self.list_commands(ctx), ctx=ctx) from None
