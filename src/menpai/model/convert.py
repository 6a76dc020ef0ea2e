"""A checkpoint to a folder that the runtimes load: graphs, tokenizer, known answers, manifest."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from menpai.errors import ConfigError, ModelError, StorageError
from menpai.model import checkpoint as checkpoints, golden, graph, probes, tokenizer as tokenizers
from menpai.model.batches import pad
from menpai.model.manifest import FILE as MANIFEST, Manifest
from menpai.model.open import reference
from menpai.model.runtimes.protocol import files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from menpai.model.checkpoint import Checkpoint
    from menpai.model.graph import Ranges
    from menpai.model.runtimes.protocol import Ints
    from menpai.model.tokenizer import Tokenizer, Tokens

N_CALIBRATION = 96
"""Inputs that the ranges of int8 are taken from, others than the known ones."""
_TAPPED = "tapped.onnx"


class Example(NamedTuple):
    """An input as an encoder reads it: tokens, and as many numbers of each channel."""

    tokens: Tokens
    channels: Mapping[str, Ints] = {}


def examples(
    tokens: Sequence[Tokens], channels: Mapping[str, Sequence[Ints]], places: Iterable[int]
) -> list[Example]:
    """Give some of many inputs, each with its numbers of every channel."""
    return [Example(tokens[i], {name: rows[i] for name, rows in channels.items()}) for i in places]


def convert(  # noqa: PLR0913 -- one for each choice that changes the folder
    source: str | Path,
    out: str | Path,
    *,
    pooling: str | None = None,
    prefix: str | None = None,
    max_length: int | None = None,
    int8: bool = True,
    calibration: Sequence[str] | None = None,
) -> Manifest:
    """Convert a checkpoint folder.

    The same source gives the same files, byte for byte, on the same versions of the libraries.

    Args:
        source: A folder as ModelScope or a hub leaves it.
        out: A folder to make; it must not exist, or be a converted one, which is replaced.
        pooling: See `menpai.model.checkpoint.read`, as for prefix and max_length.
        prefix: What is written before each text.
        max_length: Tokens read of a text or pair.
        int8: Whether a graph in int8 is made too.
        calibration: Addresses that the ranges of int8 are taken from; made-up ones if None.

    Raises:
        ModelError: The source cannot be used; see `read`.
        ConfigError: There is no address among those to calibrate with.
        StorageError: `out` is in the way or cannot be written.
    """
    out = Path(out).resolve()  # a link stays, and what it points to is replaced
    _check_target(out)
    if calibration is not None and not calibration:
        raise ConfigError("there is no address to calibrate with", field="calibration")
    found = checkpoints.read(source, pooling=pooling, prefix=prefix, max_length=max_length)
    with folder_aside(out) as aside:
        return write(found, aside, int8=int8, calibration=calibration)


def write(  # noqa: PLR0913 -- what a folder is made of
    found: Checkpoint,
    folder: Path,
    *,
    int8: bool = True,
    calibration: Sequence[str] | Sequence[Example] | None = None,
    channels: Mapping[str, Sequence[Ints]] | None = None,
    is_compact: bool = False,
) -> Manifest:
    """Write a checkpoint that was read, or made in memory, into a folder that is there.

    Args:
        found: The checkpoint.
        folder: Where it is written.
        int8: Whether a graph in int8 is made too.
        calibration: What the ranges of int8 are taken from: addresses, or whole inputs, as an
            encoder with channels needs them; made-up addresses if None.
        channels: What the encoder is told of the inputs whose answers are kept, which are
            `probes.pairs_of` the first addresses; nothing if None.
        is_compact: See `graph.build`.

    Raises:
        ModelError: The checkpoint gives numbers that are not finite.
        ConfigError: There is nothing to calibrate with.
    """
    plain = graph.build(found.design, found.weights, is_compact=is_compact)
    graph.save(plain, folder / files_of("fp32"))
    tokenizer = found.tokenizer
    tokenizer.save(folder / tokenizers.FILE)
    manifest = Manifest.of(found, _fingerprint(found, folder))
    manifest.write(folder)
    known = probes.tokens(manifest, tokenizer, 0, probes.N_GOLDEN)
    with reference(folder, found.design, "fp32") as runtime:
        outputs = golden.outputs(runtime, manifest, tokenizer, known, channels)
    if not np.isfinite(outputs).all():
        raise ModelError("the checkpoint gives numbers that are not finite: its weights are broken")
    golden.write(folder, outputs, channels)
    if int8:
        manifest = _add_int8(found, folder, manifest, calibration, is_compact=is_compact)
    manifest.write(folder)
    return manifest


def _fingerprint(found: Checkpoint, folder: Path) -> str:
    """Digest of all that changes an answer: the graph with its weights, tokenizer, treatment."""
    content = checkpoints.digest([folder / files_of("fp32"), folder / tokenizers.FILE])
    treatment = (found.kind, found.prefix, found.has_segments, found.max_length, found.labels)
    return hashlib.sha256(f"{content} {treatment!r}".encode()).hexdigest()


def _add_int8(
    found: Checkpoint,
    folder: Path,
    manifest: Manifest,
    calibration: Sequence[str] | Sequence[Example] | None,
    *,
    is_compact: bool,
) -> Manifest:
    tokenizer = found.tokenizer
    examples = list(_examples(manifest, tokenizer, calibration))
    if not examples:  # ranges of nothing would make a graph that answers with noise
        raise ConfigError("there is nothing to calibrate with", field="calibration")
    ranges = _ranges(found, folder, examples)
    own = graph.build(found.design, found.weights, ranges=ranges, is_compact=is_compact)
    graph.save(own, folder / files_of("int8"))
    with reference(folder, found.design, "int8") as runtime:
        gate = golden.check(runtime, folder, manifest, tokenizer)
    # The ranges are part of what decides an answer: other addresses to calibrate with, other graph.
    passed = {**gate.to_dict(), "digest": checkpoints.digest([folder / files_of("int8")])}
    return replace(manifest, precisions=(*manifest.precisions, "int8"), gates={"int8": passed})


def _examples(
    manifest: Manifest,
    tokenizer: Tokenizer,
    calibration: Sequence[str] | Sequence[Example] | None,
) -> Iterator[Example]:
    if calibration is None:
        for tokens in probes.tokens(manifest, tokenizer, probes.N_GOLDEN, N_CALIBRATION):
            yield Example(tokens)
        return
    for given in calibration:
        if isinstance(given, Example):
            yield given
    texts = [given for given in calibration if isinstance(given, str)]
    for tokens in probes.made_of(manifest, tokenizer, texts):
        yield Example(tokens)


def _ranges(found: Checkpoint, folder: Path, inputs: Sequence[Example]) -> Ranges:
    """Least and greatest value of every linear map's input over the inputs.

    Each runs alone: padding would widen the ranges by values that no token has.
    """
    tapped, names = graph.build_tapped(found.design, found.weights)
    graph.save(tapped, folder / _TAPPED)
    low = np.full(len(names), np.inf)
    high = np.full(len(names), -np.inf)
    with reference(folder, found.design, "fp32", file=_TAPPED) as runtime:
        for tokens, channels in inputs:
            batch = pad(
                [tokens],
                len(tokens.ids),
                found.tokenizer.pad_id,
                has_segments=found.has_segments,
                names=dict(found.config.channels),
                channels={name: [numbers] for name, numbers in channels.items()},
            )
            ends = runtime.run(batch)
            low, high = np.minimum(low, ends[:, 0]), np.maximum(high, ends[:, 1])
    (folder / _TAPPED).unlink()
    return {name: (float(a), float(b)) for name, a, b in zip(names, low, high, strict=True)}


def _check_target(out: Path) -> None:
    if out.exists() and not (out / MANIFEST).is_file() and not _is_empty(out):
        raise StorageError(f"{out} is in the way: it is no converted checkpoint")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def folder_aside(out: Path) -> Iterator[Path]:
    """Give a folder to write to that takes the place of `out` when all went well."""
    aside = out.with_name(f".{out.name}.{os.getpid()}.partial")
    shutil.rmtree(aside, ignore_errors=True)  # of a process with this number that was killed
    try:
        aside.mkdir(parents=True)
        yield aside
        _replace(out, aside)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _replace(out: Path, new: Path) -> None:
    """Put a folder in another's place; where that fails, the other stays."""
    if not out.exists():
        new.replace(out)
        return
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    shutil.rmtree(old, ignore_errors=True)
    out.replace(old)
    try:
        new.replace(out)
    except OSError:
        old.replace(out)
        raise
    shutil.rmtree(old, ignore_errors=True)
