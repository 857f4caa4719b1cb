#!/usr/bin/env bash
# Installs the grader into /autograder/env. Gradescope runs this once as root, when it builds the image.
set -euo pipefail
umask 022 # workers run as other users and must be able to read Python
root="${AUTOGRADER_ROOT:-/autograder}"
source="$root/source"
bundle="$source/files/attngrade"
torch_index="${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}" # torch from PyPI includes gigabytes of GPU libraries
export PATH="$PATH:/usr/sbin:/sbin" DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

find_python() { # prints a Python of at least 3.11 that can make a virtual environment
    for python in python3 python3.13 python3.12 python3.11; do
        if "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

if ! ldconfig -p | grep -q 'libseccomp\.so\.2'; then
    apt-get update
    apt-get install -y --no-install-recommends libseccomp2
fi
if ! python=$(find_python); then
    apt-get update
    for version in 3.13 3.12 3.11; do
        apt-get install -y --no-install-recommends "python$version" "python$version-venv" && break
    done
    python=$(find_python) || {
        echo "attngrade: can't install Python 3.11 or newer here; choose a base image that has it" >&2
        exit 1
    }
fi

"$python" -m venv "$root/env"
"$root/env/bin/pip" install --quiet --extra-index-url "$torch_index" "$(grep '^torch==' "$source/requirements.txt")"
"$root/env/bin/pip" install --quiet --requirement "$source/requirements.txt"
if [ ! -d "$bundle" ]; then # an image of `otter grade`, which adds the bundle later and runs otter
    "$root/env/bin/pip" install --quiet otter-grader==7.0.0
    exit 0
fi
mkdir -p "$root/results"
chmod -R go= "$source" "$root/results"
cd "$bundle"
PYTHONPATH="$bundle" XDG_CACHE_HOME="$bundle/cache" "$root/env/bin/python" -P -m autograder otter prepare
