"""The same class in a gradebook on a real PostgreSQL server."""

from contextlib import closing

import psycopg
from grading import CLASS, SCORES, make_course

from autograder.__main__ import main
from autograder.course import Course
from autograder.gradebook import open_gradebook


def test_a_class_on_postgresql(server, tmp_path):
    root = make_course(tmp_path, CLASS)
    assert main(["grade", "hw", "--course", str(root), "--workers", "1", "--db", server]) == 0
    course = Course.load(root, server)
    with open_gradebook(course.db_url, "x") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions("hw")}
    assert scores == SCORES
    assert not (root / "gradebook.db").exists()
    with closing(psycopg.connect(server)) as connection:
        assert connection.execute("select count(*) from grade").fetchone() == (2 * len(CLASS),)
    export = ["export", "--csv", str(tmp_path / "g.csv"), "--db", server]
    assert main([*export, "--course", str(root)]) == 0
