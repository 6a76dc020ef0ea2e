"""Made-up addresses that come with the package, to calibrate with and to check against."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from menpai.model.manifest import Manifest
    from menpai.model.tokenizer import Tokenizer, Tokens

N_GOLDEN = 8
"""Inputs whose outputs a converted folder keeps."""


@cache
def addresses() -> tuple[str, ...]:
    """All addresses, clean and messy in turn."""
    text = (files("menpai.model") / "data" / "addresses.txt").read_text(encoding="utf-8")
    return tuple(text.splitlines())


def tokens(manifest: Manifest, tokenizer: Tokenizer, start: int, n_inputs: int) -> list[Tokens]:
    """Inputs of a checkpoint's own kind, made of the addresses from one on."""
    return made_of(manifest, tokenizer, addresses()[start : start + n_inputs])


def made_of(manifest: Manifest, tokenizer: Tokenizer, texts: Sequence[str]) -> list[Tokens]:
    """Inputs of a checkpoint's own kind, one for each text."""
    first = [f"{manifest.prefix}{text}" for text in texts]
    if not manifest.has_pairs:
        return tokenizer.texts(first)
    second = [right for _, right in pairs_of(texts)]
    return tokenizer.pairs(list(zip(first, second, strict=True)))


def pairs_of(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Make pairs, one for each text: with itself without its beginning, or with its neighbour."""
    return [(text, texts[i - 1] if i % 2 else text[3:]) for i, text in enumerate(texts)]
