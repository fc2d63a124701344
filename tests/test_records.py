"""Records are written in one piece, read back unchanged, and say where they come from."""

import json
from dataclasses import replace

import pytest

from course_lib import records
from course_lib.records import Record

RECORD = Record(
    name="toy",
    command="python -m course_lib.runs toy",
    seed=3,
    commit="abc1234",
    machine="a machine",
    date="2026-01-31",
    seconds=12.3,
    numbers={"macro F1": 0.8125, "reviews": 1721},
    curves={"loss": [(1, 2.5), (2, 1.25)]},
    texts={"samples": ["天气很好"]},
)


def test_round_trip(tmp_path):
    file = records.save(RECORD, tmp_path / "new")
    assert records.recorded("toy", tmp_path / "new") == RECORD
    assert "天气很好" in file.read_text(encoding="utf-8")
    assert [f.name for f in file.parent.iterdir()] == ["toy.json"]


def test_a_number_that_is_none_is_refused_and_the_old_record_stays(tmp_path):
    records.save(RECORD, tmp_path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        records.save(replace(RECORD, numbers={"loss": float("nan")}), tmp_path)
    assert records.recorded("toy", tmp_path) == RECORD


def test_missing_record_lists_those_there_are(tmp_path):
    records.save(RECORD, tmp_path)
    with pytest.raises(ValueError, match=r"no record 'other' .*recorded so far: toy"):
        records.recorded("other", tmp_path)


def test_a_record_with_other_fields_is_named(tmp_path):
    file = records.save(RECORD, tmp_path)
    content = json.loads(file.read_text(encoding="utf-8"))
    content["author"] = content.pop("seed")
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="missing or unknown: author, seed"):
        records.recorded("toy", tmp_path)


def test_it_says_that_it_was_recorded_and_how():
    for text in (str(RECORD), RECORD._repr_markdown_()):
        assert "Recorded on 2026-01-31, not computed on this page" in text
        assert "`python -m course_lib.runs toy` (seed 3, commit abc1234, " in text
        assert "12 processor seconds on a machine)" in text
        assert "0.8125" in text
        assert "1721" in text


def test_curve_averages_down():
    history = [{"step": i, "loss": float(i)} for i in range(1, 11)] + [{"step": 11, "f1": 0.5}]
    assert records.curve(history, "loss", points=5) == [
        (2, 1.5), (4, 3.5), (6, 5.5), (8, 7.5), (10, 9.5),
    ]  # fmt: skip
    assert records.curve(history, "f1") == [(11, 0.5)]
    assert records.curve(history, "absent") == []


def test_machine_and_commit_have_no_secrets(tmp_path):
    import socket

    assert "torch 2." in records.machine()
    assert socket.gethostname() not in records.machine()
    assert records.commit(tmp_path) == "unknown"


def test_commit_notices_changes_in_loaded_modules_only(tmp_path, monkeypatch):
    def run(*arguments):
        return records.git(
            tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments
        )

    run("init", "-q")
    module = tmp_path / "loaded_for_this_test.py"
    module.write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("a\n", encoding="utf-8")
    run("add", ".")
    run("commit", "-q", "-m", "first")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    __import__("loaded_for_this_test")
    clean = records.commit(tmp_path)
    assert len(clean) >= 7
    (tmp_path / "notes.txt").write_text("b\n", encoding="utf-8")
    assert records.commit(tmp_path) == clean
    module.write_text("x = 2\n", encoding="utf-8")
    assert records.commit(tmp_path) == f"{clean} + changes"


def test_every_committed_record_can_be_read():
    for file in records.FOLDER.glob("*.json"):
        record = records.recorded(file.stem)
        assert record.name == file.stem
        assert record.command.startswith("python -m course_lib.runs ")
        assert record.numbers
