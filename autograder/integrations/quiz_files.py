"""A quiz for learning management systems: QTI 1.2 in a zip, as Canvas imports it, and GIFT, as Moodle does.

QTI: IMS Question & Test Interoperability, ASI XML binding, version 1.2. GIFT: docs.moodle.org, "GIFT format".
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

import msgspec

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGING = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
DATE = (2020, 1, 1, 0, 0, 0)  # of all members, so that equal quizzes make equal zips
SPECIAL = re.compile(r"([\\~=#{}:])")
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Item(msgspec.Struct, frozen=True):
    """A question with its options in the order that is written, one of them right, and a sentence of feedback."""

    text: str
    options: tuple[str, ...]
    right: str
    feedback: str


def gift(title: str, items: Sequence[Item], shuffle: bool) -> bytes:
    """Return a quiz in GIFT, UTF-8. Each question has one point. Whether options are shuffled is set in Moodle."""
    note = "" if shuffle else "// The options stand in one student's order: turn shuffling off.\n"
    return (f"// {_line(title)}\n{note}\n" + "\n".join(map(_gift_item, items, range(1, len(items) + 1)))).encode()


def _gift_item(item: Item, number: int) -> str:
    options = "".join(f"\t{'=' if one == item.right else '~'}{_escaped(one)}\n" for one in item.options)
    return f"::Question {number}::[plain]{_escaped(item.text)} {{\n{options}\t####{_escaped(item.feedback)}\n}}\n"


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", _line(text))


def _line(text: str) -> str:
    return " ".join(text.split())


def qti(name: str, title: str, items: Sequence[Item], shuffle: bool) -> bytes:
    """Return a quiz as a zip with a manifest and QTI 1.2. ``name`` is its identifier; each question has one point."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, tree in (
            ("imsmanifest.xml", _manifest(name)),
            (f"{name}/{name}.xml", _assessment(name, title, items, shuffle)),
        ):
            ET.indent(tree)
            info = zipfile.ZipInfo(member, DATE)
            info.external_attr = 0o100644 << 16
            data = ET.tostring(tree, encoding="utf-8", xml_declaration=True)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return found.getvalue()


def _manifest(name: str) -> ET.Element:
    manifest = ET.Element("manifest", {"identifier": f"{name}-manifest", "xmlns": PACKAGING})
    about = ET.SubElement(manifest, "metadata")
    ET.SubElement(about, "schema").text = "IMS Content"
    ET.SubElement(about, "schemaversion").text = "1.1.3"
    ET.SubElement(manifest, "organizations")
    resources = ET.SubElement(manifest, "resources")
    resource = ET.SubElement(resources, "resource", {"identifier": name, "type": "imsqti_xmlv1p2"})
    ET.SubElement(resource, "file", {"href": f"{name}/{name}.xml"})
    return manifest


def _assessment(name: str, title: str, items: Sequence[Item], shuffle: bool) -> ET.Element:
    root = ET.Element("questestinterop", {"xmlns": QTI})
    assessment = ET.SubElement(root, "assessment", {"ident": name, "title": _text(title)})
    section = ET.SubElement(assessment, "section", {"ident": "root_section"})
    for number, item in enumerate(items, start=1):
        _add_item(section, f"{name}-{number}", f"Question {number}", item, shuffle)
    return root


def _add_item(section: ET.Element, ident: str, title: str, item: Item, shuffle: bool) -> None:
    made = ET.SubElement(section, "item", {"ident": ident, "title": title})
    _add_fields(made, {"question_type": "multiple_choice_question", "points_possible": "1.0"})
    presentation = ET.SubElement(made, "presentation")
    _add_text(presentation, item.text)
    response = ET.SubElement(presentation, "response_lid", {"ident": "response1", "rcardinality": "Single"})
    choice = ET.SubElement(response, "render_choice", {"shuffle": "Yes" if shuffle else "No"})
    for number, option in enumerate(item.options):
        _add_text(ET.SubElement(choice, "response_label", {"ident": f"{ident}-{number}"}), option)
    processing = ET.SubElement(made, "resprocessing")
    limits = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    ET.SubElement(ET.SubElement(processing, "outcomes"), "decvar", limits)
    always = ET.SubElement(processing, "respcondition", {"continue": "Yes"})
    ET.SubElement(ET.SubElement(always, "conditionvar"), "other")
    ET.SubElement(always, "displayfeedback", {"feedbacktype": "Response", "linkrefid": "general_fb"})
    right = ET.SubElement(processing, "respcondition", {"continue": "No"})
    equal = ET.SubElement(ET.SubElement(right, "conditionvar"), "varequal", {"respident": "response1"})
    equal.text = f"{ident}-{item.options.index(item.right)}"
    ET.SubElement(right, "setvar", {"action": "Set", "varname": "SCORE"}).text = "100"
    feedback = ET.SubElement(made, "itemfeedback", {"ident": "general_fb"})
    _add_text(ET.SubElement(feedback, "flow_mat"), item.feedback)


def _add_fields(item: ET.Element, fields: Mapping[str, str]) -> None:
    table = ET.SubElement(ET.SubElement(item, "itemmetadata"), "qtimetadata")
    for label, entry in fields.items():
        field = ET.SubElement(table, "qtimetadatafield")
        ET.SubElement(field, "fieldlabel").text = label
        ET.SubElement(field, "fieldentry").text = entry


def _add_text(parent: ET.Element, text: str) -> None:
    material = ET.SubElement(parent, "material")
    ET.SubElement(material, "mattext", {"texttype": "text/plain"}).text = _text(text)


def _text(text: str) -> str:
    """Return a text without characters that XML 1.0 can't hold."""
    return NOT_IN_XML.sub("\ufffd", text)
