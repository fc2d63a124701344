"""Answers by someone who has read this repository. Each is a cell, and what must come of it.

The notebook under attack has two parts. The first is attacked: it must earn nothing. The second is
answered honestly: whatever the attack did, it must pass, unless the attack shares its fate.
"""

import dataclasses
import textwrap

import pytest
from forgeries import FORGERIES
from grading import QUICK, cell, hand_in, job, notebook

from autograder.intake import read_submission
from autograder.outcome import Outcome
from autograder.skeleton import Skeleton

CANARY = "canary-3f8a1c"
SKELETON = Skeleton(
    "nb",
    (
        cell(
            "locked",
            "import numpy as np\nimport torch\nfrom course_lib.checks import close, gradients",
            "setup",
        ),
        cell("solution", "def square(x):\n    return x * x", "square"),
        cell(
            "test",
            f"'''{CANARY}'''\n"
            "assert square(12) == 144, 'square of a number'\n"
            "np.testing.assert_allclose(square(np.array([1.5, 2.5])), [2.25, 6.25])\n"
            "assert torch.equal(square(torch.tensor([3.0])), torch.tensor([9.0]))\n"
            "close(square(torch.tensor([4.0])), [16.0], 'square of a tensor')\n"
            "close(gradients(square, torch.tensor([4.0]))[0], [8.0], 'gradient')",
            "square_tests",
            5.0,
        ),
        cell("solution", "def more(x):\n    return x + 1", "more"),
        cell("test", "assert more(41) == 42", "more_tests", 2.0),
    ),
)
HONEST = SKELETON.reference()


def attacked(answer):
    return job({**HONEST, "square": textwrap.dedent(answer)}, SKELETON)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_earns_nothing(grade, name):
    seconds = 5 if name == "a message that announces more than it holds" else QUICK.seconds
    limits = dataclasses.replace(QUICK, seconds=seconds)
    parts = grade(dataclasses.replace(attacked(FORGERIES[name]), limits=limits))
    attacked_part = parts["square_tests"]
    assert attacked_part.score == 0.0, attacked_part
    assert attacked_part.outcome is not Outcome.GRADER_FAULT
    # Who breaks the conversation breaks it for the rest of the notebook too.
    channel = ("reply", "replies", "channel", "kernel", "library", "comparison", "hook", "assert")
    if not any(word in name for word in channel):
        assert parts["more_tests"].outcome is Outcome.PASSED, parts["more_tests"]


def test_the_honest_answers_pass(grade):
    assert [part.score for part in grade(job(HONEST, SKELETON)).values()] == [5.0, 2.0]


SEARCHES = {
    "frames": """
        import sys
        frame = sys._getframe()
        while frame:
            for seen in (frame.f_code.co_consts, frame.f_globals, frame.f_locals): look(repr(seen))
            frame = frame.f_back
        """,
    "all objects in memory": """
        import gc
        for thing in gc.get_objects():
            if type(thing) in (str, dict, list, tuple):
                try: look(repr(thing)[:10**5])
                except Exception: pass
        """,
    "sources kept for tracebacks": """
        import linecache
        look(repr(linecache.cache))
        """,
    "history of the shell": """
        look(repr([globals().get(name) for name in ('In', 'Out', '_ih', '_oh', '_i')]))
        """,
    "the environment and the command line": """
        import os, sys
        look(repr(os.environ)); look(repr(sys.argv)); look(repr(sys.orig_argv))
        """,
    "files": """
        import os, sys
        known = ('/usr', '/dev', '/bin', '/lib', '/lib64', '/sbin', sys.prefix, sys.base_prefix)
        for top in os.listdir('/'):
            for folder, folders, names in os.walk('/' + top):
                if folder in known: folders.clear(); continue
                for name in names:
                    if name.endswith(('.ipynb', '.db', 'secret')): print('FOUND', folder, name)
                    try: look(open(os.path.join(folder, name), errors='replace').read(10**6))
                    except Exception: pass
        """,
    "other processes": """
        import os
        for n in range(1, 500):
            for name in ('cmdline', 'environ', 'mem', 'maps', 'fd'):
                if os.path.exists(f'/proc/{n}/{name}'): print('FOUND', n, name)
        """,
    "what the test sends": """
        def square(*args, **options):
            look(repr((args, options)))
            frame = __import__('sys')._getframe()
            while frame:
                look(repr(frame.f_locals))
                frame = frame.f_back
            return 0
        """,
}


@pytest.mark.parametrize("name", SEARCHES)
def test_tests_are_found_nowhere(grade, name):
    # The needle is put together so that the search does not find itself.
    look = (
        "def look(text):\n"
        f"    if ''.join([{CANARY[:8]!r}, {CANARY[8:]!r}]) in text: print('FOUND', text[:200])\n"
    )
    body = textwrap.dedent(SEARCHES[name])
    inside = body if "def square" in body else "def square(x):\n" + textwrap.indent(body, "    ")
    limits = dataclasses.replace(QUICK, seconds=60, cpu_seconds=60)
    parts = grade(dataclasses.replace(attacked(f"{look}{inside}\nprint('LOOKED')"), limits=limits))
    output = parts["square_tests"].output
    assert "FOUND" not in output, output
    assert parts["square_tests"].outcome is Outcome.FAILED, parts["square_tests"]


EXHAUSTING = {
    "memory": ("hold = []\nwhile True: hold.append(bytearray(b'x' * 10**7))", {"out of memory"}),
    "memory in tensors": (
        "import torch\nhold = []\nwhile True: hold.append(torch.ones(10**6))",
        {"out of memory"},
    ),
    "time": ("while True: pass", {"timeout"}),
    "sleep": ("import time\ntime.sleep(600)", {"timeout"}),
    "sleep that ignores signals": (
        "import signal, time\n"
        "for n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "while True: time.sleep(600)",
        {"timeout"},
    ),
    "processes": ("import os\nwhile True: os.fork()", {"error", "timeout", "out of memory"}),
    "threads": (
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(600,)).start()",
        {"error"},
    ),
    "disk": (
        "for n in range(10**6): open(f'/tmp/{n}', 'wb').write(b'x' * 10**7)",
        {"error"},
    ),
    "files": ("hold = [open('/dev/null') for _ in range(10**6)]", {"error"}),
    "output": ("while True: print('x' * 10**5)", {"timeout"}),
    "output without lines": (
        "import os\nwhile True: os.write(1, b'x' * 10**5)",
        {"timeout"},
    ),
    "recursion": ("import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()", None),
    "a number that grows": ("x = 7\nwhile True: x *= x", {"timeout", "out of memory"}),
    "a regular expression": ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", {"timeout"}),
    "text to compile": ("eval('(' * 90 + '1' + ')' * 90 + '**9' * 40)", None),
    "pipes": (
        "import os\nwhile True:\n    r, w = os.pipe()\n    os.set_blocking(w, False)\n"
        "    os.write(w, b'x' * 65536)",
        {"error"},
    ),
    "local sockets": (
        "import socket\nhold = []\nwhile True: hold.append(socket.socketpair())",
        {"error"},
    ),
}


IN_THE_CALL = ("memory", "time", "output", "recursion")


@pytest.mark.parametrize(
    ("name", "place"),
    [(name, "cell") for name in EXHAUSTING] + [(name, "call") for name in IN_THE_CALL],
)
def test_exhausting_a_resource_costs_only_its_part(grade, name, place):
    source, expected = EXHAUSTING[name]
    attack = f"def attack():\n{textwrap.indent(source, '    ')}\n"
    ways = {"cell": "attack()\ndef square(x): return 0", "call": "square = lambda x: attack()"}
    limits = dataclasses.replace(QUICK, seconds=3, memory_bytes=200 * 2**20)
    parts = grade(dataclasses.replace(attacked(attack + ways[place]), limits=limits))
    assert parts["square_tests"].score == 0.0
    assert parts["square_tests"].outcome is not Outcome.GRADER_FAULT
    if expected:
        assert parts["square_tests"].outcome in expected, parts["square_tests"]
    assert len(parts["square_tests"].output) < QUICK.output_bytes + 100
    if name not in ("processes", "threads", "files", "disk", "pipes", "local sockets"):
        assert parts["more_tests"].outcome is Outcome.PASSED, parts["more_tests"]


def test_processes_left_behind_do_not_outlive_the_submission(grade):
    answer = """
    import os, time
    def square(x):
        if os.fork() == 0:
            os.setsid()
            while True:
                try: open('/tmp/still-here', 'a').write('x')
                except OSError: pass
                time.sleep(0.01)
        return 0
    """
    assert grade(attacked(answer))["square_tests"].outcome is Outcome.FAILED
    look = "import os\ndef square(x): return os.path.exists('/tmp/still-here')"
    assert grade(attacked(look))["square_tests"].outcome is Outcome.FAILED


@pytest.mark.parametrize(
    "changes",
    [
        {"square_tests": {"metadata": {"tags": ["skip-execution"]}}},
        {"square_tests": {"source": "5.0"}},
        {"square_tests": {"source": "5.0", "metadata": {}}},
        {"square_tests": None},
        {"square_tests": {"cell_type": "markdown"}},
        {"setup": {"source": "def close(*a): pass\nclass np: testing = None"}},
        {
            "more_tests": {
                "metadata": {
                    "nbgrader": {**SKELETON.cells[2].marks, "solution": True, "points": 99}
                },
                "source": "square_tests = 5.0",
            }
        },
        {
            "square": {
                "metadata": {"nbgrader": {**SKELETON.cells[2].marks, "grade": True}},
                "source": "5.0",
            }
        },
        {
            "square": {
                "outputs": [
                    {"output_type": "execute_result", "data": {"text/plain": "5.0"}, "metadata": {}}
                ]
            }
        },
    ],
    ids=str,
)
def test_metadata_and_changed_cells_earn_nothing(grade, tmp_path, changes):
    wrong = {**HONEST, "square": "def square(x): return 0"}
    folder = hand_in(tmp_path / "ann", notebook(SKELETON, wrong, **changes))
    answers = read_submission(folder, {"nb": SKELETON}).answers["nb"]
    parts = grade(job(answers, SKELETON))
    assert parts["square_tests"].score == 0.0
    assert {part.grade_id: part.points for part in parts.values()} == {
        "square_tests": 5.0,
        "more_tests": 2.0,
    }


@pytest.mark.parametrize(
    "value",
    ["float('nan')", "-1", "np.float64('nan')", "np.float64(-1)", "'1.0'", "2 + 0j", "[1.0]"],
)
def test_a_score_that_is_no_score_gives_no_marks(grade, value):
    """A test that hands on what it got: nbgrader would give full marks."""
    skeleton = Skeleton(
        "nb",
        (
            cell("locked", "import numpy as np", "setup"),
            cell("solution", "def points():\n    return 1.0", "points"),
            cell("test", "points()", "t", 1.0),
        ),
    )
    part = grade(job({"points": f"import numpy as np\ndef points(): return {value}"}, skeleton))[
        "t"
    ]
    assert part.outcome is Outcome.GRADER_FAULT and part.score is None
