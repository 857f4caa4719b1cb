"""The workflow for a repository with one assignment: GitHub runs the public checks on every push.

Source: GitHub's documentation of workflow syntax, of job summaries (``GITHUB_STEP_SUMMARY``) and of workflow commands.
"""

from typing import Any

import yaml

from autograder.integrations import edition

NAME = ".github/workflows/attngrade.yml"
ABOUT = """\
# Runs the public checks of {assignment} on every push: a summary page, and a JUnit report to download.
# Made by: attngrade new {assignment} --github
# The owner of a repository can change this workflow, and it has no hidden checks. So it shows students their progress
# only. The grades come from: attngrade grade
"""
# The variable of the organisation or the repository, while the course has no address on the web.
UNSET = "${{ vars." + edition.VARIABLE + " }}"
INSTALL = """\
if [ -z "$ATTNGRADE" ]; then
  echo "::error::{no_address} Set it as the variable {variable} of this repository or its organisation."
  exit 1
fi
case "$ATTNGRADE" in *.whl) ;; *) ATTNGRADE="${{ATTNGRADE%/}}/{wheel}" ;; esac
python -m {torch}
python -m pip install "$ATTNGRADE"
"""
# A message quotes the submission. So nothing in it is a command to GitHub's runner, which looks for them in the log.
CHECK = """\
token=$(python -c "import secrets; print(secrets.token_hex(16))")
echo "::stop-commands::$token"
status=0
attngrade check . --assignment {assignment} --junit {assignment}.xml --summary "$GITHUB_STEP_SUMMARY" || status=$?
echo "::$token::"
exit $status
"""


def workflow(assignment: str, address: str) -> str:
    """Return the text of ``NAME``. ``address`` is that of the students' edition.

    GitHub can't read a shared drive. For a path, or without an address, the workflow takes a variable of GitHub's.
    """
    source = edition.wheel(address) if address.startswith("https://") else UNSET
    install = INSTALL.format(
        no_address=edition.NO_ADDRESS, variable=edition.VARIABLE, wheel=edition.WHEEL, torch=edition.torch_line()
    )
    steps = [
        {"name": "Checkout code", "uses": "actions/checkout@v4"},
        {"name": "Python", "uses": "actions/setup-python@v5", "with": {"python-version": "3.12"}},
        {"name": "Install attngrade, the students' edition", "run": install, "env": {"ATTNGRADE": source}},
        {"name": "Public checks", "run": CHECK.format(assignment=assignment)},
        {
            "name": "Keep the report",
            "if": "${{ !cancelled() }}",
            "uses": "actions/upload-artifact@v4",
            "with": {"name": "checks", "path": f"{assignment}.xml", "if-no-files-found": "ignore"},
        },
    ]
    job = {"runs-on": "ubuntu-latest", "timeout-minutes": 30, "steps": steps}
    head = {"name": "Checks", "on": ["push", "workflow_dispatch"], "permissions": {"contents": "read"}}
    return ABOUT.format(assignment=assignment) + _dumped({**head, "jobs": {"checks": job}})


class _Dumper(yaml.SafeDumper):
    """Writes multi-line text as a block."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dumped(workflow: dict[str, Any]) -> str:
    return yaml.dump(workflow, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=200)
