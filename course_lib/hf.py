"""Checkpoints in the reference library's format: read a folder into our bricks, or write one.

The names are data, in `hf_names.py`; the code here is the same for all families. Nothing imports
the reference library.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from course_lib.heads import WithHead
from course_lib.hf_names import ACTIVATIONS, FAMILIES, FAMILY_OF, Family, Rule, rules
from course_lib.model import HEADS, Transformer, assemble, choose
from course_lib.spec import Spec


def rules_of(family: Family, head: str | None, model: Transformer | WithHead) -> Iterator[Rule]:
    """One rule for each tensor of theirs that this model fills, with full names on both sides."""
    own = set(model.state_dict())
    table = [replace(r, ours=tuple(f"backbone.{x}" for x in r.ours)) for r in family.names]
    if head is None:
        table = family.names
    else:
        table += rules(("head.", ""), family.heads[head][1])
    for rule in table:
        for layer in range(model.spec.layers + 1) if "{}" in rule.theirs else (0,):
            for suffix in ("", ".weight", ".bias"):
                ours = tuple(name.format(layer) + suffix for name in rule.ours)
                if ours[0] in own:
                    yield Rule(ours, rule.theirs.format(layer) + suffix, rule.layout)


def canonical(name: str, family: Family) -> str:
    """A tensor's name as a checkpoint with a head has it: prefixed, LayerNorms in today's words."""
    for old, new in ((".gamma", ".weight"), (".beta", ".bias")):
        name = name.removesuffix(old) + new if name.endswith(old) else name
    for old, new in family.renames.items():
        name = new + name.removeprefix(old) if name.startswith(old) else name
    full = f"{family.prefix}.{name}"
    return full if matches(full, [r.theirs for r in family.names] + [*family.buffers]) else name


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a tensor's name is one of these, up to the layer's number and .weight or .bias."""
    blank = unnumbered(name)
    stems = {blank, blank.removesuffix(".weight"), blank.removesuffix(".bias")}
    return not stems.isdisjoint(map(unnumbered, patterns))


def unnumbered(name: str) -> str:
    """A name with {} for each number in it."""
    return re.sub(r"\.(\d+|\{\})(?=\.|$)", ".{}", name)


def optional(name: str, family: Family) -> bool:
    """Whether a tensor may be left over: it belongs to a head or pooler, or is no weight at all."""
    heads = [theirs for _, table in family.heads.values() for theirs in table.values()]
    poolers = [rule.theirs for rule in family.names if "pooler" in rule.theirs]
    return matches(name, [*heads, *poolers, *family.tied, *family.buffers])


def get(choice: Any, path: str) -> Any:
    """The slot of a Spec that a dotted path names."""
    for part in path.split("."):
        choice = getattr(choice, part)
    return choice


def put(choice: Any, path: str, value: Any) -> Any:
    """A copy of a Spec with the slot that a dotted path names set to a value."""
    first, _, rest = path.partition(".")
    return replace(choice, **{first: put(getattr(choice, first), rest, value) if rest else value})


def spec_from(config: dict[str, Any], family: Family, start: Spec, source: Path) -> Spec:
    """The Spec that a reference configuration describes."""
    for key, needed in family.fixed.items():
        given = config.get(key, needed)
        given = given.split("|") if key == "pos_att_type" and isinstance(given, str) else given
        if given != needed:
            raise ValueError(
                f"{source}: {key} is {given!r}, but our {family.prefix} has only {needed!r}."
            )
    values = {
        path: read_value(config, key, get(start, path), source)
        for path, key in family.config.items()
    }
    spec = start
    for path in [path for path in values if "." in path]:
        spec = put(spec, path, values.pop(path))
    return replace(spec, **values)  # at once: only together do width and heads fit each other


OPTIONAL_KEYS = {"n_inner", "sep_token_id", "max_relative_positions", "pad_token_id"}
MAY_BE_ZERO = {"type_vocab_size", "sep_token_id", "pad_token_id"}


def read_value(config: dict[str, Any], key: str, default: Any, source: Path) -> Any:
    """One value of a reference configuration in our terms."""
    if config.get(key) is None and key not in OPTIONAL_KEYS and "drop" not in key:
        raise ValueError(f"{source} lacks {key!r}, without which the model cannot be built.")
    value = config.get(key)
    if key == "n_inner":
        return value or 4 * config["n_embd"]
    if key == "max_relative_positions":
        return value if value and value > 0 else config.get("max_position_embeddings", default)
    if value is None:
        return default
    if key in ("hidden_act", "activation", "activation_function"):
        if value not in ACTIVATIONS:
            raise ValueError(f"{source}: {key} is {value!r}. Known: {', '.join(ACTIVATIONS)}.")
        return ACTIVATIONS[value]
    if key == "attention_window" and isinstance(value, list):
        if len(set(value)) != 1:
            raise ValueError(f"{source}: attention_window differs between layers: {value}.")
        value = value[0]
    whole = not isinstance(default, float)
    least = 0 if key in MAY_BE_ZERO or not whole else 1
    if not isinstance(value, int if whole else int | float) or value < least:
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{source}: {key} is {value!r}, but must be {kind} from {least} up.")
    return value


def config_of(model: Transformer | WithHead, kind: str, head: str | None) -> dict[str, Any]:
    """The reference configuration that describes a model."""
    spec, family = model.spec, FAMILIES[kind]
    config: dict[str, Any] = {"model_type": kind, **family.fixed}
    config["architectures"] = [family.heads[head][0] if head else family.backbone]
    for path, key in family.config.items():
        value = get(spec, path)
        if isinstance(value, type):
            value = {v: k for k, v in ACTIVATIONS.items()}[value]
        config[key] = [value] * spec.layers if key == "attention_window" else value
    if kind == "deberta":
        config["max_position_embeddings"] = config["max_relative_positions"]
    if kind == "gpt2":
        config["embd_pdrop"] = spec.dropout
    if head == "classification":
        classes = len(model.get_parameter("head.classifier.weight"))
        config["id2label"] = {str(i): f"LABEL_{i}" for i in range(classes)}
        config["label2id"] = {f"LABEL_{i}": i for i in range(classes)}
    return config


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a checkpoint folder. Raises `ValueError` for anything but plain weights."""
    safe, pickled = folder / "model.safetensors", folder / "pytorch_model.bin"
    if safe.is_file():
        try:
            return load_file(safe)
        except SafetensorError as error:
            raise ValueError(f"{safe} is no safetensors file, or is cut short: {error}") from error
    if pickled.is_file():
        try:
            tensors = torch.load(pickled, map_location="cpu", weights_only=True)
        except Exception as error:  # a pickle can fail in any way at all; none of its code may run
            raise ValueError(
                f"{pickled} is refused: it holds more than plain tensors, or is damaged. A pickle "
                "can run any code when it is opened. Ask for the weights as model.safetensors."
            ) from error
        if isinstance(tensors, dict) and all(isinstance(x, Tensor) for x in tensors.values()):
            return tensors
        raise ValueError(f"{pickled} holds no table of named tensors.")
    raise ValueError(f"{folder} has neither model.safetensors nor pytorch_model.bin.")


def read_config(folder: Path) -> dict[str, Any]:
    """A checkpoint folder's configuration."""
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"{folder} has no config.json. Give the folder that holds the checkpoint.")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in FAMILIES:
        raise ValueError(f"{path}: model_type is {kind!r}. Known: {', '.join(FAMILIES)}.")
    return config


def untie(tensors: dict[str, Tensor], family: Family, folder: Path) -> None:
    """Fill in a tensor that is stored only under its tied name; refuse two that differ."""
    for copy, original in family.tied.items():
        if copy in tensors and original in tensors:
            if not torch.equal(tensors[copy], tensors[original]):
                raise ValueError(
                    f"{folder}: {copy} differs from {original}. Our heads share the token table, "
                    "so an untied checkpoint cannot be loaded."
                )
        elif copy in tensors:
            tensors[original] = tensors[copy]


@overload
def load(folder: str | Path, head: None = None, pooler: bool = False) -> Transformer: ...


@overload
def load(
    folder: str | Path,
    head: str,
    pooler: bool = False,
    classes: int | None = None,
    new_head: bool = False,
) -> WithHead: ...


def load(
    folder: str | Path,
    head: str | None = None,
    pooler: bool = False,
    classes: int | None = None,
    new_head: bool = False,
) -> Transformer | WithHead:
    """Build the model a checkpoint folder describes and give it the folder's weights.

    The folder holds config.json and model.safetensors (or pytorch_model.bin, plain tensors only).
    Heads and poolers not asked for are left aside. With `new_head` a head or its pooler that the
    checkpoint lacks starts from random weights, to be fine-tuned. Raises `ValueError` for a folder
    that is not such a checkpoint, and for a tensor that is missing, unknown, or of the wrong shape,
    by name.
    """
    folder = Path(folder)
    config = read_config(folder)
    family = FAMILIES[config["model_type"]]
    if head is not None:
        choose("head", head, list(family.heads))
    tensors = {canonical(name, family): x for name, x in read_tensors(folder).items()}
    untie(tensors, family, folder)
    start = next((s for name, s in family.variants.items() if name in tensors), family.spec)
    spec = spec_from(config, family, start, folder / "config.json")
    if classes is None:
        classes = stored_classes(tensors, family) if head == "classification" else 2
    model = assemble(spec, head, pooler, classes)

    own = model.state_dict()
    state: dict[str, Tensor] = {}
    missing: list[str] = []
    wrong: list[str] = []
    for rule in rules_of(family, head, model):
        parts = [own[name] for name in rule.ours]
        if rule.theirs in tensors:
            whole = tensors.pop(rule.theirs)
            expected = rule.layout.join([x.to("meta") for x in parts], spec).shape
            if whole.shape != expected:
                wrong.append(f"{rule.theirs} is {tuple(whole.shape)}, not {tuple(expected)}")
                continue
            parts = list(rule.layout.split(whole, len(parts), spec))
        elif not (new_head and rule.ours[0].startswith(("head.", "backbone.pooler."))):
            missing.append(rule.theirs)
        state.update(zip(rule.ours, parts, strict=True))
    unknown = [name for name in tensors if not optional(name, family)]
    for what, names in (("lacks", missing), ("has unknown", unknown), ("has misshapen", wrong)):
        if names:
            few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            raise ValueError(f"{folder} {what} tensors for {head or 'the backbone'}: {few}.")
    model.load_state_dict(state)
    return model.eval()


def stored_classes(tensors: dict[str, Tensor], family: Family) -> int:
    """How many classes a checkpoint's classification head has."""
    name = family.heads["classification"][1]["classifier"] + ".weight"
    return len(tensors[name]) if name in tensors else 2


def save(model: Transformer | WithHead, folder: str | Path) -> None:
    """Write a model as config.json and model.safetensors that the reference library loads.

    Raises `ValueError` for a Spec that belongs to no family of the reference.
    """
    spec = model.spec
    if spec.name not in FAMILY_OF:
        raise ValueError(
            f"No family of the reference is known for {spec.name!r}. Keep the name of the variant "
            f"it was made from: {', '.join(FAMILY_OF)}."
        )
    kind = FAMILY_OF[spec.name]
    family, head = FAMILIES[kind], head_name(model)
    own = model.state_dict()
    tensors = {}
    for rule in rules_of(family, head, model):
        theirs = rule.theirs if head else rule.theirs.removeprefix(f"{family.prefix}.")
        tensors[theirs] = rule.layout.join([own.pop(x) for x in rule.ours], spec).contiguous()
    if own:
        raise ValueError(
            f"The reference's {kind} has no place for {', '.join(own)}. Is the Spec still the one "
            f"of {spec.name}?"
        )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.dumps(config_of(model, kind, head), indent=2)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")


def head_name(model: Transformer | WithHead) -> str | None:
    """The name under which a model's head was built."""
    if isinstance(model, Transformer):
        return None
    if isinstance(model.head, model.spec.classifier):
        return "classification"
    return next(name for name, kind in HEADS.items() if type(model.head) is kind)
