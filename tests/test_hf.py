"""Checkpoints: there and back, the real one, and every way a folder can be wrong."""

import json
import os
import pickle
from dataclasses import replace

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from course_lib import VARIANTS, assemble, build, hf
from course_lib.data import english_sentences, weights_folder
from tests.parity.cases import CASES, SUFFIX, VOCABULARY, batch, reference
from tests.parity.compare import TOLERANCE

SAVED = [(variant, head) for variant, case in CASES.items() for head in case.heads]


def write(folder, tensors, config):
    """A checkpoint folder from its two halves."""
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


@pytest.fixture
def halves(tmp_path):
    """The tensors and the configuration of a tiny masked language model of the reference."""
    reference(CASES["bert-tiny"], "mlm").save_pretrained(tmp_path / "theirs")
    config = json.loads((tmp_path / "theirs" / "config.json").read_text(encoding="utf-8"))
    return load_file(tmp_path / "theirs" / "model.safetensors"), config


# --- there and back -----------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "head"), SAVED)
def test_ours_to_the_reference_and_back(variant, head, tmp_path):
    case = CASES[variant]
    theirs = reference(case, head)
    theirs.save_pretrained(tmp_path / "theirs")
    pooler = head is None and getattr(theirs, "pooler", None) is not None
    ours = hf.load(tmp_path / "theirs", head, pooler)

    hf.save(ours, tmp_path / "ours")
    their_class = getattr(transformers, case.kind + SUFFIX[head])
    read = their_class.from_pretrained(tmp_path / "ours", attn_implementation="eager")
    expected = theirs.state_dict()
    assert read.state_dict().keys() == expected.keys()
    for name, tensor in read.state_dict().items():
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0, msg=name)
    x = batch(case, 13, extras=False)
    inputs = {"input_ids": x.input_ids[:1], "output_hidden_states": True}
    if x.global_attention_mask is not None:
        inputs["global_attention_mask"] = x.global_attention_mask[:1]
    with torch.no_grad():
        states = [m(**inputs).hidden_states for m in (theirs, read)]
    assert all(map(torch.equal, *states))  # so the configuration says the same, too

    again = hf.load(tmp_path / "ours", head, pooler)
    assert again.spec == ours.spec
    for name, tensor in again.state_dict().items():
        assert torch.equal(tensor, ours.state_dict()[name]), name


@pytest.mark.parametrize("variant", ["spanbert", "deberta", "tinybert-4l"])
def test_heads_that_the_reference_lacks_come_back_too(variant, tmp_path):
    head = "distillation" if variant == "tinybert-4l" else "pretraining"
    spec = replace(VARIANTS[variant], width=24, heads=2, layers=2, feedforward=32, vocabulary=50)
    ours = assemble(spec, head)
    hf.save(ours, tmp_path)
    again = hf.load(tmp_path, head)
    assert again.spec == spec
    assert again.state_dict().keys() == ours.state_dict().keys()
    for name, tensor in ours.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name


def test_the_decoder_is_the_token_table_on_both_sides(tmp_path):
    spec = replace(VARIANTS["bert-tiny"], vocabulary=50)
    ours = assemble(spec, "mlm")
    hf.save(ours, tmp_path)
    assert "cls.predictions.decoder.weight" not in load_file(tmp_path / "model.safetensors")
    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path)
    tables = theirs.cls.predictions.decoder.weight, theirs.bert.embeddings.word_embeddings.weight
    assert tables[0] is tables[1]
    assert torch.equal(tables[0], ours.backbone.embeddings.token.weight)


def test_a_table_stored_only_as_the_decoder_is_found(halves, tmp_path):
    tensors, config = halves
    table = tensors.pop("bert.embeddings.word_embeddings.weight")
    tensors["cls.predictions.decoder.weight"] = table
    write(tmp_path, tensors, config)
    assert torch.equal(hf.load(tmp_path).embeddings.token.weight, table)


def test_a_plain_pickle_of_tensors_loads(halves, tmp_path):
    tensors, config = halves
    write(tmp_path, tensors, config)
    expected = hf.load(tmp_path, "mlm").state_dict()
    (tmp_path / "model.safetensors").unlink()
    torch.save(tensors, tmp_path / "pytorch_model.bin")
    loaded = hf.load(tmp_path, "mlm").state_dict()
    assert all(torch.equal(tensor, loaded[name]) for name, tensor in expected.items())


@pytest.mark.parametrize("prefix", ["bert.", ""])
def test_names_of_old_checkpoints(prefix, halves, tmp_path):
    tensors, config = halves
    expected = assemble_from(tensors, config, tmp_path / "new")
    old = {}
    for name, tensor in tensors.items():
        if not name.startswith("bert."):
            continue
        name = prefix + name.removeprefix("bert.")
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        old[name.replace("LayerNorm.bias", "LayerNorm.beta")] = tensor
    old[f"{prefix}embeddings.position_ids"] = torch.arange(64)[None]
    loaded = assemble_from(old, config, tmp_path / "old")
    assert all(torch.equal(x, loaded.state_dict()[n]) for n, x in expected.state_dict().items())


def assemble_from(tensors, config, folder):
    folder.mkdir()
    write(folder, tensors, config)
    return hf.load(folder)


def test_the_folder_may_be_a_string(halves, tmp_path):
    write(tmp_path, *halves)
    assert hf.load(str(tmp_path)).spec.width == 16


def test_a_loaded_model_is_in_evaluation_mode(halves, tmp_path):
    write(tmp_path, *halves)
    assert not hf.load(tmp_path).training


def test_a_head_can_start_from_random_weights(halves, tmp_path):
    write(tmp_path, *halves)
    model = hf.load(tmp_path, "classification", classes=5, new_head=True)
    assert model.head.classifier.weight.shape == (5, 16)
    assert model.head.classifier.weight.std() > 0


def test_the_number_of_classes_is_the_checkpoints(tmp_path):
    reference(CASES["roberta"], "classification").save_pretrained(tmp_path)
    assert hf.load(tmp_path, "classification")(torch.tensor([[4, 5]])).shape == (1, 3)


# --- a real checkpoint --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_a_real_bert_equals_the_reference_on_real_sentences(dtype):
    folder = weights_folder()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    sentences = english_sentences(20)
    x = tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
    real = x.attention_mask == 1
    assert len(sentences) == 20 and not real.all()
    theirs = transformers.BertModel.from_pretrained(
        folder, attn_implementation="eager", dtype=dtype
    )
    with torch.no_grad():
        expected = theirs.eval()(**x, output_hidden_states=True).hidden_states
        last, hidden = hf.load(folder).to(dtype)(
            x.input_ids, x.attention_mask, x.token_type_ids, hidden_states=True
        )
    assert len(hidden) == len(expected) == 7
    for ours, layer in zip(hidden, expected, strict=True):
        torch.testing.assert_close(ours[real], layer[real], rtol=0, atol=TOLERANCE[dtype])
    assert torch.equal(last, hidden[-1])


# --- a folder that is wrong ---------------------------------------------------------------------


def refused(folder, *words, head="mlm"):
    """`hf.load` raises a `ValueError` that says each of these words."""
    with pytest.raises(ValueError) as error:
        hf.load(folder, head)
    for word in words:
        assert word in str(error.value), f"{word!r} not in {error.value}"


def test_no_config(tmp_path):
    refused(tmp_path, "config.json", str(tmp_path))


@pytest.mark.parametrize("text", ["", "{", "not json", "\x00"])
def test_a_config_that_is_no_json(text, tmp_path):
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    refused(tmp_path, "config.json", "not JSON")


@pytest.mark.parametrize("config", ["[]", "3", "null", "{}", '{"model_type": "t5"}'])
def test_a_config_of_no_known_type(config, tmp_path):
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    refused(tmp_path, "model_type", "bert, roberta, albert")


def test_a_config_in_another_encoding(tmp_path):
    (tmp_path / "config.json").write_bytes('{"model_type": "bert"}'.encode("utf-16"))
    refused(tmp_path, "config.json", "not JSON")


@pytest.mark.parametrize("key", ["vocab_size", "hidden_size", "num_attention_heads", "hidden_act"])
def test_a_config_that_lacks_a_size(key, halves, tmp_path):
    tensors, config = halves
    del config[key]
    write(tmp_path, tensors, config)
    refused(tmp_path, "config.json", key)


@pytest.mark.parametrize(
    ("variant", "key", "value"),
    [
        ("bert-base", "hidden_act", "silu"),
        ("bert-base", "position_embedding_type", "relative_key"),
        ("bert-base", "is_decoder", True),
        ("albert", "num_hidden_groups", 2),
        ("albert", "inner_group_num", 2),
        ("distilbert", "sinusoidal_pos_embds", True),
        ("deberta", "relative_attention", False),
        ("deberta", "position_biased_input", True),
        ("deberta", "pos_att_type", ["c2p"]),
        ("deberta", "talking_head", True),
        ("longformer", "attention_window", [8, 8, 4]),
        ("gpt2", "scale_attn_by_inverse_layer_idx", True),
        ("gpt2", "add_cross_attention", True),
    ],
)
def test_a_config_that_asks_for_what_we_lack(variant, key, value, tmp_path):
    reference(CASES[variant], None).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {key: value}
    path.write_text(json.dumps(config), encoding="utf-8")
    refused(tmp_path, key, str(value), head=None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", "16"),
        ("layer_norm_eps", "1e-12"),
        ("hidden_dropout_prob", -0.1),
        ("num_attention_heads", 0),
        ("num_hidden_layers", None),
        ("vocab_size", -1),
        ("intermediate_size", 2.5),
        ("hidden_size", 17),
    ],
)
def test_a_config_with_an_impossible_size(key, value, halves, tmp_path):
    tensors, config = halves
    write(tmp_path, tensors, config | {key: value})
    refused(tmp_path, "width=17" if value == 17 else key)


def test_deberta_may_write_its_terms_as_a_string(tmp_path):
    reference(CASES["deberta"], None).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"pos_att_type": "c2p|p2c"}
    path.write_text(json.dumps(config), encoding="utf-8")
    assert hf.load(tmp_path).spec.attention == VARIANTS["deberta"].attention


def test_no_weights(halves, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(halves[1]), encoding="utf-8")
    refused(tmp_path, "model.safetensors", "pytorch_model.bin")


@pytest.mark.parametrize("keep", [0, 7, 100, 3_000])
def test_safetensors_cut_short(keep, halves, tmp_path):
    write(tmp_path, *halves)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    refused(tmp_path, "model.safetensors", "cut short")


class Opens:
    """Unpickled, it makes a folder: the harmless stand-in for any code at all."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@pytest.mark.parametrize(
    "how", [torch.save, lambda x, path: path.write_bytes(pickle.dumps(x, protocol=2))]
)
def test_a_pickle_with_code_is_refused_and_its_code_does_not_run(how, halves, tmp_path):
    tensors, config = halves
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    mark = tmp_path / "the code ran"
    how(tensors | {"extra": Opens(mark)}, tmp_path / "pytorch_model.bin")
    refused(tmp_path, "pytorch_model.bin", "refused", "safetensors")
    assert not mark.exists()


def test_a_whole_module_in_a_pickle_is_refused(halves, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(halves[1]), encoding="utf-8")
    torch.save(torch.nn.Linear(2, 2), tmp_path / "pytorch_model.bin")
    refused(tmp_path, "pytorch_model.bin", "refused")


@pytest.mark.parametrize("content", [b"", b"not a pickle", b"PK\x03\x04 broken"])
def test_a_damaged_pickle_is_refused(content, halves, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(halves[1]), encoding="utf-8")
    (tmp_path / "pytorch_model.bin").write_bytes(content)
    refused(tmp_path, "pytorch_model.bin")


@pytest.mark.parametrize("content", [[torch.ones(2)], {"a": 1}, torch.ones(2)])
def test_a_pickle_of_something_else_is_refused(content, halves, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(halves[1]), encoding="utf-8")
    torch.save(content, tmp_path / "pytorch_model.bin")
    refused(tmp_path, "pytorch_model.bin", "no table of named tensors")


@pytest.mark.parametrize(
    "name",
    [
        "bert.embeddings.word_embeddings.weight",
        "bert.encoder.layer.1.attention.self.key.bias",
        "cls.predictions.bias",
        "cls.predictions.transform.LayerNorm.weight",
    ],
)
def test_a_missing_tensor_is_named(name, halves, tmp_path):
    tensors, config = halves
    del tensors[name]
    write(tmp_path, tensors, config)
    refused(tmp_path, "lacks", name)


@pytest.mark.parametrize(
    "name",
    [
        "bert.encoder.layer.2.output.dense.weight",  # a layer too many
        "bert.encoder.layer.0.attention.self.query_global.weight",  # another family's
        "bert.embeddings.rel_embeddings.weight",
        "adapter.weight",
    ],
)
def test_an_unknown_tensor_is_named(name, halves, tmp_path):
    tensors, config = halves
    write(tmp_path, tensors | {name: torch.ones(16)}, config)
    refused(tmp_path, "unknown", name)


def test_a_misshapen_tensor_is_named_with_both_shapes(halves, tmp_path):
    tensors, config = halves
    name = "bert.encoder.layer.0.intermediate.dense.weight"
    write(tmp_path, tensors | {name: torch.ones(64, 15)}, config)
    refused(tmp_path, "misshapen", name, "(64, 15)", "(64, 16)")


def test_a_fused_tensor_of_the_wrong_width(tmp_path):
    reference(CASES["gpt2"], None).save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["h.0.attn.c_attn.weight"] = torch.ones(24, 70)
    save_file(tensors, tmp_path / "model.safetensors")
    refused(tmp_path, "h.0.attn.c_attn.weight is (24, 70), not (24, 72)", head=None)


@pytest.mark.parametrize("shape", [(24,), (71, 24), (2, 2, 2)])
def test_an_interleaved_tensor_of_the_wrong_shape(shape, tmp_path):
    reference(CASES["deberta"], None).save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["encoder.layer.0.attention.self.in_proj.weight"] = torch.ones(shape)
    save_file(tensors, tmp_path / "model.safetensors")
    refused(tmp_path, "in_proj", str(shape), head=None)


def test_only_a_few_of_many_names_are_listed(halves, tmp_path):
    tensors, config = halves
    few = {name: x for name, x in tensors.items() if "encoder" not in name}
    write(tmp_path, few, config)
    refused(tmp_path, "and 27 more")


def test_an_untied_decoder_is_refused(halves, tmp_path):
    tensors, config = halves
    other = torch.zeros(VOCABULARY, 16)
    write(tmp_path, tensors | {"cls.predictions.decoder.weight": other}, config)
    refused(tmp_path, "cls.predictions.decoder.weight", "untied")


def test_a_head_the_checkpoint_lacks(halves, tmp_path):
    write(tmp_path, *halves)
    refused(tmp_path, "lacks", "qa_outputs.weight", head="qa")


@pytest.mark.parametrize(("head", "near"), [("mln", "'mlm'"), ("lm", "Known"), ("", "Known")])
def test_a_head_that_does_not_exist(head, near, halves, tmp_path):
    write(tmp_path, *halves)
    refused(tmp_path, repr(head), near, "qa", head=head)


def test_a_pooler_the_checkpoint_lacks(halves, tmp_path):
    write(tmp_path, *halves)
    with pytest.raises(ValueError, match=r"bert\.pooler\.dense\.weight"):
        hf.load(tmp_path, pooler=True)


def test_a_spec_of_no_family_cannot_be_saved(tmp_path):
    spec = replace(VARIANTS["bert-tiny"], name="mine", vocabulary=20)
    with pytest.raises(ValueError, match=r"'mine'.*bert-base"):
        hf.save(assemble(spec), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_spec_that_left_its_family_cannot_be_saved(tmp_path):
    mixed = replace(VARIANTS["gpt2"], name="bert-tiny", width=16, heads=2, vocabulary=20)
    with pytest.raises(ValueError, match=r"no place for norm\.weight"):
        hf.save(assemble(replace(mixed, feedforward=16, layers=1)), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_build_and_load_share_their_heads(halves, tmp_path):
    write(tmp_path, *halves)
    ours = hf.load(tmp_path, "mlm")
    assert ours.state_dict().keys() == build("bert-tiny", "mlm").state_dict().keys()
