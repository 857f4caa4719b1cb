"""Arguments and options that several commands share."""

from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any, get_args

import click

from autograder import protocol
from autograder.assignments import NAMES
from autograder.model.courses import WHERE

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


class _Assignment(click.Choice[str]):
    """The name of an assignment."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message about another name."""
        return f"{super().get_invalid_choice_message(value, ctx)} {WHERE[0].upper()}{WHERE[1:]}."


ASSIGNMENT = _Assignment(NAMES)

assignment_argument = click.argument("assignment", type=ASSIGNMENT, metavar="ASSIGNMENT")
assignment = partial(click.option, "--assignment", "-a", type=ASSIGNMENT, help="Name of the assignment.")
names = click.argument("names", nargs=-1, metavar="[ASSIGNMENT]...")  # of a course's own
out = partial(click.option, "--out", "-o", type=FOLDER)
device = partial(
    click.option, "--device", type=click.Choice(get_args(protocol.Device)), help="Device of the tensors in the checks."
)
jobs = click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), help="Number of submissions graded at a time [default: one per core]."
)
no_timing = click.option("--no-timing", is_flag=True, help="Leave the timing checks out.")
STRICT = "Charge every failed check in full, also where one mistake explains several."
hidden_titles = partial(
    click.option,
    "--hidden-titles/--no-hidden-titles",
    help="Show students the titles of hidden checks, not only numbers.",
)
json = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
watch = click.option("--watch", is_flag=True, help="Stay, and do it again whenever you save; Ctrl-C ends it.")
seed_file = click.option(
    "--seed-file",
    type=FILE,
    help="File with the course's secret seed [default: $ATTNGRADE_SEED, else your own file, made on first use].",
)
roster = click.option(
    "--roster",
    type=FILE,
    help="CSV file with everybody in the course: a roster, or the gradebook or worksheet that an LMS exports.",
)
address = click.option(
    "--address",
    metavar="URL|FOLDER",
    help="Where students get attngrade [default: $ATTNGRADE_STUDENTS_URL, else what attngrade students remembers].",
)
key = click.option("--key", type=FILE, help="Key file of grade --anonymous: shows names in place of its ids.")


def _key(context: click.Context, option: click.Parameter, path: Path | None) -> bytes:
    """Return the bytes of a key file without the line's end; none without a file."""
    if path is None:
        return b""
    try:
        found = path.read_bytes().strip()
    except OSError as error:
        raise click.UsageError(f"{path} can't be read: {error}") from error
    if not found:
        raise click.UsageError(f"{path} is empty; write a long random text into it")
    return found


def token_key(help: str, *names: str) -> Decorator:
    """Return the option that names the key of tokens. The command gets the key's bytes as ``token_key``."""
    return click.option(*(names or ("--token-key",)), "token_key", type=FILE, callback=_key, help=help)


unconfined = click.option(
    "--unconfined", is_flag=True, help="Grade even where workers can't be confined (see doctor); reports say so."
)


def _several(*decorators: Decorator) -> Decorator:
    """Return one decorator that adds several options."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(decorators), command)


cluster = _several(
    click.option(
        "--scheduler",
        metavar="ADDRESS|FILE",
        help="Grade on a Dask cluster: tcp://host:8786, or the scheduler's file. Its network must be trusted.",
    ),
    click.option(
        "--wait",
        type=click.FloatRange(0.1),
        default=60,
        show_default=True,
        help="Number of seconds that a cluster may be without workers.",
    ),
)


def _collect_limit(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Gather the values of all limit options, by the names of ``Limits``, in the command's parameter ``limits``."""
    limits: dict[str, float] = context.params.setdefault("limits", {})
    if option.name == "limit":
        limits.update(map(_name_and_number, value))
    elif option.name == "memory_gb" and value:
        limits["memory_bytes"] = int(value * (1 << 30))
    elif option.name and value:
        limits[option.name] = value


def _name_and_number(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        raise click.UsageError(f"--limit {text}: {value!r} is not a number") from None


_limit = partial(click.option, expose_value=False, callback=_collect_limit)
limits = _several(  # a regrade's defaults are the earlier run's limits
    _limit("--case-seconds", type=click.FloatRange(0.1), help="CPU seconds of one case [default: mostly 6]."),
    _limit("--submission-seconds", type=click.FloatRange(1), help="CPU seconds of a submission [default: mostly 60]."),
    _limit("--memory-gb", type=click.FloatRange(0.1), help="Memory limit of a submission [default: 4]."),
    _limit(
        "--limit",
        multiple=True,
        metavar="NAME=NUMBER",
        help="Another limit: load_seconds=20, cell_seconds=5, answer_bytes=5242880, submission_bytes=67108864, "
        "open_files=64.",
    ),
)
