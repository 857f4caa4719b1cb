"""Audits of one assignment. Needs a checkout: importing this raises ModuleNotFoundError in a student's installation."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from autograder import model, protocol
from autograder.assignments import places
from autograder.cli.output import print_json
from autograder.grading import suite
from autograder.grading.usual import usual_limits
from autograder.instructor.audit.corpus import CorpusError, Sample, load
from autograder.instructor.audit.figures import Figures, GradedPiece, figures
from autograder.intake.notebook import code_cells
from autograder.protocol.source_text import Kind
from autograder.report import terminal
from autograder.report.auditing import print_figures
from autograder.runs import pool

__all__ = ["CorpusError", "audited", "reported"]


def audited(
    assignment: str,
    folder: Path,
    seed: str,
    dtype: protocol.Dtype | None = None,
    mutants: int = 1,
    wrong: int = 1,
    jobs: int = 1,
) -> Figures:
    """Return the figures of one assignment with the corpus in ``folder``.

    Only every ``mutants``-th mutant (0: none) and every ``wrong``-th wrong submission is graded. ``dtype`` forces
    one dtype on all inputs. Raises ``CorpusError`` or ``SuiteError``.
    """
    corpus = load(folder, places.place(assignment).solution)
    samples = [sample for sample in corpus if sample.sort == "right"]
    samples += [sample for sample in corpus if sample.sort == "wrong"][::wrong]
    if mutants:
        samples += [sample for sample in corpus if sample.sort not in ("right", "wrong")][::mutants]
    samples = [sample for sample in samples if not dtype or sample.only in ("", dtype)]
    plan = pool.RunPlan(assignment, seed, usual_limits(assignment), timing=False, dtype=dtype)
    without_causes = msgspec.structs.replace(plan, causes=False)  # faster, and no figure needs them
    judged = [
        *_judged(plan, [sample for sample in samples if sample.causes is not None], jobs),
        *_judged(without_causes, [sample for sample in samples if sample.causes is None], jobs),
    ]
    return figures(suite.full(assignment, seed, timing=False, dtype=dtype).spec, judged)


def reported(found: Iterable[Figures], every_check: bool, as_json: bool) -> int:
    """Print the figures of each assignment when they are there, or all as JSON, and return the exit status."""
    kept = []
    for figures_of_one in found:
        kept.append(figures_of_one)
        if not as_json:
            print_figures(terminal.console(), figures_of_one, every_check)
    if as_json:
        print_json(kept)
    return 0 if all(one.good for one in kept) else 1


def _judged(plan: pool.RunPlan, samples: Sequence[Sample], jobs: int) -> Iterator[GradedPiece]:
    submissions = [_submission(str(number), plan.assignment, sample) for number, sample in enumerate(samples)]
    for submission, grade in pool.grade_all(plan, submissions, jobs):
        yield GradedPiece(samples[int(submission.student)], grade)


def _submission(student: str, assignment: str, sample: Sample) -> model.Submission:
    raw = sample.source.encode()
    kind: Kind = "notebook" if sample.notebook else "script"
    cells = code_cells(raw) if sample.notebook else (raw,)
    return model.Submission(student, "ready", kind, f"{assignment}.{'ipynb' if sample.notebook else 'py'}", cells)
