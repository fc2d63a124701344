"""``tokenizer.json``, the one file in which the reference library keeps a tokenizer.

What is particular to WordPiece or BPE in it is read and written beside those.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from course_lib.tokenizers.base import Frame, Tokenizer

Json = dict[str, Any]


def read_json(path: Path, kind: str) -> Json:
    """The content of ``tokenizer.json``; ValueError when it holds another kind of model."""
    saved: Json = json.loads(path.read_text("utf-8"))
    found = saved["model"].get("type", kind)
    if found != kind:
        raise ValueError(f"{path} holds a {found} tokenizer, not {kind}")
    return saved


def add_saved(tokenizer: Tokenizer, tokens: Iterable[Json]) -> None:
    """Add the words that ``tokenizer.json`` lists beside its vocabulary.

    ValueError when the file gives one another id than its place: a row of the model would be wrong.
    """
    for token in sorted(tokens, key=lambda token: int(token["id"])):
        word, expected = token["content"], token["id"]
        if token.get("lstrip"):
            tokenizer.takes_space.add(word)
        if word not in tokenizer.vocabulary or token["special"]:
            (got,) = tokenizer.add_tokens([word], special=token["special"])
            if got != expected:
                raise ValueError(f"the added token {word!r} has id {expected}, but {got} is next")


def write_json(
    folder: Path,
    tokenizer: Tokenizer,
    model: Json,
    normalizer: Json | None,
    splitter: Json,
    decoder: Json,
) -> None:
    """Write ``tokenizer.json``; what special tokens and frame need is taken from the tokenizer."""
    listed = {*tokenizer.special, *tokenizer.added}
    added = [
        {
            "id": tokenizer.vocabulary[token],
            "content": token,
            "special": token in tokenizer.special,
            "normalized": token not in tokenizer.special,
            "single_word": False,
            "lstrip": token in tokenizer.takes_space,
            "rstrip": False,
        }
        for token in sorted(listed, key=tokenizer.vocabulary.__getitem__)
    ]
    saved = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": splitter,
        "post_processor": _template(tokenizer),
        "decoder": decoder,
        "model": model,
    }
    (folder / "tokenizer.json").write_text(json.dumps(saved, ensure_ascii=False), "utf-8")


def _template(tokenizer: Tokenizer) -> Json:
    """The frame in the reference's words."""
    frame, second = tokenizer.frame, tokenizer.frame.second_type

    def special(tokens: tuple[str, ...], kind: int) -> list[Json]:
        return [{"SpecialToken": {"id": token, "type_id": kind}} for token in tokens]

    def text(name: str, kind: int) -> list[Json]:
        return [{"Sequence": {"id": name, "type_id": kind}}]

    head = special(frame.start, 0) + text("A", 0)
    tail = special(frame.between, 0) + text("B", second) + special(frame.end, second)
    return {
        "type": "TemplateProcessing",
        "single": head + special(frame.end, 0),
        "pair": head + tail,
        "special_tokens": {
            token: {"id": token, "ids": [tokenizer.vocabulary[token]], "tokens": [token]}
            for token in (*frame.start, *frame.between, *frame.end)
        },
    }


def read_frame(template: Json | None) -> Frame:
    """The frame that a post-processor of ``tokenizer.json`` sets around texts."""
    if template is None or template["type"] == "ByteLevel":
        return Frame()
    if template["type"] == "RobertaProcessing":
        start, end = template["cls"][0], template["sep"][0]
        return Frame((start,), (end, end), (end,))
    if template["type"] != "TemplateProcessing":
        raise ValueError(f"the post-processor {template['type']!r} is not supported")
    parts: list[list[str]] = [[]]
    for step in template["pair"]:
        if "Sequence" in step:
            parts.append([])
        else:
            parts[-1].append(step["SpecialToken"]["id"])
    start, between, end = map(tuple, parts)
    second = template["pair"][len(start) + 1 + len(between)]["Sequence"]["type_id"]
    return Frame(start, between, end, second)
