"""From a converted checkpoint to a model that learns further, and back to a converted one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from menpai.engine import features
from menpai.errors import ConfigError, ModelError
from menpai.model import convert, graph, probes
from menpai.model.checkpoint import Checkpoint, Head
from menpai.model.manifest import Manifest
from menpai.model.runtimes.protocol import files_of
from menpai.model.tokenizer import FILE as TOKENIZER, Tokenizer
from menpai.train import network

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from menpai.model.checkpoint import Kind
    from menpai.model.config import EncoderConfig
    from menpai.model.runtimes.protocol import Ints

    Array = NDArray[np.float32]


class Base(NamedTuple):
    """What learning begins with."""

    manifest: Manifest
    weights: Mapping[str, Array]
    tokenizer: Tokenizer

    @property
    def marks_pairs(self) -> bool:
        """Whether the second text of a pair is marked as such.

        A model of pairs goes on as it is; an encoder of single texts says nothing of pairs, and
        marks them where it has an embedding for the mark.
        """
        if self.manifest.has_pairs:
            return self.manifest.has_segments
        return self.manifest.config.n_types > 1

    def without_channels(self) -> Base:
        """Give the same encoder as one of single texts: it answers as if each channel were 0."""
        weights = {name: v for name, v in self.weights.items() if network.CHANNEL not in name}
        tables = [v for name, v in self.weights.items() if network.CHANNEL in name]
        if tables:  # what each adds to every token is added to every place
            places = weights[_PLACES]
            weights[_PLACES] = places + sum(
                (table[0] for table in tables), np.zeros_like(places[0])
            )
        config = replace(self.manifest.config, channels=())
        return self._replace(manifest=replace(self.manifest, config=config), weights=weights)


_PLACES = "embeddings.position_embeddings.weight"


def read(folder: Path, *, max_length: int | None = None) -> Base:
    """Read a converted folder.

    Args:
        folder: What `menpai model convert` made.
        max_length: Tokens to read of an input; as in the folder if None.

    Raises:
        ModelError: It is no such folder.
        ConfigError: `max_length` is more than the encoder has places for.
        MissingExtraError: The extra torch is not installed.
    """
    manifest = Manifest.read(folder)
    length = manifest.max_length if max_length is None else max_length
    if not 4 <= length <= manifest.config.max_positions:
        raise ConfigError(
            f"max_length {length} is not between 4 and {manifest.config.max_positions}",
            field="max_length",
        )
    tokenizer = Tokenizer.load(folder / TOKENIZER, length)
    return Base(manifest, graph.weights(folder / files_of("fp32")), tokenizer)


def classifier(
    base: Base, config: EncoderConfig, labels: Sequence[str], *, by_token: bool, seed: int
) -> network.Classifier:
    """Make a model that begins with a base's encoder; a head of other labels begins at random.

    Args:
        base: What learning begins with.
        config: Sizes of the encoder; it may have channels that the base has not.
        labels: What the model's numbers mean.
        by_token: Whether each token gets a label.
        seed: What is drawn where the base has nothing.

    Raises:
        ModelError: The base's weights are not those of the encoder.
    """
    torch.manual_seed(seed)
    model = network.Classifier(config, len(labels), by_token=by_token)
    network.restore(model.encoder, base.weights)
    if model.pooler is not None and base.manifest.has_pooler:
        _restore(model.pooler.dense, "pooler.dense", base.weights)
    own = base.manifest.labels
    if sorted(own) == sorted(labels) and base.manifest.has_pooler != by_token:
        _restore(model.classifier, "classifier", base.weights, [own.index(name) for name in labels])
    return model


def _restore(
    linear: nn.Linear, name: str, found: Mapping[str, Array], rows: Sequence[int] | None = None
) -> None:
    """Set a linear map, its outputs in the order that is wanted.

    Raises:
        ModelError: It is missing, or of another size.
    """
    state = linear.state_dict()
    for kind, own in state.items():
        value = found.get(f"{name}.{kind}")
        if value is None:
            raise ModelError(f"the weights lack {name}.{kind}")
        chosen = value if rows is None else value[list(rows)]
        state[kind] = network.tensor(f"{name}.{kind}", chosen, own)
    linear.load_state_dict(state)


def write(  # noqa: PLR0913 -- what a checkpoint is made of
    model: network.Classifier,
    base: Base,
    folder: Path,
    *,
    kind: Kind,
    labels: tuple[str, ...],
    temperature: float,
    calibration: Sequence[convert.Example],
) -> Manifest:
    """Write what was learned into a folder that is there.

    Args:
        model: What was learned.
        base: What learning began with.
        folder: Where it is written.
        kind: What the model gives.
        labels: What its numbers mean.
        temperature: What they are divided by, so that the probabilities are true.
        calibration: Inputs that the ranges of int8 are taken from.

    Raises:
        ModelError: What was learned gives numbers that are not finite.
    """
    encoder, head = parts_of(model, temperature)
    found = Checkpoint(
        folder=folder,
        family=base.manifest.family,
        kind=kind,
        config=model.encoder.config,
        encoder=encoder,
        head=head,
        labels=labels,
        pooling=None,
        prefix="",
        has_segments=base.marks_pairs if kind in {"pairs", "rank"} else base.manifest.has_segments,
        max_length=base.tokenizer.max_length,
        tokenizer=base.tokenizer,
        dropped=(),
        source_digest=_digest(encoder, network.weights(model.classifier)),
    )
    channels = told(base.tokenizer) if found.config.channels else None
    return convert.write(found, folder, calibration=calibration, channels=channels)


def parts_of(model: network.Classifier, temperature: float = 1.0) -> tuple[dict[str, Array], Head]:
    """Give what was learned as a checkpoint holds it: the encoder with its pooler, and the head.

    Args:
        model: What was learned.
        temperature: What the head's numbers are divided by.
    """
    encoder = network.weights(model.encoder)
    if model.pooler is not None:
        encoder |= {f"pooler.{n}": value for n, value in network.weights(model.pooler).items()}
    head = network.weights(model.classifier)
    return encoder, Head(head["weight"] / temperature, head["bias"] / temperature)


def told(tokenizer: Tokenizer) -> dict[str, list[Ints]]:
    """Give what a model with channels is told of the inputs whose answers a folder keeps."""
    pairs = probes.pairs_of(probes.addresses()[: probes.N_GOLDEN])
    return features.channels(pairs, tokenizer.pairs(pairs, with_offsets=True))


def _digest(*parts: Mapping[str, Array]) -> str:
    found = hashlib.sha256()
    for part in parts:
        for name, value in sorted(part.items()):
            found.update(name.encode() + value.tobytes())
    return found.hexdigest()
