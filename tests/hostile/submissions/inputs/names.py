"""Students whose ids are hard on file systems, spreadsheets, terminals and pages; their work is right."""

from __future__ import annotations

from .base import Bad, fine, inside, lone, several

LONE = {
    "newline": "new\nline",
    "newline-that-forges-a-row": "x,bahdanau,100,100,graded,,,0\r\nvictim",
    "quotes": 'a","b',
    "255-bytes": "n" * 252,
    "255-bytes-of-accents": "é" * 126,
    "not-utf-8": b"caf\xe9".decode("utf-8", "surrogateescape"),
    "leading-dash": "-rf",
    "an-option": "--out=x",
    "formula": "=cmd|' -C calc'!A0",
    "formula-plus": "+1+1",
    "formula-at": "@SUM(1)",
    "formula-minus": "-2+3",
    "formula-after-a-tab": "\t=1+1",
    "formula-after-a-return": "\r=1+1",
    "escapes": "\x1b[31mred\x1b]0;title\x07",
    "escapes-of-one-byte": "\x9b31m\x7f\x08",
    "right-to-left": "\u202exe.ylop",
    "isolates": "\u2066a\u2067b\u2069",
    "line-separators": "a\u2028b\u2029c\x85",
    "zero-width": "a\u200bb\ufeff",
    "markup": "<script>alert(1)</script>".replace("/", "\u2215"),
    "markup-in-an-attribute": "\" onmouseover='alert(1)' x=\"",
    "template": "{{ 7 * 7 }}{% raw %}",
    "format": "%s%n{0.__class__}",
    "shell": "$(touch pwned);`id`",
    "windows-device": "CON",
    "windows-device-nul": "nul.txt",
    "windows-forbidden": 'a:b*c?d|e"',
    "space": " ",
    "spaces-around": "  a  ",
    "dots-at-the-end": "a..",
    "emoji": "👩🏽‍💻🏳️‍🌈",
    "combining": "Z" + "\u0335\u0348" * 40,
    "long-word-in-arabic": "ﷺ" * 40,
    "comma": "Doe, Jane; 12",
    "null-in-words": "None",
    "number": "007",
    "scientific": "1e5",
}


def twins(one: str, other: str) -> Bad:
    """Two students whose names are nearly one; each gets a row."""
    return fine(
        several(*(lambda folder, _, name=name: lone(".py")(folder, name) for name in (one, other))),
        one,
        other,
    )


INPUTS: dict[str, Bad] = {
    **{
        f"name-{title}": fine(lambda folder, _, name=name: lone(".py")(folder, name), name)
        for title, name in LONE.items()
    },
    "name-of-a-folder-with-a-newline": fine(
        lambda folder, _: inside("bahdanau.py")(folder, "folder\n../x"[:8]), "folder\n."
    ),
    "names-that-differ-by-case": twins("twin", "TWIN"),
    "names-that-differ-by-normal-form": twins("Ame\u0301lie", "Am\u00e9lie"),
    "names-that-differ-by-width": twins("ａ1", "a1"),
    "names-that-look-like-our-escapes": twins(b"x\xff".decode("utf-8", "surrogateescape"), "x\\xff"),
    "names-of-our-result-files": twins("s\x01", "s-~0123456789abcdef"),
    "names-that-differ-by-a-space": twins("anna", "anna "),
}
