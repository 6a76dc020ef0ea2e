"""A BERT-base with random weights: as fast as a trained one, and there without a download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from menpai.model import convert, keys
from menpai.model.checkpoint import MAX_LENGTH, Checkpoint
from menpai.model.config import EncoderConfig
from menpai.model.tokenizer import from_vocabulary
from menpai.train.vocabulary import BASE

if TYPE_CHECKING:
    from menpai.model.manifest import Manifest

BERT_BASE = EncoderConfig(
    n_layers=12,
    width=768,
    n_heads=12,
    inner_width=3072,
    vocab_size=21128,
    max_positions=512,
    n_types=2,
    activation="gelu",
    norm_epsilon=1e-12,
)
_SPREAD = 0.02  # as BERT's own weights begin


def write(folder: Path, config: EncoderConfig = BERT_BASE, *, seed: int = 0) -> Manifest:
    """Convert a random encoder into a folder that is there.

    The vocabulary has the marks, printable ASCII and then the Chinese characters by code point,
    each a token of its own, as in the vocabulary of bert-base-chinese.
    """
    return convert.write(checkpoint(config, seed), folder)


def checkpoint(config: EncoderConfig, seed: int) -> Checkpoint:
    """Make a checkpoint in memory whose vectors are those of the first token."""
    rng = np.random.default_rng(seed)
    return Checkpoint(
        folder=Path("random"),
        family="bert",
        kind="vectors",
        config=config,
        encoder={name: _weight(rng, name, config) for name in keys.expected(config)},
        head=None,
        labels=(),
        pooling="cls",
        prefix="",
        has_segments=False,
        max_length=MAX_LENGTH,
        tokenizer=from_vocabulary(vocabulary(config.vocab_size), MAX_LENGTH),
        dropped=(),
        source_digest=f"random {seed} {config}",
    )


def vocabulary(n_tokens: int) -> list[str]:
    """Marks, ASCII at the beginning and inside of words, then Chinese characters."""
    return [*BASE, *map(chr, range(0x4E00, 0x4E00 + n_tokens - len(BASE)))]


def _weight(rng: np.random.Generator, name: str, config: EncoderConfig) -> np.ndarray:
    shape = keys.shape(name, config)
    if "LayerNorm" in name:
        return np.full(shape, 1.0 if name.endswith("weight") else 0.0, np.float32)
    if name.endswith("bias"):
        return np.zeros(shape, np.float32)
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(_SPREAD)
