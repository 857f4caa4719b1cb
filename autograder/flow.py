"""Submissions on their way through a ``concurrent.futures.Executor``, wherever its workers are."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import Generic, TypeVar

from autograder import model

T = TypeVar("T")


class Flow(Generic[T]):
    """Keeps enough submissions under way that nobody waits, and no more, so that neither memory nor queues grow with
    their number."""

    def __init__(self, submissions: Iterable[model.Submission]) -> None:
        self.source = iter(submissions)
        self.todo: deque[model.Submission] = deque()
        self.running: dict[futures.Future[T], model.Submission] = {}

    def through(
        self,
        send: Callable[[model.Submission], futures.Future[T]],
        most: Callable[[], int],
        tick: float | None = None,
    ) -> Iterator[tuple[model.Submission, futures.Future[T]]]:
        """Each submission with its future, which is done, in the order in which they end. ``most`` is asked, at least
        every ``tick`` seconds, how many may be under way. Who can't use what came out of a future leaves the loop
        and calls ``put_back``: a submission stays in ``running`` until the next is asked for."""
        while self._fill(send, most()):
            done, _ = futures.wait(self.running, tick, futures.FIRST_COMPLETED)
            for future in done:
                yield self.running[future], future
                del self.running[future]

    def put_back(self) -> None:
        """What was under way is to be sent again, before anything else."""
        self.todo.extendleft(self.running.values())
        self.running.clear()

    def rest(self) -> Iterator[model.Submission]:
        """What was not sent."""
        return itertools.chain(self.todo, self.source)

    def _fill(self, send: Callable[[model.Submission], futures.Future[T]], most: int) -> bool:
        while len(self.running) < most:
            self.todo.extend(itertools.islice(self.source, 0 if self.todo else 1))
            if not self.todo:
                break
            self.running[send(self.todo[0])] = self.todo[0]
            self.todo.popleft()
        return bool(self.running)
