"""``junit``: XML for build servers; a suite for each student, a case for each check.

It is valid by Jenkins' junit-10.xsd. That schema has no properties for cases, so their output holds the points.
"""

import re
from xml.etree import ElementTree as ET

from autograder import model
from autograder.course.marks import reckoning
from autograder.integrations.export.job import Job, Product, reasons
from autograder.integrations.export.scores import number, worth
from autograder.model.text import harmless, visible

# A blocked check did run, but JUnit knows no state between passed and failed. As skipped it is seen, with its message,
# and not counted as a failure beside the one that it waits for.
ELEMENTS = {"failed": "failure", "error": "error", "timeout": "error", "skipped": "skipped", "blocked": "skipped"}
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(job: Job) -> Product:
    """See ``export.write``."""
    suites = [_suite(grade, job.missing_as_zero) for grade in job.grades]
    root = ET.Element("testsuites", {"name": f"attngrade {job.assignment}", **_sums(suites)})
    root.extend(suites)
    ET.indent(root)
    return Product({"": ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"})


def _sums(suites: list[ET.Element]) -> dict[str, str]:
    return {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in ("tests", "failures", "errors")}


def _suite(grade: model.Grade, missing_as_zero: bool) -> ET.Element:
    suite = ET.Element("testsuite", name=_text(visible(grade.student)))
    known = {
        "status": grade.status,
        "score": number(worth(grade, missing_as_zero)),
        "max_score": number(grade.max_score),
        "reckoning": reckoning(grade),
        "message": grade.message,
    }
    properties = ET.SubElement(suite, "properties")
    for name, value in known.items():
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for check in grade.checks:
        _case(suite, grade, check)
    if not grade.checks:  # every student gets a case
        case = ET.SubElement(suite, "testcase", name="graded", classname=f"attngrade.{grade.assignment}")
        element = "error" if grade.status == "infrastructure-error" else "skipped"
        ET.SubElement(case, element, type=grade.status, message=_text(grade.message or grade.status))
    for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{element}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("time", f"{grade.seconds:.3f}")
    return suite


def _case(suite: ET.Element, grade: model.Grade, check: model.Outcome) -> None:
    classname = f"attngrade.{grade.assignment}.{check.kind}"
    case = ET.SubElement(suite, "testcase", name=_text(f"{check.title} [{check.id}]"), classname=classname)
    if element := ELEMENTS.get(check.status):
        failure = ET.SubElement(
            case, element, type=_text(check.diagnosis or check.status), message=_text(check.message)
        )
        failure.text = _text(reasons(check))
    points = ET.SubElement(case, "system-out")
    points.text = f"{number(check.points)} of {number(check.max_points)} points"


def _text(text: str) -> str:
    """Return lines of text as XML and people may have them."""
    return NOT_XML.sub("?", "\n".join(map(harmless, text.split("\n"))))
