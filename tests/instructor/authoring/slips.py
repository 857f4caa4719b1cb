"""Slips of authors in the files of a first assignment, and what is said of each."""

from __future__ import annotations

from typing import NamedTuple


class Slip(NamedTuple):
    """What is replaced in a file, and what is said: in which file and line, and in which words.

    ``line``: what the named line holds; empty if none is named.
    """

    file: str
    old: str
    new: str
    words: str
    where: str = ""  # the file that is named, if it is another one
    line: str = ""


CHECKS = (
    'CHECKS = part("cosine_scores", signature(COSINE, 5), values(COSINE, 30), shapes(COSINE, 5), gradients(COSINE, 10))'
)
REFERENCE = "return torch.cosine_similarity(query[:, :, None], key[:, None], dim=-1)"
HOLE = "    ### BEGIN SOLUTION: return the cosine for each pair\n"
MISTAKE = "        cosine_scores=lambda query, key: query @ key.mT,\n"

# Nothing can be built or graded before these are mended: ``author build`` and ``author check`` say the same.
BLOCKING = {
    # ---- the solution
    "solution-syntax": Slip(
        "solution.py", "return query @ key.mT", "return query @", "SyntaxError", line="return query @"
    ),
    "hole-open": Slip(
        "solution.py", "    ### END SOLUTION\n", "", "this hole is not closed; write ### END", line="BEGIN"
    ),
    "hole-not-begun": Slip("solution.py", HOLE, "", "no hole is open here; write ### BEGIN", line="END"),
    "hole-in-hole": Slip("solution.py", HOLE, HOLE * 2, "not closed before the next one in line 27", line="BEGIN"),
    "hole-without-task": Slip(
        "solution.py", ": return the cosine for each pair", "", "has no task; say what", line="BEGIN"
    ),
    "hole-outside": Slip("solution.py", HOLE, HOLE.strip() + "\n", "stands inside a function", line="BEGIN"),
    "no-title-cell": Slip("solution.py", "# %% [markdown]\n# # ", "# ", "the first cell is the title", line="# "),
    "no-such-part": Slip(
        "checks.py", 'part("cosine_scores"', 'part("cosine_score"', "is not defined in solution.py", line="CHECKS"
    ),
    # ---- the reference
    "reference-name": Slip("reference.py", "def cosine_scores", "def cosine", "it does not define cosine_scores"),
    "reference-syntax": Slip("reference.py", "dim=-1)", "dim=-1", "SyntaxError: '(' was never closed", line="return"),
    "reference-import": Slip(
        "reference.py", "import torch\n", "import torhc\n", "No module named 'torhc'", line="torhc"
    ),
    "reference-raises": Slip(
        "reference.py", REFERENCE, "return query @ key", "RuntimeError: Expected size", line="return query @ key"
    ),
    "reference-refuses": Slip(
        "reference.py", REFERENCE, 'raise ValueError("no")', "ValueError: no; the reference has no answer", line="raise"
    ),
    "reference-shape": Slip(
        "reference.py",
        REFERENCE,
        "return (query @ key.mT).mT",
        "of shape (2, 7, 3), but the checks declare (2, 3, 7)",
        line="def cosine_scores",
    ),
    "reference-results": Slip(
        "reference.py",
        REFERENCE,
        "return query, key",
        "returns 2 results, but the checks declare 1: scores",
        line="def",
    ),
    "reference-of-lists": Slip(
        "reference.py", REFERENCE, "return [1.0, 2.0]", "returns no array and no number as scores", line="def"
    ),
    "reference-class": Slip(
        "reference.py",
        "def cosine_scores(query: Tensor, key: Tensor) -> Tensor:\n",
        "class cosine_scores:\n    pass\n\n\ndef other(query, key):\n",
        "is a function in solution.py and a class here",
        line="class",
    ),
    # ---- the checks
    "no-title": Slip("checks.py", "TITLE = ", "HEADING = ", 'it has no title; write TITLE = "..."'),
    "title-of-number": Slip("checks.py", 'TITLE = "', 'TITLE = 1 or "', "it has no title", line="TITLE"),
    "no-checks": Slip("checks.py", "CHECKS = ", "CHECK = ", "it has no CHECKS; write CHECKS = part("),
    "one-check": Slip(
        "checks.py", CHECKS, "CHECKS = values(COSINE, 50)", "CHECKS is one check, not a tuple of them", line="CHECKS"
    ),
    "nested-checks": Slip("checks.py", CHECKS, f"{CHECKS},", "CHECKS[0] is of type tuple", line="CHECKS"),
    "text-as-checks": Slip(
        "checks.py", CHECKS, 'CHECKS = "values"', "CHECKS is of type str; write CHECKS = part(", line="CHECKS"
    ),
    "check-without-part": Slip(
        "checks.py", CHECKS, "CHECKS = (values(COSINE, 50),)", 'is in no part; write part("function", ...)'
    ),
    "draft": Slip(
        "checks.py", CHECKS, 'CHECKS = (value("x", 50, "X"),)\n', "end it with what it expects", line="CHECKS"
    ),
    "hidden-in-public": Slip(
        "checks.py",
        "values(COSINE, 30)",
        'values(COSINE, 30, id="hidden-x")',
        "begins with hidden-; move",
        line="CHECKS",
    ),
    "part-without-checks": Slip("checks.py", "TITLE", 'PARTS = ("cosin",)\nTITLE', "PARTS names cosin", line="PARTS"),
    "size-of-a-draw": Slip(
        "checks.py",
        'key="B T_k d"',
        'key=Input("B T_k d", lambda g, shape, sizes: g.normal(*shape) + sizes["V"])',
        "the axis V has no size; give it one in the declaration",
        line="Input",
    ),
    "input-that-raises": Slip(
        "checks.py",
        'key="B T_k d"',
        'key=Input("B T_k d", lambda g, shape, sizes: {}["x"])',
        "KeyError: 'x'; the inputs of the case",
        line="Input",
    ),
    "assertion": Slip(
        "checks.py",
        CHECKS,
        'CHECKS = part("cosine_scores", value("x", 50, "X").on(case("x", lambda b: None)).expects(expect("vales")))',
        "there is no assertion 'vales'",
    ),
    "hidden-import": Slip(
        "hidden_checks.py", "from .checks import COSINE", "from .checks import COSIN", "COSIN", line="import COSIN"
    ),
    # ---- the mistakes and the handout
    "no-mistakes": Slip("mistakes.py", "MISTAKES = ", "MISTAKE = ", "it has no MISTAKES; write MISTAKES = (mistake("),
    "one-mistake": Slip(
        "mistakes.py",
        f"{MISTAKE}    ),\n)",
        f"{MISTAKE}    )\n)",
        "MISTAKES is one mistake, not a tuple",
        line="MISTAKES",
    ),
    "mistake-of-text": Slip(
        "mistakes.py", "MISTAKES = (", 'MISTAKES = ("x",', "MISTAKES[0] is of type str", line="MISTAKES"
    ),
    "mistake-words": Slip(
        "mistakes.py",
        '        "The vectors are not normalised.",\n',
        "",
        "a sentence and a hint, or neither",
        line="mistake(",
    ),
    "mistake-of-nothing": Slip("mistakes.py", MISTAKE, "", "exchanges nothing; name a function", line="mistake("),
    "explained-twice": Slip(
        "mistakes.py",
        "    ),\n)",
        '    ),\n    mistake("not-normalised", "No.", "Why?", how="x", cosine_scores=lambda query, key: key),\n)',
        "not-normalised is explained twice; keep one text",
    ),
    "template": Slip(
        "handout.md",
        '{% include "rules.md" %}',
        '{% include "rule.md" %}',
        "TemplateNotFound: 'rule.md'",
        line="rule.md",
    ),
    "unknown-variable": Slip(
        "handout.md", "## Shapes", "## {{ titel }}", "UndefinedError: 'titel' is undefined", line="titel"
    ),
}

# These block nothing: the assignment is graded, too.
HARMLESS = {
    "points": Slip(
        "checks.py",
        "values(COSINE, 30)",
        "values(COSINE, 20)",
        "add up to 90, expected 100: 40 in checks.py and 50 in hidden_checks.py; add 10 to them",
        line="CHECKS",
    ),
    "too-many-points": Slip(
        "checks.py", "values(COSINE, 30)", "values(COSINE, 32.5)", "take 2.5 from them", line="CHECKS"
    ),
    "no-docstring": Slip(
        "solution.py", '    """Compare each query', '    _ = """Compare each query', "has no docstring", line="def"
    ),
    "wrong-solution": Slip(
        "solution.py", "return query @ key.mT", "return 2 * query @ key.mT", "the solution gets 0 points, expected 100"
    ),
    "twice": Slip(
        "checks.py", "gradients(COSINE, 10)", "gradients(COSINE, 5), gradients(COSINE, 5)", "checks have the id"
    ),
    "reference-nan": Slip(
        "reference.py",
        REFERENCE,
        "return (query @ key.mT).log()",
        "returns NaN in scores, which no answer can match",
        line="def",
    ),
    "weak-zeros": Slip(
        "checks.py",
        CHECKS,
        'CHECKS = part("cosine_scores", value("x", 50, "X").on(values(COSINE, 1).cases[0]).expects(expect("shapes")))',
        "zeros of the right shapes gets 50 points, expected 0",
        where="checks.py",
    ),
    "mistake-name": Slip(
        "mistakes.py",
        "cosine_scores=lambda",
        "cosine_score=lambda",
        "exchanges cosine_score, which reference.py lacks; did you mean cosine_scores?",
        line="cosine_score=",
    ),
    "mistake-id": Slip("mistakes.py", '"not-normalised"', '"Not normalised"', "is no id", line="Not normalised"),
    "mistake-unseen": Slip(
        "mistakes.py",
        "query @ key.mT",
        "__import__('torch').cosine_similarity(query[:, :, None], key[:, None], dim=-1)",
        "no check sees the mistake not-normalised",
        line="not-normalised",
    ),
    "mistake-without-words": Slip(
        "mistakes.py",
        '"not-normalised",\n        "The vectors are not normalised.",\n'
        '        "Double a query. May its scores change?",\n',
        '"mising-scale",\n',
        "mising-scale has no sentence and no hint; did you mean missing-scale?",
        line="mising-scale",
    ),
    "share": Slip("mistakes.py", MISTAKE, f"        share=2,\n{MISTAKE}", "expected 0 to 1", line="not-normalised"),
    "no-heading": Slip("handout.md", "## cosine_scores", "## The function", "there is no section 'cosine_scores'"),
    "hint-part": Slip(
        "hints.toml", "[cosine_scores]", "[cosine_score]", "there is no part cosine_score", line="[cosine_score]"
    ),
    "hint-section": Slip(
        "hints.toml", 'read = "cosine_scores"', 'read = "Scores"', "has no section 'Scores'", line="read"
    ),
    "hint-step": Slip("hints.toml", "question =", "ask =", "unknown field `ask`"),
    "hint-syntax": Slip("hints.toml", "question = ", "question : ", "Expected '=' after a key", line="question :"),
    "explained-cause": Slip(
        "explanations.toml",
        "not-normalised",
        "not-normalized",
        "there is no cause not-normalized, so nobody reads this; did you mean not-normalised?",
        line="not-normalized",
    ),
    "explained-syntax": Slip(
        "explanations.toml",
        "not-normalised = ",
        "not-normalised : ",
        "Expected '=' after a key",
        line="not-normalised :",
    ),
    "explained-type": Slip(
        "explanations.toml", "not-normalised = ", "other = 3\nnot-normalised = ", "Expected `str`, got `int`"
    ),
    "explained-empty": Slip(
        "explanations.toml",
        "not-normalised = ",
        'missing-scale = ""\nnot-normalised = ',
        "the explanation of missing-scale is empty; write it, or leave it out",
        line="missing-scale",
    ),
    "wrong-table": Slip(
        "submissions/wrong.toml", "[[wrong]]", "[[wrongs]]", "no such table; write [[wrong]]", line="wrongs"
    ),
    "wrong-cause": Slip(
        "submissions/wrong.toml",
        '["not-normalised"]',
        '["not-normalized"]',
        "not-normalized, which nothing explains; did you mean not-normalised?",
        line="not-normalized",
    ),
    "wrong-base": Slip("submissions/wrong.toml", '"solution"', '"solutions"', "no right submission", line="name"),
    "wrong-text": Slip("submissions/wrong.toml", "key = key", "key = kye", "not in solution", line="name"),
    "right-syntax": Slip("submissions/right/by_einsum.py", "def ", "df ", "invalid syntax", line="df "),
}

# These are found as soon as the course is read.
AT_ONCE = {
    "syntax": Slip(
        "checks.py", "CHECKS = part(", "CHECKS = part((", "SyntaxError: '(' was never closed", line="CHECKS"
    ),
    "unknown-name": Slip(
        "checks.py",
        "signature(COSINE",
        "signatur(COSINE",
        "NameError: name 'signatur' is not defined; did you mean signature?",
        line="signatur(",
    ),
    "unknown-import": Slip("checks.py", "function,", "functoin,", "functoin", line="functoin"),
    "unknown-keyword": Slip(
        "checks.py",
        "values(COSINE, 30)",
        'values(COSINE, 30, size={"d": 4})',
        "values takes no size; did you mean sizes?",
        line="size=",
    ),
    "unknown-axis": Slip(
        "checks.py",
        "values(COSINE, 30)",
        'values(COSINE, 30, sizes={"D": 4})',
        "sizes names D, but the axes are B, T_q, d, T_k; did you mean d?",
        line="sizes=",
    ),
    "no-points": Slip(
        "checks.py", "values(COSINE, 30)", "values(COSINE)", "missing 1 required positional", line="values("
    ),
    "axes": Slip("checks.py", '"B T_q d"', '"(B, T_q, d)"', "is no text of axes", line="(B, T_q, d)"),
    "call-not-described": Slip(
        "checks.py", "COSINE.described", "COSINE", "CALLS['cosine_scores'] describes no call; write CALLS", line="CALLS"
    ),
}
