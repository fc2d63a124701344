"""Everything `make test` checks, stage by stage; all stages run, and one failure fails the whole.

The last line sums the tests of all pytest stages. A stage that collects no test, or skips one,
has failed: what cannot be checked is not known to work.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "_build" / "reports"
BIN = Path(sys.executable).parent
APART = ("tests/book", "tests/browser", "tests/assignments")  # they have stages of their own


@dataclass
class Stage:
    """A name and the commands to run; each command that starts with "pytest" counts tests."""

    name: str
    commands: list[list[str]]
    failed: list[str] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def run(self) -> None:
        """Run all commands, also after one failed."""
        start = time.monotonic()
        for number, command in enumerate(self.commands):
            print(f"\n=== {self.name}: {' '.join(command)}", flush=True)
            report = REPORTS / f"{self.name.replace(' ', '-')}-{number}.xml"
            is_pytest = command[0] == "pytest"
            run = [BIN / command[0], *command[1:]]
            if is_pytest:  # as a module, so that the project's folder is on the path
                run = [sys.executable, "-m", *command, f"--junitxml={report}"]
            status = subprocess.run(run, cwd=ROOT).returncode
            if is_pytest:
                self.tests += count(report)
            if status or (is_pytest and not self.tests):
                self.failed.append(" ".join(command))
        if self.tests["skipped"]:
            self.failed.append(f"{self.tests['skipped']} skipped")
        self.seconds = time.monotonic() - start


def count(report: Path) -> Counter[str]:
    """Sum a JUnit report into passed, failed and skipped tests."""
    if not report.exists():
        return Counter()
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    total: Counter[str] = Counter()
    for suite in suites:
        number = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
        failed = number["failures"] + number["errors"]
        total["failed"] += failed
        total["skipped"] += number["skipped"]
        total["passed"] += number["tests"] - failed - number["skipped"]
    return total


def stages(jobs: int) -> list[Stage]:
    """List the stages in the order they run."""
    parallel = ["-n", str(jobs), "--dist", "loadfile"]
    return [
        Stage(
            "lint",
            [
                ["ruff", "check", "."],
                ["ruff", "format", "--check", "."],
                ["mypy"],
                ["lint-imports"],
                ["codespell"],
            ],
        ),
        Stage("unit", [["pytest", "tests", *[f"--ignore={path}" for path in APART], *parallel]]),
        Stage("assignments", [["pytest", "tests/assignments", *parallel]]),
        Stage("build", [["python", "tools/build.py", "--cold"]]),
        Stage("book", [["pytest", "tests/book", *parallel]]),
        Stage(
            "notebooks",
            [
                [
                    "pytest",
                    "-p",
                    "tests.nbval_history",
                    "--nbval",
                    "_build/jupyter_execute",
                    *parallel,
                ]
            ],
        ),
        Stage("browser", [["pytest", "tests/browser", "-n", str(jobs)]]),
    ]


def main() -> int:
    """Run the stages and print what each took and how it ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="tests that run side by side")
    parser.add_argument("--only", nargs="*", help="names of stages; all by default")
    options = parser.parse_args()
    os.environ |= {"COURSE_STRICT": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    REPORTS.mkdir(parents=True, exist_ok=True)

    todo = [stage for stage in stages(options.jobs) if stage.name in (options.only or stage.name)]
    for stage in todo:
        stage.run()

    print(f"\n{'stage':<12} {'seconds':>7}  {'tests':>6}")
    for stage in todo:
        verdict = f"FAILED: {'; '.join(stage.failed)}" if stage.failed else "ok"
        print(f"{stage.name:<12} {stage.seconds:>7.0f}  {stage.tests.total() or '':>6}  {verdict}")
    tests = sum((stage.tests for stage in todo), Counter())
    print(f"{tests['passed']} passed, {tests['failed']} failed")
    return int(any(stage.failed for stage in todo))


if __name__ == "__main__":
    sys.exit(main())
