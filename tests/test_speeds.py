"""The benchmarks' table as pages read it."""

import pytest

from benchmarks import __main__ as bench
from benchmarks.race import Row
from course_lib.speeds import exponent, speeds


@pytest.fixture
def file(tmp_path):
    """A table as the benchmarks write it."""
    path = tmp_path / "results" / "latest.json"
    rows = [
        Row("models: a: forward", "peer", 2.0, 4.0, 0.5, 0.01, 0.6),
        Row("models: a: forward, again", "peer", 3.0, 4.0, 0.75, 0.01, None),
        Row("book: b", "", 1.5, None, None, None, None),
    ]
    bench.write(path, rows)
    return path


def test_a_page_reads_what_the_benchmarks_wrote(file):
    found = speeds(file)
    assert found.machine == bench.machine()
    assert [row.ratio for row in found.find("models", "forward")] == [0.5, 0.75]
    assert found.ours("models: a: forward") == 2.0 and found.find("book")[0].peer_s is None
    with pytest.raises(ValueError, match="No row has all of.*nothing"):
        found.find("nothing")


def test_without_a_table_it_says_how_to_make_one(tmp_path):
    with pytest.raises(ValueError, match="make bench"):
        speeds(tmp_path / "latest.json")


def test_the_exponent_of_a_power_is_that_power():
    lengths = [64, 128, 512, 4_096]
    assert exponent(lengths, [3 * t**1.7 for t in lengths]) == pytest.approx(1.7)
