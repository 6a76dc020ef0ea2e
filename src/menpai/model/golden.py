"""Known answers: what a converted folder gave in fp32, and how far another run is from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ModelError
from menpai.model import probes
from menpai.model.batches import pad
from menpai.model.folder import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from menpai.model.manifest import Manifest
    from menpai.model.runtimes.protocol import Ints, Precision, Runtime
    from menpai.model.tokenizer import Tokenizer, Tokens

    Array = NDArray[np.floating[Any]]
    Channels = Mapping[str, Sequence[Ints]]

FILE = "golden.json"

VECTOR_TOLERANCE: dict[Precision, float] = {"fp32": 1e-5, "bf16": 1e-2, "fp16": 5e-3, "int8": 2e-2}
"""Greatest difference of a text's cosine with itself in fp32 from 1."""
PROBABILITY_TOLERANCE: dict[Precision, float] = {
    "fp32": 1e-3,
    "bf16": 2e-2,
    "fp16": 1e-2,
    "int8": 5e-2,
}
"""Greatest difference of a label's probability from the one in fp32."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far outputs are from the known ones.

    Attributes:
        precision: What they were computed in.
        max_abs_difference: Greatest difference of two numbers: of unit vectors' entries, or of
            probabilities.
        max_cosine_difference: Greatest 1 - cosine of a vector with the known one; None for labels.
        tolerance: What may be: of the cosine for vectors, of the probabilities for labels.
        passed: Whether all is finite and within tolerance.
    """

    precision: Precision
    max_abs_difference: float
    max_cosine_difference: float | None
    tolerance: float
    passed: bool

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return {
            "max_abs_difference": self.max_abs_difference,
            "max_cosine_difference": self.max_cosine_difference,
            "precision": self.precision,
            "tolerance": self.tolerance,
            "passed": self.passed,
        }


def outputs(
    runtime: Runtime,
    manifest: Manifest,
    tokenizer: Tokenizer,
    inputs: Sequence[Tokens],
    channels: Channels | None = None,
) -> Array:
    """Unit vectors, or probabilities, of inputs that run in one batch; tags flattened by row."""
    length = max(len(tokens.ids) for tokens in inputs)
    batch = pad(
        inputs,
        length,
        tokenizer.pad_id,
        has_segments=manifest.has_segments,
        names=dict(manifest.config.channels),
        channels=channels,
    )
    found = readable(runtime.run(batch), manifest)
    if manifest.kind == "tags":
        found = found * batch.mask[:, :, None]
    return found.reshape(len(inputs), -1)


def readable(output: Array, manifest: Manifest) -> Array:
    """Make of a runtime's output what it means: unit vectors or probabilities."""
    if manifest.kind == "vectors":
        return unit(output)
    return sigmoid(output) if manifest.kind == "rank" else softmax(output)


def unit(vectors: Array) -> Array:
    """Scale vectors to length 1; one without a length becomes NaN, for those who look for it."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(vectors / norms)


def softmax(logits: Array) -> Array:
    """Probabilities of labels; the greatest logit is taken off first, so that none overflows."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def sigmoid(logits: Array) -> Array:
    """Probability of one logit, without overflow on either side."""
    small = np.exp(-np.abs(logits))
    return np.where(logits >= 0, 1.0, small) / (1.0 + small)


def write(folder: Path, known: Array, channels: Channels | None = None) -> None:
    """Keep outputs beside the graph, and what the encoder was told of the inputs beside tokens."""
    content: dict[str, Any] = {
        "outputs": [[float(f"{value:.8g}") for value in row] for row in known.tolist()]
    }
    if channels:
        content["channels"] = {n: [row.tolist() for row in rows] for n, rows in channels.items()}
    (folder / FILE).write_text(f"{json.dumps(content)}\n", encoding="utf-8")


def check(runtime: Runtime, folder: Path, manifest: Manifest, tokenizer: Tokenizer) -> Deviation:
    """Run the known inputs and compare.

    Raises:
        ModelError: The folder has no known outputs, or such of another shape.
    """
    known, channels = _known(folder)
    inputs = probes.tokens(manifest, tokenizer, 0, len(known))
    _check_channels(channels, inputs, manifest)
    found = outputs(runtime, manifest, tokenizer, inputs, channels)
    if found.shape != known.shape:
        raise ModelError(f"{FILE} does not fit: outputs {found.shape} instead of {known.shape}")
    return deviation(found, known, runtime.precision, manifest)


def _known(folder: Path) -> tuple[Array, Channels]:
    values = read_json(folder / FILE)
    if values is None:
        raise ModelError(f"{folder} has no {FILE}: convert the checkpoint again")
    try:
        known = np.array(values["outputs"], np.float64)
        channels = {
            name: [np.array(row, np.int32) for row in rows]
            for name, rows in values.get("channels", {}).items()
        }
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ModelError(f"{FILE} in {folder} is damaged") from error
    if known.ndim != 2 or not known.size:
        raise ModelError(f"{FILE} in {folder} is damaged")
    return known, channels


def _check_channels(channels: Channels, inputs: Sequence[Tokens], manifest: Manifest) -> None:
    """Refuse numbers that a runtime would fail on, or read beyond its tables for."""
    sizes = dict(manifest.config.channels)
    lengths = [len(tokens.ids) for tokens in inputs]
    for name, rows in channels.items():
        fits = [row.shape for row in rows] == [(length,) for length in lengths]
        if name not in sizes or not fits or not _is_below(rows, sizes[name]):
            raise ModelError(f"{FILE} does not fit: the channel {name!r} is another one")


def _is_below(rows: Sequence[Ints], size: int) -> bool:
    return all(((row >= 0) & (row < size)).all() for row in rows)


def deviation(found: Array, known: Array, precision: Precision, manifest: Manifest) -> Deviation:
    """Compare outputs with known ones, row by row."""
    difference = float(np.abs(found - known).max())
    if manifest.kind != "vectors":
        tolerance = PROBABILITY_TOLERANCE[precision]
        return Deviation(precision, difference, None, tolerance, difference <= tolerance)
    cosine = float((1.0 - (unit(found) * unit(known)).sum(axis=-1)).max())
    tolerance = VECTOR_TOLERANCE[precision]
    return Deviation(precision, difference, max(cosine, 0.0), tolerance, cosine <= tolerance)
