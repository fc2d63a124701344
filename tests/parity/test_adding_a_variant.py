"""CONTRIBUTING's recipe, followed to the letter: two blocks of code, and parity holds."""

import re

import pytest
import torch
import transformers

from course_lib import VARIANTS, build, hf, hf_names, variants
from tests.parity.cases import Case, sizes
from tests.parity.compare import TOLERANCE, differences

CASE = Case("electra-small", "Electra", sizes(24, 3, 2, 96, embedding_size=8))


@pytest.fixture
def electra(root, monkeypatch):
    """ELECTRA, added as CONTRIBUTING says and taken away after the test."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Adding a variant\n")[1].split("\n## ")[0]
    spec, family = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    in_variants, in_names = dict(vars(variants)), dict(vars(hf_names))
    exec(spec, in_variants)
    monkeypatch.setitem(VARIANTS, "electra-small", in_variants["ELECTRA_SMALL"])
    exec(family, in_names)
    monkeypatch.setitem(hf_names.FAMILIES, "electra", in_names["ELECTRA"])
    monkeypatch.setitem(hf_names.FAMILY_OF, "electra-small", "electra")


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("head", [None, "mlm", "qa"])
def test_the_new_variant_equals_the_reference(electra, head, dtype):
    differences(CASE, head, dtype).check(dtype)


def test_it_has_as_many_parameters_at_full_size(electra):
    with torch.device("meta"):
        ours = build("electra-small")
        theirs = transformers.ElectraModel(transformers.ElectraConfig())
    numbers = [sum(p.numel() for p in m.parameters()) for m in (ours, theirs)]
    assert numbers == [13_483_008] * 2


def test_the_reference_loads_what_we_save(electra, tmp_path):
    spec = hf.put(VARIANTS["electra-small"], "layers", 1)
    hf.save(ours := hf.Transformer(spec).eval(), tmp_path)
    theirs = transformers.ElectraModel.from_pretrained(tmp_path).eval()
    ids = torch.arange(10, 20)[None]
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).last_hidden_state, rtol=0, atol=1e-5)
