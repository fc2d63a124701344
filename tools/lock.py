"""Renew the locks from requirements.in and requirements-test.in, for any index and any machine."""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = ["--no-emit-index-url", "--no-emit-trusted-host", "--no-emit-find-links", "--no-header"]


def portable(lock: str) -> str:
    """Drop local versions: `torch==2.13.0+cpu` is to be found on one index only."""
    return re.sub(r"^([\w.-]+==[^+\s]+)\+\S+", r"\1", lock, flags=re.MULTILINE)


def main() -> None:
    """Compile both locks with pip-tools in an environment that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "pip-tools"], check=True)
        for name in ("requirements", "requirements-test"):
            command = [python, "-m", "piptools", "compile", "-q", "--strip-extras", "--upgrade"]
            files = [f"{name}.in", "--output-file", f"{name}.txt"]
            subprocess.run([*command, *OPTIONS, *files], check=True, cwd=ROOT)
            lock = ROOT / f"{name}.txt"
            lock.write_text(portable(lock.read_text()))
    print("Locks renewed. Next: make test")


if __name__ == "__main__":
    sys.exit(main())
