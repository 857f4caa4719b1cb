"""The code that reads the attention of a MarianMT, on a tiny one with random weights: nothing is downloaded."""

import ast
import importlib.util

import pytest
import torch
from torch.testing import assert_close

from reference.experiments.functions import mean_attention_map
from tests.paths import ROOT

transformers = pytest.importorskip("transformers")
LAYERS, HEADS, WORDS = 2, 4, 50


@pytest.fixture(scope="module")
def loading(tmp_path_factory):
    """The functions of the experiment that load and read a large translator; the rest of it would train."""
    text = (ROOT / "solutions/experiments/experiment.py").read_text(encoding="utf-8")
    names = ("marian_folders", "marian_map", "marian_example")
    functions = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name in names]
    assert [one.name for one in functions] == list(names)
    path = tmp_path_factory.mktemp("experiment") / "loading_code.py"
    imports = "import os\nfrom pathlib import Path\n\nimport torch\n\n"
    path.write_text(imports + "\n\n".join(map(ast.unparse, functions)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    found.mean_attention_map = mean_attention_map
    return found


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    config = transformers.MarianConfig(
        vocab_size=WORDS,
        d_model=16,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=32,
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=0,
        attn_implementation="eager",
    )
    return transformers.MarianMTModel(config).eval()


def test_the_map_is_the_mean_of_layers_and_heads_and_zero_at_padding(loading, model):
    src, tgt = torch.randint(3, WORDS, (2, 7)), torch.randint(3, WORDS, (2, 5))
    src_lengths, tgt_lengths = torch.tensor([7, 4]), torch.tensor([3, 5])
    found = loading.marian_map(model, src, src_lengths, tgt, tgt_lengths)
    assert found.shape == (2, 5, 7)
    assert_close(found[0, :3].sum(-1), torch.ones(3))
    assert_close(found[1].sum(-1), torch.ones(5))  # padding is masked, so nothing is lost with it
    assert found[0, 3:].eq(0).all()
    assert found[1, :, 4:].eq(0).all()
    with torch.no_grad():
        alone = model(input_ids=src[1:, :4], decoder_input_ids=tgt[1:], output_attentions=True).cross_attentions
    assert len(alone) == LAYERS
    assert alone[0].shape == (1, HEADS, 5, 4)
    assert_close(found[1, :, :4], sum(one.mean(1)[0] for one in alone) / LAYERS)


def test_a_saved_model_is_found_and_loaded_from_its_folder(loading, model, tmp_path, monkeypatch):
    model.save_pretrained(tmp_path)
    monkeypatch.setenv("ATTNGRADE_MARIAN", str(tmp_path))
    assert loading.marian_folders() == [tmp_path]
    again = transformers.MarianMTModel.from_pretrained(tmp_path, local_files_only=True, attn_implementation="eager")
    ids, lengths = torch.randint(3, WORDS, (1, 6)), torch.tensor([6])
    maps = [loading.marian_map(one.eval(), ids, lengths, ids, lengths) for one in (model, again)]
    assert_close(*maps)


def test_without_a_model_nothing_is_found(loading, tmp_path, monkeypatch):
    monkeypatch.delenv("ATTNGRADE_MARIAN", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert loading.marian_folders() == []
