"""``build``: everything that is made from something else."""

from __future__ import annotations

from pathlib import Path

import click

import autograder
from autograder import exam, model
from autograder.results import write_whole


def build(only_check: bool) -> int:
    """Makes, or compares, the assignments and the shipped values; 1 where a comparison finds a difference."""
    package = Path(autograder.__file__).parent
    root = package.parent
    if not (root / "solutions").is_dir() or not (root / "reference").is_dir():
        raise click.UsageError(
            "build works in a checkout, where solutions/ and reference/ lie beside autograder/"
        )
    try:
        from autograder.build import build_all
    except ModuleNotFoundError as error:
        raise click.UsageError(f"build needs {error.name}: pip install -e '.[instructor]'") from error
    changed = list(build_all(root, only_check))
    for topic in model.TOPICS:
        path, made = package / "data" / f"{topic}.msgpack", exam.export(topic)
        # Equivalent is enough: another processor may round the last digits otherwise.
        if not path.exists() or not exam.equivalent(path.read_bytes(), made):
            changed.append(str(path.relative_to(root)))
            if not only_check:
                write_whole(path, made)
    for name in changed:
        click.echo(f"{'out of step' if only_check else 'written'}: {name}")
    return 1 if only_check and changed else 0
