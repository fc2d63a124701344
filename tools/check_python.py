"""Say in plain words why this Python cannot set up the course. Runs on any Python 3."""

# ruff: noqa: UP036 - the old versions this checks for are why it exists

import sys

if sys.version_info < (3, 11):
    found = f"{sys.executable} is {sys.version_info[0]}.{sys.version_info[1]}"
    sys.exit(
        f"The course needs Python 3.11 or newer; {found}.\n"
        "Name another one: make book PYTHON=python3.12"
    )

try:
    import ensurepip  # noqa: F401
    import venv  # noqa: F401
except ImportError:
    sys.exit(
        f"{sys.executable} cannot make virtual environments.\n"
        "On Debian and Ubuntu: sudo apt install python3-venv"
    )
