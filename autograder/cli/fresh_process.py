"""Commands in a process that has imported none of a course's files yet.

An assignment's files are Python modules, and a process imports a module once. So after a change a new process is
needed. Where processes can be forked, it comes from one that has imported torch and the like already. That saves time.
"""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.process import BaseProcess

from autograder.model.courses import COURSE_VARIABLE

PRELOADED = ["torch", "numpy", "msgspec", "click", "rich.console", "jinja2", "jupytext", "pygments", "yaml"]


def run_in_turn(commands: Sequence[Sequence[str]]) -> None:
    """Run commands of attngrade, one after another, until one fails."""
    work = (commands, os.environ.get(COURSE_VARIABLE, ""))
    process: BaseProcess
    if "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        process = context.Process(target=_run, args=work)
    else:
        process = multiprocessing.get_context("spawn").Process(target=_run, args=work)
    process.start()
    process.join()


def _run(commands: Sequence[Sequence[str]], folders: str) -> None:
    from autograder.cli import app

    os.environ[COURSE_VARIABLE] = folders  # the process from which this one is forked may have begun with others
    for words in commands:
        if status := app.run(list(words)):
            sys.exit(status)
