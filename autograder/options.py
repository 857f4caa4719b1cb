"""Arguments and options that several commands have."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from autograder.model import TOPICS


class Group(click.Group):
    """Says what was probably meant where a command does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """See click."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            near = difflib.get_close_matches(name, self.commands, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(self.commands))}"
            raise click.UsageError(f"no command {name!r}; {meant}")
        return super().resolve_command(ctx, args)


topic_argument = click.argument("topic", type=click.Choice(TOPICS), metavar="TOPIC")
assignment_option = click.option(
    "--assignment", "-a", type=click.Choice(TOPICS), help="Which assignment it is."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
seed_option = click.option(
    "--seed-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with the course's secret seed [default: $ATTNGRADE_SEED, else your own file, made on first use].",
)
device_option = click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    help="Where the tensors of the checks live.",
)
roster_option = click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file with everybody in the course; also a gradebook or worksheet that an LMS exported.",
)
unconfined_option = click.option(
    "--unconfined",
    is_flag=True,
    help="Grade even where workers can't be confined (see doctor); reports say so.",
)
scheduler_option = click.option("--scheduler", metavar="ADDRESS|FILE",
    help="Grade on a Dask cluster: tcp://host:8786, or the scheduler's file. Its network must be trusted.")  # fmt: skip
wait_option = click.option("--wait", type=click.FloatRange(0.1), default=60, show_default=True,
    help="For how many seconds a cluster may be without workers.")  # fmt: skip
