"""attngrade: an autograded course-assignment harness for attention mechanisms.

The rooms, from the top. A room imports only rooms below it; ``tests/test_rooms.py`` holds the code to that.

    cli/           the command line: app, options, and one module for each command
    integrations/  inside other programs: nbgrader, otter, Gradescope, GitHub, Jupyter, pytest; exports
    report/        results for people: terminal, progress, HTML
    runs/          a class: process pool, cluster, run folder, journal, history, deduplication, regrade
    grading/       one submission: check suite, fingerprints, session with a worker, runner, cache, seed, timing
    author/        what a course's authors write assignments with: one import
    feedback/      what a student reads: messages, causes, names of axes; how a cause is diagnosed
    instructor/    only in a checkout: the oracle plays references, release makes handouts, audit measures the grader,
                   authoring helps authors, repro writes a check as a script for a debugger
    course/        the people's side of a mark: deadlines, lateness, decisions, final scores, who is meant by a name
    intake/        files to submissions, in any layout; rosters
    assignments/   one folder each: checks, speed, causes, axes, expected values, hidden checks and mistakes; the kit
    judge/         compares an answer with what is expected, and scores
    sandbox/       how a process is confined, started and ended
    worker/        runs student code; imports only protocol
    model/         submissions, checks, grades
    protocol/      all that crosses the wall to a worker: programs, answers, arrays, the wire format

A submission takes the way intake, runs, grading, sandbox, worker, and back through judge, feedback and runs to report.
Public paths are ``autograder.cli:main`` and ``autograder.integrations.{jupyter, pytest_checks, nbgrader.autograde,
otter.plugin}``. The references lie beside this package, in ``reference``.
"""

__version__ = "0.1.0"
