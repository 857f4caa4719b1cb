"""Judge each part with right parts in place of the wrong ones that it uses (contract, section 4).

A part may use those before it (``Spec.parts``). Where one of these is wrong, the later part's failing checks are asked
again in a new worker. It has the solution's parts in place of the wrong ones. What holds there failed only because of
the earlier part.

A worker with right parts counts as one that knows secrets: nothing that it says is shown, and it is never asked about a
part that it has a right one for. Parts form a line, so no two wrong parts can each be right by the help of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder import protocol
from autograder.assignments import places
from autograder.feedback.diagnose import FailedCheck
from autograder.grading.findings import Findings
from autograder.grading.given import given_names
from autograder.grading.precision import forgive_guards
from autograder.grading.responses import import_trouble
from autograder.grading.right_source import reduced
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.judge import source

Failing = dict[str, FailedCheck]  # by the id of the check


def solution(assignment: str) -> bytes | None:
    """Return the source of the solution; None where it is not installed."""
    file = places.place(assignment).solution
    return file.read_bytes() if file.is_file() else None


class Isolation:
    """One submission's failing checks, part by part.

    ``failing`` holds the checks that fail for a reason of their own part, ``follows`` the others: check -> the part
    whose mistake made it fail. ``answers`` holds the answers of workers with right parts, by case. ``right`` holds the
    right parts that a part needs, and ``asked`` the checks that were asked again with them. Call ``close`` at the end.
    """

    def __init__(self, session: Session, findings: Findings) -> None:
        self.session = session
        self.suite = session.suite
        self.findings = findings
        self.failing: Failing = findings.failed()
        self.follows: dict[str, str] = {}
        self.answers: dict[str, protocol.Answer | None] = {}
        self.right: dict[str, protocol.RightParts] = {}
        self.asked: set[str] = set()
        self._sessions: dict[str, Session] = {}  # by part
        self._solution = solution(self.suite.spec.assignment) if self.suite.play else None
        if self._solution and self.failing:
            try:
                self._judge_parts(self._solution)
            except BaseException:
                self.close()
                raise

    def rerun(self, program: protocol.Program) -> tuple[protocol.Answer | None, ...]:
        """Answer a program several times in a new worker, with the right parts that its part was judged with."""
        parts = {check.part for check in self.suite.spec.checks if check.id in self.asked}
        right = next((self.right[part] for part in parts & program.classes), None)
        return (self._beside(self.suite, right) if right else self.session).rerun(program)

    def session_of(self, part: str) -> Session:
        """Return the session in which a part is judged: with the right parts that it needs."""
        if part in self.right and part not in self._sessions:
            self._sessions[part] = self._beside(self.suite, self.right[part])
        return self._sessions.get(part, self.session)

    def right_for(self, part: str) -> tuple[str, ...]:
        """Return the parts in whose place a part was judged with right ones."""
        return self.right[part].names if part in self.right else ()

    def beside_right(self, part: str, names: Iterable[str]) -> Session | None:
        """Return a new session for ``part`` in which ``names`` are right too, beside those of ``right_for``.

        None without names, or without a solution. The caller ends the session.
        """
        already, added = self.right_for(part), tuple(names)
        if not added or not self._solution:
            return None
        return self._beside(self.suite, self._right_parts(self._solution, part, already + added))

    def close(self) -> None:
        """End the workers that hold right parts."""
        for session in self._sessions.values():
            session.end()

    def _judge_parts(self, text: bytes) -> None:
        wrong: list[str] = []
        for part in self.suite.spec.parts:
            own = [name for name, one in self.failing.items() if one.check.part == part]
            programs = [self.suite.prepared[case].program for check in own for case in self.failing[check].findings]
            used = tuple(name for name in wrong if self.uses(part, name, programs))
            if used:
                self.right[part] = self._right_parts(text, part, used)
            if used and own:
                self._ask_again(part, own)
            if any(name in self.failing for name in own):
                wrong.append(part)

    def _right_parts(self, text: bytes, part: str, names: tuple[str, ...]) -> protocol.RightParts:
        """Return right parts for a worker that is asked about ``part``: it holds neither that nor later ones."""
        parts, given = self.suite.spec.parts, given_names(self.suite.spec.assignment)
        source_of_names = reduced(text, (*names, *given), parts[parts.index(part) :])
        kept = tuple(name for name in parts if name not in names)
        return protocol.RightParts(source_of_names, names, kept, given)

    def uses(self, part: str, name: str, programs: Iterable[protocol.Program]) -> bool:
        """Whether a part uses another one, as the source shows, or as its ``programs`` do."""
        read, given = source.read(self.session.submission), given_names(self.suite.spec.assignment)
        named = set().union(*(program.classes | program.parts for program in programs))
        return read.uses(part, name) or name in named or any(read.uses(one, name) for one in named & set(given))

    def _ask_again(self, part: str, names: Sequence[str]) -> None:
        narrow = self.suite.narrowed({name: self.findings.cases(name) for name in names})
        findings = Findings(narrow, self.session.submission)
        session = self._sessions[part] = self._beside(narrow, self.right[part])
        responses = session.run(findings.judge)
        forgive_guards(session, findings)
        if import_trouble(responses.loaded) or responses.exhausted:
            return
        failed = findings.failed()
        for name in names:
            if name in failed:
                self.failing[name] = failed[name]
            else:
                del self.failing[name]
                self.follows[name] = self.right[part].names[0]
        self.asked.update(names)
        self.answers.update({case: responses.answer(case) for case in narrow.prepared})

    def _beside(self, suite: CheckSuite, right: protocol.RightParts) -> Session:
        session = Session(suite, self.session.launcher, self.session.submission, right=right)
        session.allowance = self.session.allowance
        return session
