"""Where submissions are graded: by processes of this machine, or by a cluster's."""

from __future__ import annotations

from typing import Any

import click

from autograder import bulk
from autograder.cluster import Cluster
from autograder.sandbox import standing


def cluster(plan: bulk.Plan, options: dict[str, Any]) -> Cluster | None:
    """The cluster that was asked for, when it is ready to grade; None: this machine, which is. Raises
    click.UsageError, ClusterError or SandboxError."""
    if not options["scheduler"]:
        standing.layers(options["unconfined"])
        return None
    if options["jobs"]:
        raise click.UsageError(
            "--jobs is for this machine; with --scheduler the workers' threads say how many"
        )
    found = Cluster(options["scheduler"], options["wait"])
    try:
        found.check(plan)
    except BaseException:
        found.close()
        raise
    return found


def told(jobs: int, elsewhere: Cluster | None) -> str:
    """What grades, for people."""
    return f"{jobs} job(s)" if elsewhere is None else f"{elsewhere.threads} thread(s) of a cluster"
