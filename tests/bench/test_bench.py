"""What benchmarks measure with: addresses, a random encoder, the naive baseline."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from menpai.bench import random_bert
from menpai.bench.addresses import addresses
from menpai.bench.naive import Naive
from menpai.engine.engine import load
from menpai.model.manifest import Manifest

TINY = replace(
    random_bert.BERT_BASE, n_layers=2, width=32, n_heads=4, inner_width=64, vocab_size=600
)


def test_addresses_are_distinct_and_the_same_for_a_seed() -> None:
    """As many as wanted, of usual length."""
    found = addresses(2000, seed=3)
    assert len(set(found)) == 2000
    assert found == addresses(2000, seed=3) != addresses(2000, seed=4)
    assert 15 < sum(map(len, found)) / 2000 < 26


def test_random_encoder_depends_on_its_seed(tmp_path: Path) -> None:
    """One seed, one fingerprint."""
    pytest.importorskip("onnx")
    fingerprints = []
    for number, seed in enumerate((0, 0, 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        fingerprints.append(random_bert.write(folder, TINY, seed=seed).fingerprint)
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]


def test_naive_gives_the_same_similarity(tmp_path: Path) -> None:
    """The baseline is slow, not wrong; padding changes its speed alone."""
    pytest.importorskip("torch")
    random_bert.write(tmp_path, TINY)
    assert Manifest.read(tmp_path).config == TINY
    left, right = addresses(2)
    vectors = load(tmp_path, precision="fp32").encode([left, right]).vectors
    for padding in (64, 128):
        naive = Naive(tmp_path, padding=padding, n_threads=1)
        assert naive.similarity(left, right) == pytest.approx(
            float(np.dot(vectors[0], vectors[1])), abs=1e-4
        )
        naive.close()
