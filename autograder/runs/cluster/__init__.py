"""Grading on many machines, over Dask: what is sent, what happens at the other end, and who sends it.

Dask's workers are the instructor's own machines and hold all that a grader holds, including references and the seed.
Student code runs there as it does here: in confined children of a fork server, never in a Dask worker itself.
"""

from autograder.runs.cluster.client import Cluster, ClusterError

__all__ = ["Cluster", "ClusterError"]
