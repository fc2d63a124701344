"""What the Makefile calls, where it must say no clearly."""

import re
import subprocess
import sys

import debian_packages
import pytest
from lock import portable
from stages import Stage, count

from tests.conftest import ROOT


def test_bare_make_lists_every_target():
    listed = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert re.findall(r"^  make (\w+)", listed, re.MULTILINE) == phony


def test_an_old_python_is_refused_with_a_way_out(monkeypatch):
    program = "import sys; sys.version_info = (3, 9); exec(open('tools/check_python.py').read())"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1
    assert "needs Python 3.11 or newer" in run.stderr
    assert "PYTHON=python3.12" in run.stderr


def test_missing_packages_are_named_where_nothing_may_be_installed(monkeypatch, tmp_path, capsys):
    wanted = tmp_path / "apt.txt"
    wanted.write_text("there\nmissing\n")
    monkeypatch.setattr(debian_packages, "installed", lambda package: package == "there")
    monkeypatch.setattr(debian_packages.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(
        debian_packages.shutil, "which", lambda name: None if name == "sudo" else name
    )
    assert debian_packages.main(str(wanted)) == 1
    assert "sudo apt-get install -y missing\n" in capsys.readouterr().out


def test_a_lock_names_no_local_version():
    lock = "torch==2.13.0+cpu\n    # via a+b\nnumpy==2.4.6\n"
    assert portable(lock) == "torch==2.13.0\n    # via a+b\nnumpy==2.4.6\n"
    for name in ("requirements.txt", "requirements-test.txt"):
        text = (ROOT / name).read_text()
        assert portable(text) == text
        assert not re.search(r"^--|https?://|file://", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("tests", "failed", "counts"),
    [
        ("def test_a(): pass\ndef test_b(): assert 0", True, {"passed": 1, "failed": 1}),
        ("def test_a(): pass", False, {"passed": 1}),
        ("", True, {}),
        ("import pytest\ndef test_a(): pytest.skip()", True, {"skipped": 1}),
    ],
)
def test_a_stage_fails_unless_all_it_names_passed(tmp_path, monkeypatch, tests, failed, counts):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_planted.py").write_text(tests)
    monkeypatch.setattr("stages.ROOT", tmp_path)
    monkeypatch.setattr("stages.REPORTS", tmp_path)
    stage = Stage("planted", [["pytest", "test_planted.py"]])
    stage.run()
    assert bool(stage.failed) == failed
    assert +stage.tests == counts


def test_a_missing_report_counts_nothing(tmp_path):
    assert count(tmp_path / "none.xml").total() == 0
