"""Grading on many machines, over Dask: what is sent, what is done at the other end, and who sends it.

Dask's workers are the instructor's own machines and hold all that a grader holds, references and seed too. Student code
runs there as it does here: in the confined children of a fork server, never in a Dask worker itself.
"""

from autograder.cluster.client import Cluster, ClusterError

__all__ = ["Cluster", "ClusterError"]
