"""A checkpoint folder as ModelScope or a hub leaves it, read and understood; nothing is run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from menpai.errors import ModelError
from menpai.model import keys, pooling as poolings
from menpai.model.config import EncoderConfig
from menpai.model.folder import read_json
from menpai.model.graph import Design
from menpai.model.labels import labels as find_labels
from menpai.model.tokenizer import FILE as TOKENIZER, read as read_tokenizer
from menpai.model.weights import Weights, files

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from menpai.model.pooling import Pooling
    from menpai.model.tokenizer import Tokenizer

    Array = NDArray[np.float32]

Family = Literal["mgeo", "bert"]
Kind = Literal["vectors", "pairs", "rank", "tags"]

MAX_LENGTH = 128
"""Tokens read of a text or pair unless another limit is asked for. Of the public benchmark's pairs
the longest has 102; a longer limit lets one text slow its whole batch."""

_TASKS: dict[str, Kind] = {
    "sentence-similarity": "pairs",
    "sen-sim-tokenizer": "pairs",
    "text-classification": "pairs",
    "text-ranking": "rank",
    "mgeo-ranking": "rank",
    "token-classification": "tags",
    "token-cls-tokenizer": "tags",
}
_SOURCES = (
    "config.json",
    "configuration.json",
    "label_mapping.json",
    "vocab.txt",
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)


class Head(NamedTuple):
    """The linear map from a vector to one number for each label: (labels, width), (labels,)."""

    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a folder holds.

    Attributes:
        folder: Where it lies.
        family: "mgeo", or any other "bert".
        kind: What it was trained for: "vectors" (an encoder without head), "pairs" (a label for
            two texts), "rank" (one number for two texts), "tags" (a label for each token).
        config: Sizes of the encoder.
        encoder: Its weights, float32, by the names of `menpai.model.keys`, with the pooler if any.
        head: What turns vectors into labels; None for vectors.
        labels: What the head's outputs mean, in their order.
        pooling: How one vector is made of the tokens' ones; None where a head does.
        prefix: What is written before each text, as some encoders were trained with.
        has_segments: Whether the second text of a pair is marked as such.
        max_length: Tokens that are read of a text or pair.
        tokenizer: What cuts texts to its tokens.
        dropped: Keys of the file that are not used.
        source_digest: SHA-256 of the files that decide what the model answers.
    """

    folder: Path
    family: Family
    kind: Kind
    config: EncoderConfig
    encoder: Mapping[str, Array]
    head: Head | None
    labels: tuple[str, ...]
    pooling: Pooling | None
    prefix: str
    has_segments: bool
    max_length: int
    tokenizer: Tokenizer
    dropped: tuple[str, ...]
    source_digest: str

    @property
    def design(self) -> Design:
        """What its graph computes."""
        return Design(
            config=self.config,
            pooling=self.pooling,
            has_pooler=self.kind in {"pairs", "rank"},
            has_head=self.head is not None,
        )

    def describe(self) -> dict[str, Any]:
        """Tell what was found: plain values for JSON, without the weights."""
        return {
            "family": self.family,
            "kind": self.kind,
            "config": self.config.to_dict(),
            "labels": list(self.labels),
            "pooling": self.pooling,
            "prefix": self.prefix,
            "has_segments": self.has_segments,
            "max_length": self.max_length,
            "n_parameters": sum(array.size for array in self.weights.values()),
            "n_tokens": self.tokenizer.n_tokens,
            "dropped": list(self.dropped),
            "source_digest": self.source_digest,
        }

    @property
    def weights(self) -> dict[str, Array]:
        """All weights, the head's among them."""
        if self.head is None:
            return dict(self.encoder)
        return {**self.encoder, **dict(zip(keys.HEAD, self.head, strict=True))}


def read(
    folder: str | Path,
    *,
    pooling: str | None = None,
    prefix: str | None = None,
    max_length: int | None = None,
) -> Checkpoint:
    """Read a folder.

    Args:
        folder: A folder with config.json, weights and vocabulary.
        pooling: "cls", "mean" or "max", instead of what the folder says. Without either, MGeo
            takes the first token and any other encoder the mean, as their users do.
        prefix: What is written before each text, instead of what the folder says.
        max_length: Tokens read of a text or pair, instead of the folder's, at most `MAX_LENGTH`.

    Raises:
        ModelError: The folder is incomplete, damaged, contradicts itself, or holds another kind
            of model. The message lists keys that are missing or unexpected.
        MissingExtraError: Its weights need a library that is not installed.
    """
    folder = Path(folder)
    files_read = _Files(folder)
    config = EncoderConfig.from_hub(files_read.config)
    paths = files(folder)
    weights = Weights(paths)
    kind = _kind(files_read, weights)
    found = keys.sort(weights.keys(), config, needs_pooler=kind in {"pairs", "rank"})
    arrays = {name: weights.array(key) for name, key in found.used.items()}
    head = _head(arrays)
    is_mgeo = found.is_mgeo or files_read.model_type == "mgeo"
    if kind != "vectors":
        wanted: Pooling | None = None
    else:
        wanted = _pooling(folder, pooling, is_mgeo=is_mgeo)
    length = _max_length(folder, config, max_length)
    checkpoint = Checkpoint(
        folder=folder,
        family="mgeo" if is_mgeo else "bert",
        kind=kind,
        config=config,
        encoder=arrays,
        head=head,
        labels=_labels(files_read, kind, head),
        pooling=wanted,
        prefix=_prefix(folder) if prefix is None else prefix,
        has_segments=kind == "pairs" or (kind == "rank" and not is_mgeo),
        max_length=length,
        tokenizer=read_tokenizer(folder, length),
        dropped=found.dropped,
        source_digest=digest([*(folder / name for name in _SOURCES), *paths]),
    )
    _check_shapes(checkpoint)
    _check_vocabulary(checkpoint)
    return checkpoint


def digest(paths: list[Path]) -> str:
    """SHA-256, as hexadecimal digits, of the names and contents of those files that are there."""
    total = hashlib.sha256()
    for path in paths:
        if not path.is_file():
            continue
        total.update(path.name.encode() + b"\0" + _content_digest(path))
    return total.hexdigest()


def _content_digest(path: Path) -> bytes:
    content = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            content.update(block)
    return content.digest()


class _Files:
    """The JSON files of a folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ModelError(f"no folder {folder}")
        config = read_json(folder / "config.json")
        if config is None:
            raise ModelError(f"no config.json in {folder}")
        self.config: Mapping[str, Any] = config
        self.configuration: Mapping[str, Any] = read_json(folder / "configuration.json") or {}
        self.label_mapping: Mapping[str, Any] | None = read_json(folder / "label_mapping.json")

    @property
    def model_type(self) -> object:
        model = self.configuration.get("model")
        return model.get("type") if isinstance(model, dict) else None


def _kind(found: _Files, weights: Weights) -> Kind:
    """What the checkpoint is for: by its head, then ModelScope's task, then the hub's class."""
    heads = [key for key in weights.keys() if key.endswith(keys.HEAD)]  # noqa: SIM118
    kind = _said(found)
    if not heads:
        if kind is not None:
            raise ModelError(f"the files speak of {kind}, but the weights have no classifier")
        return "vectors"
    if kind is None:
        raise ModelError(
            "the weights have a classifier, but neither configuration.json (task, "
            "preprocessor.type) nor config.json (architectures) says what it classifies"
        )
    is_single = len(weights.array(heads[0])) == 1  # as many rows of the weight as of the bias
    return "rank" if kind == "pairs" and is_single else kind


def _said(found: _Files) -> Kind | None:
    """What the files say of a classifier; None if they speak of none."""
    preprocessor = found.configuration.get("preprocessor")
    words = (
        preprocessor.get("type") if isinstance(preprocessor, dict) else None,
        found.configuration.get("task"),
    )
    for word in map(str, words):
        if word in _TASKS:
            return _TASKS[word]
    names = " ".join(map(str, found.config.get("architectures") or ()))
    if "ForTokenClassification" in names:
        return "tags"
    return "pairs" if "ForSequenceClassification" in names else None


def _head(arrays: dict[str, Array]) -> Head | None:
    """Take the head out of the arrays."""
    missing = [name for name in keys.HEAD if name not in arrays]
    if len(missing) == len(keys.HEAD):
        return None
    if missing:
        raise ModelError(f"the classifier is incomplete: missing (1): {missing[0]}")
    return Head(*(arrays.pop(name) for name in keys.HEAD))


def _labels(found: _Files, kind: Kind, head: Head | None) -> tuple[str, ...]:
    if head is None:
        return ()
    if kind == "rank":
        return ("relevant",)
    named = find_labels(found.label_mapping, found.configuration, found.config)
    if named is None:
        raise ModelError("no file names the labels of the classifier")
    if len(named) != len(head.bias):
        raise ModelError(
            f"the classifier has {len(head.bias)} outputs, but {len(named)} labels are named"
        )
    return named


def _pooling(folder: Path, wanted: str | None, *, is_mgeo: bool) -> Pooling:
    found = poolings.recipe(folder)
    if wanted is not None:
        return poolings.check_pooling(wanted, "pooling")
    return found or ("cls" if is_mgeo else "mean")


def _prefix(folder: Path) -> str:
    """The prompt that a sentence encoder writes before every text unless told otherwise."""
    values = read_json(folder / "config_sentence_transformers.json") or {}
    prompts, name = values.get("prompts"), values.get("default_prompt_name")
    if not name:
        return ""
    if not isinstance(prompts, dict) or name not in prompts:
        raise ModelError(
            f"config_sentence_transformers.json: there is no prompt {name!r} among the prompts"
        )
    return str(prompts[name])


def _max_length(folder: Path, config: EncoderConfig, wanted: int | None) -> int:
    if wanted is not None:
        if not _SHORTEST <= wanted <= config.max_positions:
            raise ModelError(
                f"max_length {wanted} is not between {_SHORTEST} and the {config.max_positions} "
                "positions of the encoder"
            )
        return wanted
    values = read_json(folder / "sentence_bert_config.json") or {}
    own = values.get("max_seq_length") or MAX_LENGTH
    return min(MAX_LENGTH, int(own), config.max_positions)


_SHORTEST = 8
"""Room for the marks of a pair and a few characters of each text."""


def _check_shapes(checkpoint: Checkpoint) -> None:
    wrong = [
        f"{name} {array.shape} instead of {shape}"
        for name, array in checkpoint.weights.items()
        if array.shape != (shape := keys.shape(name, checkpoint.config, len(checkpoint.labels)))
    ]
    if wrong:
        raise ModelError(f"weights of another size than config.json says: {'; '.join(wrong[:5])}")


def _check_vocabulary(checkpoint: Checkpoint) -> None:
    """Refuse the vocabulary of another model: it would answer, and be wrong, in silence."""
    n_tokens, n_rows = checkpoint.tokenizer.n_tokens, checkpoint.config.vocab_size
    # Only a tokenizer.json leaves rows of the embeddings unused, where the encoder was padded.
    may_be_less = (checkpoint.folder / TOKENIZER).is_file()
    if n_tokens > n_rows or (n_tokens < n_rows and not may_be_less):
        raise ModelError(
            f"{TOKENIZER if may_be_less else 'vocab.txt'} has {n_tokens} tokens, but the encoder "
            f"has embeddings for {n_rows}"
        )
