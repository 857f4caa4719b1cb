"""Submissions in flight through a ``concurrent.futures.Executor``, wherever its workers are."""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import Generic, TypeVar

from autograder import model

T = TypeVar("T")


class InFlight(Generic[T]):
    """Keeps enough submissions in flight that no worker waits, and no more: memory and queues stay small."""

    def __init__(self, submissions: Iterable[model.Submission]) -> None:
        self.source = iter(submissions)
        self.todo: deque[model.Submission] = deque()
        self.running: dict[futures.Future[T], model.Submission] = {}

    def through(
        self, send: Callable[[model.Submission], futures.Future[T]], most: Callable[[], int], tick: float | None = None
    ) -> Iterator[tuple[model.Submission, futures.Future[T]]]:
        """Yield each submission with its finished future, in the order in which they finish.

        ``most`` returns how many may be in flight; it is called at least every ``tick`` seconds. A submission stays in
        ``running`` until the next one is requested. To send it again, leave the loop and call ``put_back``.
        """
        while self._fill(send, most()):
            done, _ = futures.wait(self.running, tick, futures.FIRST_COMPLETED)
            for future in done:
                yield self.running[future], future
                del self.running[future]

    def put_back(self) -> None:
        """Send what was in flight again, before anything else."""
        self.todo.extendleft(self.running.values())
        self.running.clear()

    def rest(self) -> Iterator[model.Submission]:
        """Return what was not sent."""
        return itertools.chain(self.todo, self.source)

    def _fill(self, send: Callable[[model.Submission], futures.Future[T]], most: int) -> bool:
        """Send until ``most`` are in flight. Return whether any are."""
        while len(self.running) < most:
            self.todo.extend(itertools.islice(self.source, 0 if self.todo else 1))
            if not self.todo:
                break
            self.running[send(self.todo[0])] = self.todo[0]
            self.todo.popleft()
        return bool(self.running)
