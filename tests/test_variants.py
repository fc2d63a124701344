"""The variants are the published ones: configuration, parameters, and what each changes."""

from dataclasses import replace
from pathlib import Path

import pytest
import transformers

from course_lib import VARIANTS, Spec, diff, hf
from course_lib.bricks.activations import GELUTanh
from course_lib.hf_names import FAMILIES, FAMILY_OF
from tests.parity.counts import BUILD, COLUMNS, PUBLISHED, TABLE, parameters

NAMES = [
    "bert-base",
    "bert-large",
    "roberta",
    "albert",
    "distilbert",
    "spanbert",
    "deberta",
    "longformer",
    "tinybert-4l",
    "bert-tiny",
    "gpt2",
]

# What the published checkpoints' config.json says; the rest is the reference's default.
ROBERTA = {"vocab_size": 50_265, "max_position_embeddings": 514, "type_vocab_size": 1}
PUBLISHED_CONFIGS = {
    "bert-base": {},
    "bert-large": {
        "hidden_size": 1_024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4_096,
    },
    "roberta": ROBERTA | {"layer_norm_eps": 1e-5},
    "albert": {
        "vocab_size": 30_000,
        "embedding_size": 128,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3_072,
        "hidden_act": "gelu_new",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    },
    "distilbert": {},
    "spanbert": {"vocab_size": 28_996},
    "deberta": {
        "vocab_size": 50_265,
        "relative_attention": True,
        "position_biased_input": False,
        "pos_att_type": ["c2p", "p2c"],
        "max_relative_positions": -1,
        "type_vocab_size": 0,
        "layer_norm_eps": 1e-7,
    },
    "longformer": ROBERTA
    | {"max_position_embeddings": 4_098, "layer_norm_eps": 1e-5, "attention_window": [512] * 12},
    "tinybert-4l": {"hidden_size": 312, "num_hidden_layers": 4, "intermediate_size": 1_200},
    "bert-tiny": {
        "hidden_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 512,
    },
    "gpt2": {},
}


def test_all_variants_under_their_names():
    assert list(VARIANTS) == NAMES
    assert all(spec.name == name for name, spec in VARIANTS.items())
    assert VARIANTS["bert-base"] == Spec()


@pytest.mark.parametrize("name", NAMES)
def test_a_published_configuration_is_read_as_the_variant(name):
    kind = FAMILY_OF[name]
    config = transformers.CONFIG_MAPPING[kind](**PUBLISHED_CONFIGS[name]).to_dict()
    family = FAMILIES[kind]
    spec = hf.spec_from(config, family, family.spec, Path("config.json"))
    own = VARIANTS[name]  # what a configuration does not say: the name and the heads
    assert replace(spec, name=name, pretraining=own.pretraining, classifier=own.classifier) == own


@pytest.mark.parametrize("column", range(4), ids=COLUMNS)
@pytest.mark.parametrize("name", NAMES)
def test_exact_parameter_counts(name, column):
    expected = PUBLISHED[name]["parameters"][column]
    if expected is None:
        with pytest.raises(ValueError, match=name):
            parameters(VARIANTS[name], **BUILD[column])
    else:
        assert parameters(VARIANTS[name], **BUILD[column]) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_groups_sum_up_to_the_backbone(name):
    spec, groups = VARIANTS[name], TABLE["groups"][name]
    one, two = (parameters(replace(spec, layers=n, share_layers=False)) for n in (1, 2))
    assert two - one == groups["one layer"]
    final = 2 * spec.width if spec.block.final_norm else 0
    around = groups["embeddings"] + groups.get("projection", 0) + groups.get("relative table", 0)
    assert one - (two - one) == around + final
    if "pooler" in groups:
        assert parameters(spec, pooler=True) - parameters(spec) == groups["pooler"]


@pytest.mark.parametrize(
    ("name", "entry"), TABLE["other checkpoints"].items(), ids=TABLE["other checkpoints"]
)
def test_other_checkpoints_are_a_variant_with_another_vocabulary(name, entry):
    spec = replace(VARIANTS[entry["from"]], name=name, vocabulary=entry["vocabulary"])
    assert parameters(spec, pooler=True) == entry["parameters"]


def test_tinyberts_fit_dense_is_one_linear_for_the_embeddings_and_each_layer():
    spec = VARIANTS["tinybert-4l"]
    assert parameters(spec, head="distillation") - parameters(spec) == 5 * 240_384


def test_gpt2s_head_adds_nothing():
    spec = VARIANTS["gpt2"]
    assert parameters(spec, head="lm") == parameters(spec) == 124_439_808


@pytest.mark.parametrize(
    ("name", "longest"),
    [
        ("bert-base", 512),
        ("roberta", 512),
        ("longformer", 4_096),
        ("deberta", None),
        ("gpt2", 1_024),
    ],
)
def test_how_long_a_text_may_be(name, longest):
    assert VARIANTS[name].longest == longest


def test_the_widths_that_follow():
    assert VARIANTS["tinybert-4l"].head_width == 26
    assert VARIANTS["albert"].embedding_width == 128
    assert VARIANTS["bert-large"].embedding_width == 1_024


# --- diff ---------------------------------------------------------------------------------------


def test_a_diff_lists_what_changes_and_nothing_else():
    table = diff(VARIANTS["bert-base"], VARIANTS["albert"])
    assert [row[0] for row in table.rows] == [
        "vocabulary",
        "embeddings",
        "activation",
        "share_layers",
        "dropout",
        "attention_dropout",
        "pretraining",
    ]
    assert ("vocabulary", "30,522", "30,000") in table.rows
    assert ("activation", "GELU", "GELUTanh") in table.rows
    assert ("pretraining", "MaskedLM + NextSentence", "MaskedLM + SentenceOrder") in table.rows


def test_a_diff_prints_as_a_table():
    base = VARIANTS["bert-base"]
    table = diff(base, replace(base, name="other", activation=GELUTanh, pooler=None))
    assert str(table) == (
        "            bert-base  other\nactivation  GELU       GELUTanh\npooler      Pooler     none"
    )
    assert table._repr_html_().count("<tr>") == 3
    assert "<td>GELU</td><td>GELUTanh</td>" in table._repr_html_()


def test_nothing_differs_from_itself():
    assert diff(Spec(), Spec()).rows == []


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_variant_differs_from_bert_base(name):
    assert diff(VARIANTS["bert-base"], VARIANTS[name]).rows


@pytest.mark.parametrize("pair", [("roberta", "longformer"), ("bert-base", "gpt2")])
def test_a_diff_the_other_way_round_swaps_the_columns(pair):
    a, b = (VARIANTS[name] for name in pair)
    assert [(n, y, x) for n, x, y in diff(a, b).rows] == diff(b, a).rows


def test_a_width_that_does_not_split_into_heads_is_refused():
    with pytest.raises(ValueError, match=r"width=768 does not split into heads=7.*109\.71"):
        replace(Spec(), heads=7)
