"""The terminal commands: what they print, and how they end."""

import subprocess
import sys

import pytest

from course_lib import VARIANTS, diff
from course_lib.__main__ import main, parser, read
from course_lib.ledger import compare, ledger


@pytest.fixture
def output(capsys):
    """Run a command that must succeed, and return what it printed."""

    def run(*arguments):
        assert main(arguments) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


def test_variants_lists_each_with_its_sizes(output):
    lines = output("variants").splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1 : 1 + len(VARIANTS)]}
    assert list(rows) == list(VARIANTS)
    assert rows["deberta"] == "12 768 12 3,072 768 50,265 any 138,601,728 30.80".split()
    assert rows["bert-tiny"] == "2 128 2 512 128 30,522 512 4,369,408 0.12".split()


def test_diff_prints_what_the_function_gives(output):
    expected = str(diff(VARIANTS["bert-base"], VARIANTS["albert"]))
    assert output("diff", "bert-base", "albert") == f"{expected}\n"


def test_parameters_of_one_and_of_all(output):
    assert output("parameters") == f"{compare()}\n"
    assert output("parameters", "albert").startswith(f"{ledger('albert')}\n\n")


def test_trace_reads_words_goes_through_the_model_and_back(output):
    printed = output("trace", "bert-tiny", "--text", "Time flies!")
    assert "[CLS] time flies ! [SEP]" in printed
    (row,) = [line for line in printed.splitlines() if "weights = scores.softmax" in line]
    assert row.split()[4:12] == "b h q k 1 2 5 5".split()
    assert float(row.split()[-3]) > 0  # its gradient
    assert "4,416,698 parameters used" in printed
    assert "layer 1            …" in printed
    assert "predicting each token of the text" in printed


def test_trace_can_show_all_layers_and_is_reproducible(output):
    first = output("trace", "bert-tiny", "--every-layer")
    assert first.count("weights = scores.softmax") == 2
    assert output("trace", "bert-tiny", "--every-layer") == first
    assert output("trace", "bert-tiny", "--every-layer", "--seed", "1") != first


def test_trace_of_a_language_model_predicts_what_comes_next(output):
    printed = output("trace", "gpt2", "--text", "ab")
    assert "each byte of the text stands in for a token, with the id byte + 4" in printed
    assert "predicting each token from those before it" in printed


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_can_read(name):
    spec = VARIANTS[name]
    ids, reading = read("Zeit, 时间!", spec)
    packaged = spec.vocabulary == 30_522
    assert ("stands in" not in reading) == packaged
    assert 0 <= int(ids.min()) and int(ids.max()) < spec.vocabulary
    assert spec.pad is None or spec.pad not in ids.tolist()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diff", "bert-base", "albret"], "No variant is called 'albret'. Did you mean 'albert'?"),
        (["diff", "brt", "albert"], "No variant is called 'brt'."),
        (["trace", "gpt-2"], "Did you mean 'gpt2'?"),
        (["parameters", "bert"], "Known: bert-base, bert-large"),
        (["trace", "bert-tiny", "--text", " "], "The text is empty."),
        (["trace", "bert-tiny", "--text", "a " * 600], "602 tokens, but bert-tiny has positions"),
    ],
)
def test_bad_input_is_explained_without_a_traceback(arguments, message, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["diff", "bert-base"]])
def test_a_command_that_is_none_shows_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m course_lib" in capsys.readouterr().err


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "course_lib", "diff", "roberta", "longformr"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Did you mean 'longformer'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1
