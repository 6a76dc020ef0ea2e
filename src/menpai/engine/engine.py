"""The engine: a converted checkpoint with its tokenizer, batches and caches, ready for texts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from menpai.address import divisions
from menpai.address.parse import PARSER_VERSION
from menpai.batching.plan import Limits
from menpai.cache.flight import SingleFlight
from menpai.cache.keys import digest
from menpai.cache.memory import MemoryCache
from menpai.cache.verdicts import VerdictCache
from menpai.engine import features, inputs as encoder_inputs, tuning
from menpai.engine.executor import Executor
from menpai.engine.tags import Span, spans
from menpai.errors import ConfigError, MenpaiError
from menpai.events import Events, Truncated
from menpai.machine import n_cpus
from menpai.model.manifest import Manifest
from menpai.model.open import Opened, open_folder
from menpai.text.normalize import NORMALIZER_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from menpai.engine.executor import Channels
    from menpai.events import Event
    from menpai.model.tokenizer import Tokens

    Array = NDArray[np.float32]
    Pair = encoder_inputs.Pair

MAX_TOKENS = 2048
"""Padded tokens of a batch: BERT-base on two processors does no more per second with more."""
MAX_ROWS = 256
WINDOW = 2048
"""Texts that are sorted by length together, and held as tokens at one time."""
COMPILED = "compiled"
_VERDICTS = 200_000
_WARM_TEXT = "浙江省杭州市滨江区望澜路88号3栋1单元502室"
_WARM_LENGTHS = (8, 14, 18, 22, 26, 30)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors of texts.

    Attributes:
        vectors: float32 (n, dim), each of length 1; zeros for a text that failed.
        is_truncated: bool (n,), where the end of a text was not read.
        errors: Why texts failed, by their places.
    """

    vectors: Array
    is_truncated: NDArray[np.bool_]
    errors: dict[int, MenpaiError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Classified:
    """Verdicts on pairs.

    Attributes:
        probabilities: float32 (n, labels), in the order of the engine's labels; for a rank model
            (n, 1). Zeros for a pair that failed.
        is_truncated: bool (n,), where the end of a text was not read.
        errors: Why pairs failed, by their places.
    """

    probabilities: Array
    is_truncated: NDArray[np.bool_]
    errors: dict[int, MenpaiError] = field(default_factory=dict)


class Engine:
    """A loaded checkpoint; see `load`. Threads may share one."""

    def __init__(
        self,
        opened: Opened,
        executor: Executor,
        events: Events,
        *,
        cache_bytes: int,
        cache_dtype: Literal["float32", "float16"],
    ) -> None:
        self._opened = opened
        self._executor = executor
        self._events = events
        self.fingerprint = _fingerprint(opened)
        self._key = self.fingerprint.encode()
        self.cache = (
            MemoryCache(self.dim, cache_bytes, cache_dtype, events)
            if self.kind == "vectors" and cache_bytes
            else None
        )
        self._verdicts = VerdictCache(_VERDICTS, events) if cache_bytes else None
        self._flight: SingleFlight[Any] = SingleFlight()

    @property
    def kind(self) -> str:
        """What the checkpoint gives: "vectors", "pairs", "rank" or "tags"."""
        return self._opened.manifest.kind

    @property
    def labels(self) -> tuple[str, ...]:
        """What the numbers of a verdict or tag mean; () for vectors."""
        return self._opened.manifest.labels

    @property
    def calibration(self) -> Mapping[str, Any]:
        """How the checkpoint's numbers are to be read, as its menpai.json says."""
        return self._opened.manifest.calibration or {}

    @property
    def dim(self) -> int:
        """Numbers of a vector."""
        return self._opened.manifest.config.width

    def info(self) -> dict[str, Any]:
        """Tell what runs, and how: plain values for JSON."""
        runtime, manifest = self._opened.runtime, self._opened.manifest
        return {
            "kind": manifest.kind,
            "family": manifest.family,
            "labels": list(manifest.labels),
            "pooling": manifest.pooling,
            "dim": self.dim,
            "max_length": manifest.max_length,
            "runtime": runtime.name,
            "precision": runtime.precision,
            "device": runtime.device,
            "n_threads": runtime.n_threads,
            "n_streams": runtime.n_streams,
            "max_tokens": self._executor.limits.max_tokens,
            "fingerprint": self.fingerprint,
            "deviation": self._opened.deviation.to_dict(),
            "notes": list(self._opened.notes),
        }

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Give each text its vector; equal texts, and those that are cached, are computed once.

        Raises:
            ConfigError: The checkpoint gives no vectors.
        """
        self._check("vectors")
        inputs, errors = self._inputs(texts)
        answers = self._answers(inputs, self._cached_vectors, self._compute_vectors)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        _fill(vectors, inputs, answers, errors)
        return Encoded(vectors, self._truncated(len(texts), inputs), errors)

    def classify(self, pairs: Sequence[Pair], *, raw: bool = False) -> Classified:
        """Give each pair the probabilities of the labels.

        Args:
            pairs: Two texts each. The order does not matter: they are put into one that depends on
                the texts alone, as the model itself may answer otherwise the other way round.
            raw: Whether the texts go to the model as they are and in the order given.

        Raises:
            ConfigError: The checkpoint judges no pairs.
        """
        self._check("pairs", "rank")
        inputs, errors = self._pair_inputs(pairs, raw=raw)
        answers = self._answers(inputs, self._cached_verdicts, self._compute_verdicts)
        found = np.zeros((len(pairs), len(self.labels)), np.float32)
        _fill(found, inputs, answers, errors)
        return Classified(found, self._truncated(len(pairs), inputs), errors)

    def tag(self, texts: Sequence[str]) -> list[list[Span] | MenpaiError]:
        """Give the spans of each text, as it is written, or the error that it met.

        Raises:
            ConfigError: The checkpoint tags nothing.
        """
        self._check("tags")
        found: list[list[Span] | MenpaiError] = []
        for start in range(0, len(texts), WINDOW):
            found += self._tag(texts[start : start + WINDOW])
        return found

    def warm_up(self) -> None:
        """Run the shapes of one and two texts, and a full batch, so that no caller waits.

        A full batch of another shape needs no more at its first run than at later ones.
        """
        for n_characters in _WARM_LENGTHS:
            text = (_WARM_TEXT * (n_characters // len(_WARM_TEXT) + 1))[:n_characters]
            has_pairs = self._opened.manifest.has_pairs
            tokens = self._tokenise([(text, text) if has_pairs else text])
            self._channels([(text, text)], tokens)  # what they are told of has tables to load
            for n_texts in (1, 2):
                self._executor.run(tokens * n_texts)
        self._executor.run(tokens * (self._executor.limits.max_tokens // len(tokens[0].ids)))

    def close(self) -> None:
        """Let the model, its threads and the caches go."""
        self._executor.close()
        if self.cache is not None:
            self.cache.close()

    # Inputs.

    def _check(self, *kinds: str) -> None:
        if self.kind not in kinds:
            raise ConfigError(f"this checkpoint gives {self.kind}, not {' or '.join(kinds)}")

    def _inputs(self, texts: Sequence[str]) -> tuple[dict[int, str], dict[int, MenpaiError]]:
        """What the encoder reads of each text, and which texts it cannot read."""
        inputs: dict[int, str] = {}
        errors: dict[int, MenpaiError] = {}
        with self._events.stage("normalise", len(texts)):
            for place, text in enumerate(texts):
                _file(place, encoder_inputs.of_text(text), inputs, errors)
        return inputs, errors

    def _pair_inputs(
        self, pairs: Sequence[Pair], *, raw: bool
    ) -> tuple[dict[int, Pair], dict[int, MenpaiError]]:
        inputs: dict[int, Pair] = {}
        errors: dict[int, MenpaiError] = {}
        with self._events.stage("normalise", 2 * len(pairs)):
            for place, (left, right) in enumerate(pairs):
                value = (left, right) if raw else encoder_inputs.of_pair(left, right)
                _file(place, value, inputs, errors)
        return inputs, errors

    def _truncated(self, n: int, inputs: dict[int, Any]) -> NDArray[np.bool_]:
        """Which inputs are longer than the model reads: most are too short to need counting."""
        is_truncated = np.zeros(n, np.bool_)
        room = self._opened.manifest.max_length - 3 - len(self._opened.manifest.prefix)
        long = [place for place, value in inputs.items() if _n_characters(value) > room]
        if long:
            with self._events.stage("tokenise", 0):  # for the model they were counted
                tokens = self._cut([inputs[place] for place in long])
            is_truncated[long] = [item.is_truncated for item in tokens]
        self._tell_truncated(int(is_truncated.sum()))
        return is_truncated

    def _tell_truncated(self, n_items: int) -> None:
        if n_items:
            self._events.emit(Truncated(n_items))

    # Answers: from the cache, from another thread that is at it, or from the model.

    def _answers(
        self,
        inputs: dict[int, Any],
        look_up: Callable[[list[bytes]], dict[bytes, Any]],
        compute: Callable[[list[bytes], list[Any]], Iterator[tuple[bytes, Any]]],
    ) -> dict[int, Any]:
        with self._events.stage("look_up", len(inputs)):
            keys = {place: digest(_bytes(value), self._key) for place, value in inputs.items()}
        by_key = {keys[place]: value for place, value in inputs.items()}

        def answer(mine: list[bytes]) -> Iterator[tuple[bytes, Any]]:
            # Looked up in flight: another thread may have answered a key a moment ago.
            with self._events.stage("look_up", 0):
                kept = look_up(mine)
            yield from kept.items()
            left = [key for key in mine if key not in kept]
            yield from compute(left, [by_key[key] for key in left])

        found = self._flight.run(by_key, answer)
        return {place: found[key] for place, key in keys.items()}

    def _cached_vectors(self, keys: list[bytes]) -> dict[bytes, Array]:
        if self.cache is None:
            return {}
        vectors, is_found = self.cache.get_many(keys)
        return {keys[i]: vectors[i] for i in np.flatnonzero(is_found)}

    def _compute_vectors(
        self, keys: list[bytes], inputs: list[str]
    ) -> Iterator[tuple[bytes, Array | MenpaiError]]:
        for start in range(0, len(keys), WINDOW):
            chunk = keys[start : start + WINDOW]
            answers = self._executor.run(self._tokenise(inputs[start : start + WINDOW]))
            if self.cache is not None:
                good = [i for i, answer in enumerate(answers) if isinstance(answer, np.ndarray)]
                if good:
                    rows = np.array([answers[i] for i in good], np.float32)
                    self.cache.put_many([chunk[i] for i in good], rows)
            yield from zip(chunk, answers, strict=True)

    def _cached_verdicts(self, keys: list[bytes]) -> dict[bytes, Array]:
        if self._verdicts is None:
            return {}
        kept = ((key, self._verdicts.get(key)) for key in keys)
        return {key: np.array(v, np.float32) for key, v in kept if v is not None}

    def _compute_verdicts(
        self, keys: list[bytes], inputs: list[Pair]
    ) -> Iterator[tuple[bytes, Array | MenpaiError]]:
        for start in range(0, len(keys), WINDOW):
            chunk = keys[start : start + WINDOW]
            some = inputs[start : start + WINDOW]
            tokens = self._tokenise(some)
            answers = self._executor.run(tokens, self._channels(some, tokens))
            for key, answer in zip(chunk, answers, strict=True):
                if self._verdicts is not None and isinstance(answer, np.ndarray):
                    self._verdicts.put(key, tuple(map(float, answer)))
                yield key, answer

    def _tokenise(self, inputs: Sequence[Any]) -> list[Tokens]:
        with self._events.stage("tokenise", len(inputs)):
            return self._cut(inputs)

    def _channels(self, pairs: Sequence[Pair], tokens: Sequence[Tokens]) -> Channels | None:
        """What a model that reads more than tokens is told of them."""
        if not self._opened.manifest.config.channels:
            return None
        with self._events.stage("features", len(pairs)):
            return features.channels(pairs, tokens)

    def _cut(self, inputs: Sequence[Any]) -> list[Tokens]:
        manifest, tokenizer = self._opened.manifest, self._opened.tokenizer
        prefix = manifest.prefix
        if manifest.has_pairs:
            pairs = [(f"{prefix}{a}", b) for a, b in inputs] if prefix else inputs
            return tokenizer.pairs(pairs, with_offsets=bool(manifest.config.channels))
        return tokenizer.texts([f"{prefix}{text}" for text in inputs] if prefix else inputs)

    def _tag(self, texts: Sequence[str]) -> list[list[Span] | MenpaiError]:
        with self._events.stage("tokenise", len(texts)):
            tokens = self._opened.tokenizer.texts(texts, with_offsets=True)
        self._tell_truncated(sum(item.is_truncated for item in tokens))
        return [
            answer
            if isinstance(answer, MenpaiError)
            else spans(text, item.offsets, answer, self.labels)
            for text, item, answer in zip(texts, tokens, self._executor.run(tokens), strict=True)
        ]


def load(  # noqa: PLR0913 -- one for each choice of the user
    folder: str | Path,
    *,
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int | None = None,
    n_streams: int | None = None,
    max_tokens: int = MAX_TOKENS,
    cache_bytes: int = 256 * 2**20,
    cache_dtype: Literal["float32", "float16"] = "float32",
    compiled: str | Path | None = None,
    warm_up: bool = False,
    observers: Iterable[Callable[[Event], None]] = (),
) -> Engine:
    """Load a converted checkpoint.

    Args:
        folder: What `menpai model convert` made.
        runtime: "openvino", "onnxruntime", "torch", or "auto" for the fastest one installed.
        precision: "fp32", "bf16", "fp16", "int8", or "auto" for the fastest that this processor
            computes by itself and that answers as fp32 does, within its tolerance.
        n_threads: Processors to use; by default all that this process may.
        n_streams: Batches to execute at the same time; measured once, and kept, by default.
        max_tokens: Padded tokens of a batch.
        cache_bytes: Memory for vectors that may be asked for again; 0 for no caches.
        cache_dtype: How the cache keeps numbers: "float32", or "float16" in half the room.
        compiled: Folder for compiled forms and measurements; by default one inside `folder`. It
            is made; where it cannot be written, nothing is kept.
        warm_up: Whether to run the usual shapes once before the first text comes.
        observers: Who is told of stages, batches and caches; see `menpai.events`.

    Raises:
        ModelError: The folder is no converted checkpoint, does not answer as it should, or reads
            channels that this version does not compute.
        ConfigError: A choice that is not allowed here; the message lists what is.
        MissingExtraError: A library is not installed; the message has the line that installs it.
    """
    folder = Path(folder)
    budget = n_cpus() if n_threads is None else n_threads
    if budget < 1 or (n_streams is not None and not 1 <= n_streams <= budget):
        raise ConfigError(
            f"n_threads {budget} and n_streams {n_streams}: at least one of each, "
            "and no more streams than threads"
        )
    features.check(Manifest.read(folder))
    store = _writable(folder / COMPILED if compiled is None else Path(compiled))

    def open_with(streams: int) -> Opened:
        return open_folder(
            folder,
            runtime=runtime,
            precision=precision,
            n_threads=budget,
            n_streams=streams,
            cache_dir=store,
        )

    opened = open_with(n_streams or 1)
    if n_streams is None:
        opened = _tuned(opened, store, budget, open_with)
    events = Events(observers)
    limits = Limits(max_tokens, MAX_ROWS, opened.manifest.max_length, WINDOW)
    executor = Executor(
        opened.runtime,
        opened.manifest,
        pad_id=opened.tokenizer.pad_id,
        limits=limits,
        events=events,
        open_full=lambda: (
            open_folder(
                folder, runtime=opened.runtime.name, precision="fp32", n_threads=budget
            ).runtime
        ),
    )
    engine = Engine(opened, executor, events, cache_bytes=cache_bytes, cache_dtype=cache_dtype)
    if warm_up:
        engine.warm_up()
    return engine


def _tuned(
    opened: Opened, store: Path | None, n_threads: int, open_with: Callable[[int], Opened]
) -> Opened:
    """Open again with the number of streams that is fastest here, where it can be kept."""
    if store is None or n_threads == 1 or opened.runtime.name == "torch":
        return opened
    runtime = opened.runtime
    key = f"{opened.manifest.fingerprint[:16]} {runtime.name} {runtime.precision}"
    best = tuning.n_streams(
        store,
        key,
        n_threads,
        lambda count: open_with(count).runtime,
        dict(opened.manifest.config.channels),
    )
    if best == runtime.n_streams:
        return opened
    runtime.close()
    return open_with(best)


def _writable(folder: Path) -> Path | None:
    """The folder, made if need be; None where nothing can be kept."""
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def _fingerprint(opened: Opened) -> str:
    """Digest of all that changes a vector."""
    parts = (
        opened.manifest.fingerprint,
        opened.runtime.precision,
        opened.manifest.gates.get(opened.runtime.precision, {}).get("digest"),
        NORMALIZER_VERSION,
        PARSER_VERSION,
        divisions.load().digest,
        features.FEATURES_VERSION if opened.manifest.config.channels else None,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _file(
    place: int,
    value: Any,
    inputs: dict[int, Any],
    errors: dict[int, MenpaiError],
) -> None:
    """Put an input among the inputs, or why there is none among the errors."""
    if isinstance(value, MenpaiError):
        errors[place] = value
    else:
        inputs[place] = value


def _bytes(value: str | Pair) -> bytes:
    """The bytes of an input; a lone surrogate, which no encoding has, keeps its own."""
    text = value if isinstance(value, str) else f"{len(value[0])} {value[0]}{value[1]}"
    return text.encode("utf-8", "surrogatepass")


def _n_characters(value: str | Pair) -> int:
    return len(value) if isinstance(value, str) else len(value[0]) + len(value[1])


def _fill(
    rows: Array, inputs: dict[int, Any], answers: dict[int, Any], errors: dict[int, MenpaiError]
) -> None:
    """Put each answer into its row, or its error among the errors."""
    for place in inputs:
        answer = answers[place]
        if isinstance(answer, MenpaiError):
            errors[place] = answer
        else:
            rows[place] = answer
