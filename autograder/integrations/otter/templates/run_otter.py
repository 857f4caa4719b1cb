"""Run otter in the container of ``otter grade``. The plugin in otter_config.json keeps student code out of otter."""

import os

from otter.run.run_autograder import main

if __name__ == "__main__":
    main(os.environ.get("AUTOGRADER_ROOT", "/autograder"))
