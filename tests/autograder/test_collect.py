"""Downloads from learning platforms: whose is whose, and archives that try to escape."""

import json
import stat
import zipfile

import pytest
from grading import SKELETON, make_course, notebook

from autograder import collect as module
from autograder.collect import collect
from autograder.course import Course, CourseError

TEXT = json.dumps(notebook(SKELETON))
LAYOUTS = {
    "canvas": ["ann_123_456_nb.ipynb", "bob_LATE_124_457_nb-1.ipynb"],
    "moodle": [
        "ann_123_assignsubmission_file/nb.ipynb",
        "bob_124_assignsubmission_file/nb (1).ipynb",
    ],
    "folders": ["ann/nb.ipynb", "bob/nb.ipynb"],
    "in one folder": ["download/ann_1_nb.ipynb", "download/bob_2_nb.ipynb"],
}


@pytest.fixture
def course(tmp_path):
    return Course.load(make_course(tmp_path / "course", {}))


def packed(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_say_whose_it_is(course, tmp_path, layout, kind):
    entries = dict.fromkeys(LAYOUTS[layout], TEXT)
    source = tmp_path / "download.zip"
    if kind == "zip":
        packed(source, entries)
    else:
        source = tmp_path / "unpacked"
        for name, text in entries.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
    students, notes = collect(course, "hw", source)
    assert sorted(students) == ["ann", "bob"] and notes == []
    found = course.submissions("hw")
    assert {name: (folder / "nb.ipynb").read_text() for name, folder in found.items()} == {
        "ann": TEXT,
        "bob": TEXT,
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../../evil_1/nb.ipynb", "outside"),
        ("/etc/evil.ipynb", "outside"),
        ("..\\..\\evil_1\\nb.ipynb", "outside"),
        ("_.ipynb", "whose"),
    ],
)
def test_names_that_escape_are_refused(course, tmp_path, name, words):
    before = sorted(tmp_path.rglob("*"))
    source = packed(tmp_path / "d.zip", {name: TEXT})
    students, notes = collect(course, "hw", source)
    assert students == [] and words in notes[0]
    assert sorted(tmp_path.rglob("*")) == sorted([*before, source])


def test_links_bombs_and_rubbish_in_an_archive(course, tmp_path, monkeypatch):
    link = zipfile.ZipInfo("ann_1.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    source = tmp_path / "d.zip"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bob_1.ipynb", "0" * 10**6)
        archive.writestr("carl_1.exe", "x")
        archive.writestr("__MACOSX/ann_1.ipynb", "x")
    monkeypatch.setattr(module, "MAX_NOTEBOOK_BYTES", 10**5)
    students, notes = collect(course, "hw", source)
    assert students == [] and "link" in notes[0] and "large" in notes[1] and len(notes) == 2


def test_what_was_handed_in_before_is_kept(course, tmp_path):
    collect(course, "hw", packed(tmp_path / "a.zip", {"ann_1.ipynb": "old"}))
    _, notes = collect(course, "hw", packed(tmp_path / "b.zip", {"ann_2.ipynb": TEXT}))
    folder = course.submissions("hw")["ann"]
    assert (folder / "nb.ipynb").read_text() == TEXT
    assert (folder / "nb.ipynb.old").read_text() == "old" and "replaces" in notes[0]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04broken", None])
def test_what_is_no_archive_is_told(course, tmp_path, content):
    source = tmp_path / "d.zip"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(CourseError, match="zip"):
        collect(course, "hw", source)
