"""One check's cases and a student's code as a Python script."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

import msgspec

from autograder import model
from autograder.instructor.repro import steps
from autograder.instructor.repro.embedding import embedded
from autograder.instructor.repro.expectations import Expectations
from autograder.instructor.repro.literals import Literals
from autograder.model.text import one_line

HEAD = '''\
# STAFF ONLY. This file holds hidden inputs and expected values: never give it to students.
# It runs the student's code WITHOUT the sandbox. Read that code first, or run this where it can do no harm.
#
# {what}
# The student's code: {shown}
# Graded: {graded}
{remarks}#
# python {script}                the whole check
# python {script} --case NAME    one case: {cases}
# python -m pdb -c continue {script} --raise    stops where the student's code raises
"""One check of one student, with all inputs and expected values. Needs torch and NumPy."""

from __future__ import annotations

{imports}

STUDENT_FILE = Path(__file__).with_name({file!r})
MODULE = {module!r}
CELLS = {cells}  # lines at which a notebook's cells start


def array(numbers: Any, dtype: str) -> np.ndarray:
    return np.array(numbers, dtype)


def packed(digest: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode("".join(DATA[digest])), dtype).reshape(shape).copy()


'''
CASE = """\
def {function}(student: Any) -> Case:
    arrays = {{
{arrays}    }}
    case = Case({name!r}, arrays, {dtype!r}, {device!r}{options})

    # ---- the calls
{calls}

    # ---- what a right submission gives, and what the check asserts
{expected}
    return case


"""
MAIN = """\
CASES = {{
{cases}}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASES, help="run only this case")
    parser.add_argument("--raise", dest="raises", action="store_true", help="stop where the student's code raises")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    student = load_submission(STUDENT_FILE, MODULE, CELLS)
    Run.lets_through = options.raises
    failed = 0
    for name in [options.case] if options.case else CASES:
        print(f"case {{name}}")
        failed += CASES[name](student).failed
    print(f"{{failed}} assertion(s) failed" if failed else "all equal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
"""


class Facts(msgspec.Struct, frozen=True):
    """What the first lines of a script say. Texts may come from the student: they become comments of one line."""

    what: str  # the check and the student
    graded: str  # what the grade says of the check
    script: str  # name of the script
    file: str  # name of the student's file beside it
    cells: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()


def script(
    assignment: str,
    check: model.Check,
    prepared: Mapping[str, model.Prepared],
    facts: Facts,
    passed: bool,
    work: model.Submission | None = None,
) -> str:
    """Return the source of the script. ``passed``: a guard in the results is forgiven, as in the grade.

    ``work``: the submission, whose token decides what is right in a quiz.
    """
    literals = Literals()
    cases = [prepared[case.id] for case in check.all_cases]
    functions = {case.id: _function(number, case.id) for number, case in enumerate(cases, 1)}
    written = [_case(functions[case.id], Expectations(check, case, literals, passed, work), literals) for case in cases]
    imports, code = embedded(any(case.program.device == "meta" for case in cases))
    head = HEAD.format(
        what=one_line(facts.what),
        graded=one_line(facts.graded),
        script=one_line(facts.script),
        shown=one_line(facts.file),
        file=facts.file,
        module=assignment,
        cells=facts.cells,
        cases=textwrap.shorten(", ".join(functions), 200, placeholder=" ..."),
        remarks="".join(f"# {one_line(remark)}\n" for remark in facts.remarks),
        imports=imports,
    )
    listed = "".join(f"    {name!r}: {function},\n" for name, function in functions.items())
    main = MAIN.format(cases=listed)
    # The cases come first: they are what a reader looks for.
    ours = "# ---- the same for all checks: how steps run and results are compared\n\n\n"
    return f"{head}{''.join(written)}{ours}{code}\n\n\n{literals.data()}\n{main}"


def _function(number: int, name: str) -> str:
    return f"case_{number}_" + re.sub(r"\W", "_", name, flags=re.ASCII)


def _case(function: str, expectations: Expectations, literals: Literals) -> str:
    prepared, program = expectations.prepared, expectations.program
    arrays = "".join(f"        {name!r}: {literals.array(one, '        ')},\n" for name, one in program.arrays.items())
    return CASE.format(
        function=function,
        name=prepared.id,
        arrays=arrays,
        dtype=program.dtype,
        device=program.device,
        options="".join(_options(prepared)),
        calls=_indented(_calls(prepared, expectations)),
        expected=_indented(expectations.lines()),
    )


def _calls(prepared: model.Prepared, expectations: Expectations) -> Iterator[str]:
    source = prepared.program.stand_ins
    if source:
        yield f"undo = put_stand_ins(student, {source!r})  # models, data or a clock with known answers"
    yield from steps.lines(prepared, expectations.recorded)
    if source:
        yield "undo()"


def _options(prepared: model.Prepared) -> Iterator[str]:
    program = prepared.program
    if program.chance:
        yield f", chance={program.chance}"
    if program.device == "meta":
        yield ", mode=Copies"
    if program.device != "cpu":
        yield f", on_cpu={[name for name, array in program.arrays.items() if array.device == 'cpu']!r}"


def _indented(lines: Iterator[str]) -> str:
    return "".join(f"    {line}\n" for line in lines).rstrip("\n")
