"""Every runtime in every precision: padding, neighbours, threads, layouts, memory."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from folders import (
    ADDRESSES,
    WIDTH,
    Folder,
    add_modules,
    hub_classifier,
    hub_encoder,
    hub_tags,
    mgeo_alignment,
    mgeo_backbone,
    mgeo_rerank,
    mgeo_tags,
)

from menpai.errors import ConfigError, MemoryLimitError
from menpai.model import checkpoint as checkpoints, convert as converting, golden
from menpai.model.batches import pad
from menpai.model.convert import convert
from menpai.model.open import Opened, open_folder
from menpai.model.probes import addresses
from menpai.model.runtimes.protocol import PRECISIONS, RUNTIMES, Inputs, is_out_of_memory
from menpai.model.tokenizer import Tokens

pytest.importorskip("torch", reason="the extra torch is not installed")

MODES = [
    ("openvino", "fp32"),
    ("openvino", "bf16"),
    ("openvino", "fp16"),
    ("openvino", "int8"),
    ("onnxruntime", "fp32"),
    ("onnxruntime", "int8"),
    ("torch", "fp32"),
    ("torch", "bf16"),
    ("torch", "fp16"),
]
every_mode = pytest.mark.parametrize(("runtime", "precision"), MODES)
every_runtime = pytest.mark.parametrize("runtime", RUNTIMES)

LEAST_COSINE = {"fp32": 0.99999, "bf16": 0.9995, "fp16": 0.9995, "int8": 0.9995}
"""Of a text's vector with its own, when its neighbours are others."""


def pooled(path: Path, pooling: str) -> Folder:
    """An encoder that says how it makes a vector, and writes something before each text."""
    made = hub_encoder(path, prefix="")
    add_modules(path, pooling, prompts={"query": "地址: "}, default_prompt="query")
    return made


BUILDS: dict[str, Any] = {
    "vectors": hub_encoder,
    "backbone": mgeo_backbone,
    "pairs": mgeo_alignment,
    "classifier": hub_classifier,
    "rank": mgeo_rerank,
    "tags": hub_tags,
    "mgeo tags": mgeo_tags,
}
FORMS: dict[str, Any] = {
    **BUILDS,
    "cls": lambda path: pooled(path, "cls"),
    "mean": lambda path: pooled(path, "mean"),
    "max": lambda path: pooled(path, "max"),
    "gelu_new": lambda path: hub_encoder(path, activation="gelu_new"),
    "relu, old names": lambda path: hub_encoder(path, activation="relu", old_norm_names=True),
    "half, in shards": lambda path: hub_encoder(path, storage="bin-shards", dtype="float16"),
    "pickled": lambda path: mgeo_alignment(path, storage="bin"),
    "fusion of all layers": lambda path: mgeo_rerank(path, fusion_layer=1),
    "one logit": lambda path: hub_classifier(path, n_labels=1),
}


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Folder, Path]]:
    """Each kind, converted once."""
    root = tmp_path_factory.mktemp("runtimes")
    found = {}
    for name, build in FORMS.items():
        made = build(root / name)
        convert(root / name, root / f"{name}-out", int8=name in BUILDS)
        found[name] = (made, root / f"{name}-out")
    return found


@cache
def opened(folder: Path, runtime: str, precision: str) -> Opened:
    """Open once, or skip where the processor cannot; torch and ONNX Runtime always can."""
    try:
        return open_folder(folder, runtime=runtime, precision=precision, n_threads=1)
    except ConfigError as error:
        if runtime == "openvino" and "this processor has no" in str(error):
            pytest.skip(str(error))
        raise


def answers(found: Opened, batch: list[Tokens], length: int | None = None) -> Any:
    """Unit vectors or probabilities of a batch."""
    return golden.readable(found.runtime.run(padded(found, batch, length)), found.manifest)


def padded(found: Opened, batch: list[Tokens], length: int | None = None) -> Inputs:
    """A batch as long as its longest input, or longer."""
    return pad(
        batch,
        length or max(len(tokens.ids) for tokens in batch),
        found.tokenizer.pad_id,
        has_segments=found.manifest.has_segments,
        names=dict(found.manifest.config.channels),
    )


def tokens_of(found: Opened, n: int = 8) -> list[Tokens]:
    """Inputs of many lengths, from one character to more than there is room for."""
    texts = [*addresses()[:n], "杭", "", ADDRESSES[0] * 4, ADDRESSES[1][:6]]
    if found.manifest.has_pairs:
        return found.tokenizer.pairs(list(zip(texts, texts[::-1], strict=True)))
    return found.tokenizer.texts(texts)


# ---- The reference -------------------------------------------------------------------------------


@every_runtime
@pytest.mark.parametrize("name", FORMS)
def test_answers_in_one_batch_are_those_of_the_reference(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str
) -> None:
    """In fp32, with the padding that the longest needs, token by token where there are tags."""
    made, folder = converted[name]
    found = opened(folder, runtime, "fp32")
    tokens = tokens_of(found)
    wanted = expected(made, found, padded(found, tokens))
    ours = masked(found, tokens, answers(found, tokens))
    assert ours.shape == wanted.shape
    assert np.abs(ours - wanted).max() < 1e-4


@every_runtime
@pytest.mark.parametrize("name", FORMS)
def test_answers_alone_are_those_of_the_reference(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str
) -> None:
    """Without padding."""
    made, folder = converted[name]
    found = opened(folder, runtime, "fp32")
    for item in tokens_of(found, 3):
        wanted = expected(made, found, padded(found, [item]))
        assert np.abs(answers(found, [item]) - wanted).max() < 1e-4


def expected(made: Folder, found: Opened, batch: Inputs) -> Any:
    """What the reference answers; 0 for the tags of padding."""
    hidden = reference.encode(made.weights, made.config, batch.ids, batch.mask, batch.segments)
    if made.head is None:
        pools = {
            "cls": lambda: reference.cls_vector(hidden),
            "mean": lambda: reference.mean_vector(hidden, batch.mask),
            "max": lambda: reference.max_vector(hidden, batch.mask),
        }
        return reference.unit(pools[str(found.manifest.pooling)]())
    if found.manifest.kind == "tags":
        tags = reference.softmax(reference.tag_logits(made.head, hidden))
        return tags * batch.mask[..., None]
    return reference.classify(made.head, reference.pooled(made.weights, hidden))


def masked(found: Opened, tokens: list[Tokens], values: Any) -> Any:
    """Answers without those of padding."""
    is_tags = found.manifest.kind == "tags"
    return values * padded(found, tokens).mask[..., None] if is_tags else values


def test_prefix_is_part_of_the_known_answers(converted: dict[str, tuple[Folder, Path]]) -> None:
    """They are of texts with it."""
    folder = converted["mean"][1]
    found = opened(folder, "onnxruntime", "fp32")
    assert found.manifest.prefix == "地址: "
    known = json.loads((folder / golden.FILE).read_text(encoding="utf-8"))["outputs"]
    texts = [f"地址: {text}" for text in addresses()[: len(known)]]
    assert np.abs(answers(found, found.tokenizer.texts(texts)) - known).max() < 1e-5


@every_runtime
@pytest.mark.parametrize("name", ["rank", "mgeo tags", "backbone"])
def test_segments_are_nought_where_mgeo_was_trained_so(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str
) -> None:
    """A padded batch has none; the graph itself would heed them."""
    found = opened(converted[name][1], runtime, "fp32")
    batch = padded(found, tokens_of(found))
    assert not batch.segments.any()
    marked = replace(batch, segments=batch.mask)
    assert np.abs(found.runtime.run(marked) - found.runtime.run(batch)).max() > 1e-2


@every_runtime
@pytest.mark.parametrize("name", ["pairs", "classifier"])
def test_segments_mark_the_second_text(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str
) -> None:
    """Both models of pairs were trained so."""
    found = opened(converted[name][1], runtime, "fp32")
    tokens = tokens_of(found)
    batch = padded(found, tokens)
    for row, item in zip(batch.segments, tokens, strict=True):
        assert row[: len(item.ids)].tolist() == item.segments.tolist()
    plain = replace(batch, segments=batch.segments * 0)
    assert np.abs(found.runtime.run(plain) - found.runtime.run(batch)).max() > 1e-2


# ---- Precisions ----------------------------------------------------------------------------------


@every_mode
@pytest.mark.parametrize("name", BUILDS)
def test_precision_is_near_full_precision(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str, precision: str
) -> None:
    """Of inputs that nobody calibrated with; finite too beside much padding."""
    folder = converted[name][1]
    found = opened(folder, runtime, precision)
    full = opened(folder, "onnxruntime", "fp32")
    assert found.deviation.passed
    assert found.runtime.precision == precision
    assert found.runtime.name == runtime
    tokens = tokens_of(found)
    ours, wanted = answers(found, tokens), answers(full, tokens)
    assert np.isfinite(ours).all()
    if full.manifest.kind == "vectors":
        assert (1.0 - (ours * wanted).sum(axis=-1)).max() <= golden.VECTOR_TOLERANCE[
            found.runtime.precision
        ]
        return
    ours, wanted = masked(found, tokens, ours), masked(found, tokens, wanted)
    # A tiny random model is less steady than a trained one: twice what is tolerated of those.
    tolerance = 2.0 * golden.PROBABILITY_TOLERANCE[found.runtime.precision]
    assert np.abs(ours - wanted).max() <= tolerance


@every_mode
@pytest.mark.parametrize("name", ["vectors", "backbone"])
def test_neighbours_change_nothing(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str, precision: str
) -> None:
    """A text alone, in random batches, and beside the longest: the same vector."""
    found = opened(converted[name][1], runtime, precision)
    tokens = tokens_of(found)
    alone = np.concatenate([answers(found, [item]) for item in tokens])
    least = LEAST_COSINE[precision]
    order = np.random.default_rng(0).permutation(len(tokens))
    for start in range(0, len(order), 5):
        rows = order[start : start + 5]
        mixed = answers(found, [tokens[row] for row in rows])
        assert (mixed * alone[rows]).sum(axis=-1).min() >= least
    longest = max(tokens, key=lambda item: len(item.ids))
    for row, item in enumerate(tokens):
        beside = answers(found, [longest, item, longest])[1]
        assert beside @ alone[row] >= least


@every_mode
@pytest.mark.parametrize("name", ["pairs", "rank", "tags"])
def test_neighbours_change_no_label(
    converted: dict[str, tuple[Folder, Path]], name: str, runtime: str, precision: str
) -> None:
    """As for vectors: the probabilities of an input are its own."""
    found = opened(converted[name][1], runtime, precision)
    tokens = tokens_of(found)
    together = answers(found, tokens, 64)
    most = {"fp32": 1e-5, "bf16": 3e-2, "fp16": 4e-3, "int8": 1e-3}[precision]
    for row, item in zip(together, tokens, strict=True):
        own = row[: len(item.ids)] if name == "tags" else row
        assert np.abs(own - answers(found, [item])[0]).max() <= most


@every_mode
def test_padding_changes_nothing(
    converted: dict[str, tuple[Folder, Path]], runtime: str, precision: str
) -> None:
    """The mean is of the text alone, however long the row."""
    found = opened(converted["vectors"][1], runtime, precision)
    tokens = [item for item in tokens_of(found) if len(item.ids) <= 16]
    assert tokens
    short = answers(found, tokens, 16)
    for length in (32, 64):
        cosine = (answers(found, tokens, length) * short).sum(axis=-1)
        assert cosine.min() >= (0.999999 if precision == "fp32" else LEAST_COSINE[precision])


@every_mode
def test_mixed_lengths_make_one_batch(
    converted: dict[str, tuple[Folder, Path]], runtime: str, precision: str
) -> None:
    """Every length from an empty text to the limit, one row of each."""
    found = opened(converted["vectors"][1], runtime, precision)
    tokens = found.tokenizer.texts(["杭" * n for n in range(63)])
    assert [len(item.ids) for item in tokens] == list(range(2, 65))
    ours = answers(found, tokens)
    assert ours.shape == (63, WIDTH)
    assert np.abs(np.linalg.norm(ours, axis=-1) - 1.0).max() < 1e-5


def test_precision_of_openvino_is_pinned(converted: dict[str, tuple[Folder, Path]]) -> None:
    """It would take bf16 by itself where the processor has it, and quantise what it likes."""
    pytest.importorskip("openvino")
    for precision, word in (("fp32", "float"), ("int8", "float"), ("bf16", "bfloat16")):
        if precision == "bf16" and not has_bf16():
            continue
        model: Any = opened(converted["vectors"][1], "openvino", precision).runtime
        options = model._model
        assert word in options.get_property("INFERENCE_PRECISION_HINT").to_string().replace(
            "f32", "float32"
        ).replace("bf16", "bfloat16")
        assert options.get_property("DYNAMIC_QUANTIZATION_GROUP_SIZE") == 0
        assert options.get_property("INFERENCE_NUM_THREADS") == 1


def has_bf16() -> bool:
    """Whether OpenVINO has it here."""
    from menpai.model.runtimes.openvino import fast_precisions

    return "bf16" in fast_precisions()


# ---- Channels ------------------------------------------------------------------------------------

CHANNELS = (("tag", 4), ("relation", 3))


@pytest.fixture(scope="module")
def with_channels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, dict[str, Any], Path]:
    """An encoder with two inputs more, their tables, and the converted folder."""
    root = tmp_path_factory.mktemp("channels")
    made = hub_encoder(root / "source")
    read = checkpoints.read(root / "source")
    random = np.random.default_rng(4)
    tables = {
        name: random.standard_normal((size, WIDTH)).astype(np.float32) for name, size in CHANNELS
    }
    named = {f"embeddings.channel_{name}_embeddings.weight": t for name, t in tables.items()}
    wider = replace(
        read, config=replace(read.config, channels=CHANNELS), encoder={**read.encoder, **named}
    )
    (root / "out").mkdir()
    converting.write(wider, root / "out")
    return made, tables, root / "out"


def with_tables(made: Folder, tables: dict[str, Any], batch: Inputs) -> Any:
    """The reference's vectors: each token gets a word of its own, with its channels added."""
    words = made.weights["embeddings.word_embeddings.weight"][batch.ids]
    for name, table in tables.items():
        words = words + table[batch.channels[name]]
    own = {**made.weights, "embeddings.word_embeddings.weight": words.reshape(-1, WIDTH)}
    ids = np.arange(batch.ids.size).reshape(batch.ids.shape)
    hidden = reference.encode(own, made.config, ids, batch.mask, batch.segments)
    return reference.unit(reference.mean_vector(hidden, batch.mask))


@every_mode
def test_channels_are_added_in_a_padded_batch(
    with_channels: tuple[Folder, dict[str, Any], Path], runtime: str, precision: str
) -> None:
    """By each runtime and in each precision; what is not given counts as 0."""
    made, tables, folder = with_channels
    found = opened(folder, runtime, precision)
    assert found.manifest.config.channels == CHANNELS
    tokens = tokens_of(found)
    random = np.random.default_rng(5)
    given = {
        name: [random.integers(0, size, len(item.ids)).astype(np.int32) for item in tokens]
        for name, size in CHANNELS
    }
    vectors = {}
    for names in ((), ("tag",), ("relation",), ("tag", "relation")):
        batch = pad(
            *(tokens, 64, found.tokenizer.pad_id),
            has_segments=False,
            names=dict(CHANNELS),
            channels={name: given[name] for name in names},
        )
        vectors[names] = golden.unit(found.runtime.run(batch))
        cosine = (vectors[names] * with_tables(made, tables, batch)).sum(axis=-1)
        assert (1.0 - cosine).max() <= golden.VECTOR_TOLERANCE[found.runtime.precision]
    sums = [vectors[one] for one in vectors]
    for place, one in enumerate(sums):
        for other in sums[place + 1 :]:
            assert (one * other).sum(axis=-1).min() < 0.97


# ---- Threads, layouts, memory --------------------------------------------------------------------


@every_runtime
def test_threads_run_it_at_once(converted: dict[str, tuple[Folder, Path]], runtime: str) -> None:
    """Each gets its own answers, and keeps them while others run."""
    folder = converted["vectors"][1]
    found = open_folder(folder, runtime=runtime, precision="fp32", n_threads=2, n_streams=2)
    tokens = tokens_of(found)
    wanted = [answers(found, [item]) for item in tokens]

    def work(shift: int) -> float:
        rows = [(place + shift) % len(tokens) for place in range(len(tokens))]
        ours = [answers(found, [tokens[row]]) for row in rows]
        return max(
            float(np.abs(own - wanted[row]).max()) for own, row in zip(ours, rows, strict=True)
        )

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(work, range(8))) < 1e-6


@every_runtime
def test_output_is_not_written_over(
    converted: dict[str, tuple[Folder, Path]], runtime: str
) -> None:
    """By the next batch of the same shape."""
    found = opened(converted["vectors"][1], runtime, "fp32")
    tokens = found.tokenizer.texts(["望澜路88号", "银杏路99号"])
    first = found.runtime.run(padded(found, tokens[:1]))
    kept = first.copy()
    second = found.runtime.run(padded(found, tokens[1:]))
    assert np.array_equal(first, kept)
    assert not np.array_equal(first, second)
    assert first.dtype == second.dtype == np.float32


@every_runtime
def test_layout_in_memory_does_not_count(
    converted: dict[str, tuple[Folder, Path]], runtime: str
) -> None:
    """Every second row and column, columns first, not to be written."""
    found = opened(converted["vectors"][1], runtime, "fp32")
    ids = np.random.default_rng(0).integers(7, 100, (6, 40)).astype(np.int32)
    plain = np.ascontiguousarray(ids[::2, ::2])
    fixed = plain.copy()
    fixed.setflags(write=False)
    mask = np.ones_like(plain)
    wanted = found.runtime.run(Inputs(plain, mask, mask * 0))
    for other in (ids[::2, ::2], np.asfortranarray(plain), fixed):
        assert np.array_equal(found.runtime.run(Inputs(other, mask, mask * 0)), wanted)


class Failing:
    """What a library raises, in whatever way it is called."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getattr__(self, name: str) -> Any:
        raise self.error


@pytest.fixture(params=RUNTIMES)
def failing(
    request: pytest.FixtureRequest, converted: dict[str, tuple[Folder, Path]]
) -> Iterator[Any]:
    """A runtime, and how its library fails at the next batch."""
    folder = converted["vectors"][1]
    found = open_folder(folder, runtime=request.param, precision="fp32", n_threads=1)
    runtime: Any = found.runtime

    def fail(error: Exception) -> None:
        if request.param == "openvino":
            runtime._requests.own = Failing(error)
        elif request.param == "onnxruntime":
            runtime._session = Failing(error)
        else:
            runtime._design = Failing(error)

    yield found, fail
    runtime.close()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("std::bad_alloc"),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("Failed to allocate memory for requested buffer of size 4294967296"),
    ],
    ids=str,
)
def test_lack_of_memory_is_told(failing: Any, error: Exception) -> None:
    """With the shape, as a smaller batch may fit."""
    found, fail = failing
    tokens = found.tokenizer.texts(["杭州"])
    fail(error)
    with pytest.raises(MemoryLimitError, match=r"\(1, 4\)") as caught:
        answers(found, tokens)
    assert caught.value.retryable


def test_other_errors_of_a_library_stay(failing: Any) -> None:
    """Nothing is known of them."""
    found, fail = failing
    fail(RuntimeError("a shape is wrong"))
    with pytest.raises(RuntimeError, match="a shape is wrong"):
        answers(found, found.tokenizer.texts(["杭州"]))


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"), True),
        (RuntimeError("index out of range"), False),
        (ValueError("memory"), False),
    ],
    ids=str,
)
def test_lack_of_memory_is_known_by_type_or_words(error: Exception, *, is_memory: bool) -> None:
    """Each library has its own."""
    assert is_out_of_memory(error) is is_memory


def test_runtimes_and_precisions_are_all_tried() -> None:
    """Those of this file are all that there are."""
    assert {runtime for runtime, _ in MODES} == set(RUNTIMES)
    assert {precision for _, precision in MODES} == set(PRECISIONS)
    assert find_spec("torch") is not None
