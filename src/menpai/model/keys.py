"""What the weights of a checkpoint are called: by others, and here.

Here they have the names of the transformers library without the leading "bert.". Everything that
a checkpoint calls otherwise stands in the tables of this module.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from menpai.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from menpai.model.config import EncoderConfig

_MGEO = re.compile(r"^(?:module\.)?(?:bert\.)?text_encoder\.")
_PREFIXES = (
    _MGEO,
    re.compile(r"^(?:module\.)?bert\.(?!gis|text_encoder)"),
    re.compile(r"^module\.(?=embeddings\.|encoder\.|pooler\.|classifier\.)"),
)
_OLD_NAMES = ((".LayerNorm.gamma", ".LayerNorm.weight"), (".LayerNorm.beta", ".LayerNorm.bias"))
"""The first BERTs, converted from TensorFlow, call the two parts of a layer norm so."""

_UNUSED = (
    re.compile(r"position_ids$"),
    re.compile(r"crossattention"),  # MGeo's image of another modality, never run on text
    re.compile(r"^(?:module\.)?(?:bert\.)?gis"),  # the map: encoder, projection, type
    re.compile(r"^(?:module\.)?(?:text_cls|gis_cls|cls)\."),  # heads of pretraining
)
_LAYER = re.compile(r"^encoder\.layer\.(\d+)\.")
_HEAD = re.compile(r"^(?:module\.)?classifier\.(weight|bias)$")

LAYER_PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
POOLER = ("pooler.dense.weight", "pooler.dense.bias")
HEAD = ("classifier.weight", "classifier.bias")


class Sorted(NamedTuple):
    """Keys of a checkpoint by what becomes of them: names here to names there, and the rest."""

    used: dict[str, str]
    dropped: tuple[str, ...]
    is_mgeo: bool


def expected(config: EncoderConfig) -> Iterator[str]:
    """Names of all weights that an encoder needs, without pooler and head."""
    for table in ("word", "position", "token_type", *(f"channel_{n}" for n, _ in config.channels)):
        yield f"embeddings.{table}_embeddings.weight"
    yield from ("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")
    for layer in range(config.n_layers):
        for part in LAYER_PARTS:
            yield from (f"encoder.layer.{layer}.{part}.{kind}" for kind in ("weight", "bias"))


def shape(name: str, config: EncoderConfig, n_labels: int = 0) -> tuple[int, ...]:
    """The shape of a weight: (outputs, inputs), (rows, width) of a table, or (outputs,)."""
    tables = {
        "embeddings.word_embeddings.weight": config.vocab_size,
        "embeddings.position_embeddings.weight": config.max_positions,
        "embeddings.token_type_embeddings.weight": config.n_types,
        **{f"embeddings.channel_{n}_embeddings.weight": size for n, size in config.channels},
    }
    if name in tables:
        return (tables[name], config.width)
    rows, columns = config.width, config.width
    if ".intermediate." in name:
        rows = config.inner_width
    elif name.startswith("classifier."):
        rows = n_labels
    elif ".output.dense." in name and ".attention." not in name:
        columns = config.inner_width
    return (rows,) if name.endswith(".bias") or ".LayerNorm." in name else (rows, columns)


def sort(keys: Iterable[str], config: EncoderConfig, *, needs_pooler: bool) -> Sorted:
    """Find the encoder's weights among a checkpoint's keys.

    Args:
        keys: Keys as they stand in the file.
        config: What the encoder is to consist of.
        needs_pooler: Whether the checkpoint is of no use without its pooler.

    Raises:
        ModelError: A weight of the encoder is missing, or one is there that it has no place for.
            An encoder with a weight left at random would answer, and nobody would see it.
    """
    keys = list(keys)
    is_mgeo = any(_MGEO.match(key) for key in keys)
    used: dict[str, str] = {}
    dropped: list[str] = []
    for key in keys:
        name = _name(key)
        if name is None or (is_mgeo and _is_beyond(name, config.n_layers)):
            dropped.append(key)
        elif name in used:
            raise ModelError(f"two keys for one weight: {used[name]} and {key}")
        else:
            used[name] = key
    _check(used, config, needs_pooler=needs_pooler)
    return Sorted(used, tuple(sorted(dropped)), is_mgeo)


def _name(key: str) -> str | None:
    """The name here of a key there; None for a weight that is not used."""
    if any(pattern.search(key) for pattern in _UNUSED):
        return None
    head = _HEAD.match(key)
    if head is not None:
        return f"classifier.{head[1]}"
    for prefix in _PREFIXES:
        key = prefix.sub("", key, count=1)
    for old, new in _OLD_NAMES:
        key = key.replace(old, new)
    return key


def _is_beyond(name: str, n_layers: int) -> bool:
    """Say whether a weight is of a layer after the fusion layer, where MGeo's text mode ends."""
    layer = _LAYER.match(name)
    return layer is not None and int(layer[1]) >= n_layers


def _check(used: dict[str, str], config: EncoderConfig, *, needs_pooler: bool) -> None:
    needed = list(expected(config)) + (list(POOLER) if needs_pooler else [])
    allowed = {*needed, *POOLER, *HEAD}
    missing = [name for name in needed if name not in used]
    unexpected = [key for name, key in used.items() if name not in allowed]
    if missing or unexpected:
        raise ModelError(
            "the weights are not those of the encoder in config.json: "
            f"{_listed('missing', missing)}; {_listed('unexpected', unexpected)}"
        )


def _listed(what: str, keys: list[str], most: int = 20) -> str:
    if not keys:
        return f"{what}: none"
    more = f" and {len(keys) - most} more" if len(keys) > most else ""
    return f"{what} ({len(keys)}): {', '.join(keys[:most])}{more}"
