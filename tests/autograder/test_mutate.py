"""Small changes of a solution: which there are, and which a weak test lets pass."""

import json

from grading import make_course

from autograder.__main__ import main
from autograder.mutate import mutants

SOURCE = '''
def f(x: int | None, flag: bool = False) -> float:
    """Adds 1."""
    if x is None or x < 2:
        return -1.5
    y = x.abs() * math.sqrt(x)
    return y @ y if flag else y.sum(-1)
'''


def test_one_change_at_a_time_and_none_in_docstrings_or_annotations():
    found = [(m.before, m.after) for m in mutants("f", SOURCE)]
    assert len(set(found)) == len(found)
    for before, after in [
        ("if x is None or x < 2:", "if x is None and x < 2:"),
        ("if x is None or x < 2:", "if x is None or x <= 2:"),
        ("if x is None or x < 2:", "if x is None or x < 3:"),
        ("if x is None or x < 2:", "if not (x is None or x < 2):"),
        ("return -1.5", "return 1.5"),
        ("y = x.abs() * math.sqrt(x)", "y = x * math.sqrt(x)"),
        ("y = x.abs() * math.sqrt(x)", "y = x.abs() / math.sqrt(x)"),
        ("return y @ y if flag else y.sum(-1)", "return y @ y if flag else y"),
        ("return y @ y if flag else y.sum(-1)", "return y @ y if flag else y.sum(1)"),
        ("return y @ y if flag else y.sum(-1)", "return y @ y if flag else y.sum(-2)"),
    ]:
        assert (before, after) in found
    for mutant in mutants("f", SOURCE):
        assert "Adds 1." in mutant.source and "x: int | None" in mutant.source
        compile(mutant.source, "mutant", "exec")


def test_survivors_are_shown_and_equivalent_ones_can_be_listed(tmp_path, capsys):
    root = make_course(tmp_path, {})
    path = root / "source" / "hw" / "nb.ipynb"
    strong = "double(torch.arange(3.0)), [0, 2, 4]"
    assert strong in path.read_text()
    path.write_text(path.read_text().replace(strong, "double(0.0), 0.0"))
    assert main(["mutate", "hw", "--course", str(root)]) == 1
    shown = capsys.readouterr().out
    assert "SURVIVED in double" in shown and "+ return 3 * x" in shown
    assert "add" not in shown
    same = [
        {"before": "return 2 * x", "after": after.strip()[2:], "why": "a reason"}
        for after in shown.splitlines()
        if after.strip().startswith("+ ")
    ]
    (root / "equivalent_mutants.json").write_text(json.dumps({"hw": {"double": same}}))
    assert main(["mutate", "hw", "--course", str(root)]) == 0
    assert f"{len(same)} known to mean the same" in capsys.readouterr().out
