"""Makes a student's Markdown safe to show in the formgrader.

The formgrader shows the HTML of a Markdown cell unchanged, to a person who can change grades. So this module removes
all HTML that can run or link to code.
"""

import html
import re

PLAIN_TAGS = (
    "details|summary|b|i|u|s|em|strong|sub|sup|br|hr|code|pre|p|ul|ol|li|table|thead|tbody|tr|td|th|h[1-6]|blockquote"
)

# A space turns each of these into plain text, also in code and mathematics.
# The start of a tag:
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# An entity that spells a letter or the colon of a link's scheme, or a character that browsers ignore between them.
# An ampersand counts too, because nbconvert decodes entities twice:
_ENTITY = re.compile(r"&(?:#[xX]?[0-9A-Fa-f]+;?|(?:amp|AMP);?|[A-Za-z][A-Za-z0-9]*;)(?=([#A-Za-z]?))")
_PART_OF_A_SCHEME = re.compile(r"[A-Za-z:\x00-\x20]|&[#A-Za-z]")
# Schemes whose links run code, which nbconvert lets through:
_SCHEME = re.compile(r"(javascript|vbscript|data(?!:(?:\s|image/(?:png|jpeg|gif);)))(?=\\*:)", re.IGNORECASE)
_HARMLESS = re.compile(rf"</?(?:{PLAIN_TAGS})[ ]?/?>|<https?://[^<>\s\"'`]+>", re.IGNORECASE)


def harmless(text: str) -> str:
    """Return Markdown with plain tags and web links only. Other tags and links stay visible but do nothing."""
    text = _TAG.sub(lambda match: "<" if _HARMLESS.match(text, match.start()) else "< ", text)
    text = _ENTITY.sub(lambda match: _unspelled(match[0], match[1]), text)
    return _SCHEME.sub(r"\1 ", text)


def _unspelled(entity: str, following: str) -> str:
    """Return an entity, made plain text if it can spell part of a link's scheme."""
    spelled = _PART_OF_A_SCHEME.match(html.unescape(entity) + following)
    return "& " + entity[1:] if spelled else entity
