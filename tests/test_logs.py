"""Histories as files and as a figure."""

import csv
import json

import pytest
from toy_run import RECIPE, model, quiet, toy_rows

from course_lib.evaluate import scores_on
from course_lib.logs import plot, replacing, write_log
from course_lib.objectives import classify


def test_log_and_plot(tmp_path):
    rows = toy_rows()
    history = quiet(model(), classify, rows, RECIPE, evaluate=scores_on(rows), folder=tmp_path)
    with (tmp_path / "log.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in table] == [row["loss"] for row in history]
    assert table[0]["validation_macro_f1"] == ""
    assert float(table[4]["validation_macro_f1"]) == history[4]["validation_macro_f1"]
    write_log(history, tmp_path / "log.json")
    assert json.loads((tmp_path / "log.json").read_text(encoding="utf-8")) == history
    with pytest.raises(ValueError, match=r"\.csv or a \.json file, not log\.txt"):
        write_log(history, tmp_path / "log.txt")
    labels = [text.get_text() for text in plot(history).axes[0].get_legend().get_texts()]
    assert labels == ["training loss", "validation loss", "validation macro f1"]


def test_a_file_that_could_not_be_finished_leaves_the_old_one(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError), replacing(file) as stream:
        stream.write(b"half of")
        raise RuntimeError
    assert file.read_text(encoding="utf-8") == "old"
    with replacing(file) as stream:
        stream.write(b"new")
    assert file.read_text(encoding="utf-8") == "new"
