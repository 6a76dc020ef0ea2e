"""Texts to vectors and verdicts: each its own, computed once, whatever it holds or fails with."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from folders import VOCABULARY, hub_encoder

from menpai.engine import engine as engines
from menpai.engine.engine import Engine
from menpai.errors import ConfigError, InputError, MemoryLimitError, ModelError, NonFiniteError
from menpai.events import BatchRun, CacheEvicted, CacheLooked, Event, StageDone, Timings, Truncated
from menpai.model.open import open_folder

HAN = [sign for sign in VOCABULARY if sign > "\u4e00"]
BARE = "北京市朝阳区望澜路88号"
TOLERANCES = {"fp32": 0.99999, "bf16": 0.9995, "fp16": 0.9995, "int8": 0.9995}


def addresses(n: int, seed: int = 0) -> list[str]:
    """Distinct texts of 3 to 40 characters."""
    random = np.random.default_rng(seed)
    names = ("".join(random.choice(HAN, size)) for size in random.integers(2, 36, n))
    return [f"{name}路{i}号" for i, name in enumerate(names)]


def of_kind(told: list[Event], kind: type) -> list[Any]:
    """Events of one kind."""
    return [event for event in told if isinstance(event, kind)]


def looked(told: list[Event]) -> tuple[int, int]:
    """Hits and misses of all look-ups."""
    events = of_kind(told, CacheLooked)
    return sum(e.n_hits for e in events), sum(e.n_misses for e in events)


# Vectors: each its own.


@pytest.fixture(params=TOLERANCES)
def precise(request: pytest.FixtureRequest, vectors: Path) -> tuple[Path, str]:
    """The encoder, and each precision that this processor has."""
    try:
        open_folder(vectors, precision=request.param, n_threads=1).runtime.close()
    except ConfigError:
        pytest.skip(f"this processor has no {request.param}")
    return vectors, request.param


def test_a_vector_depends_on_its_text_alone(
    precise: tuple[Path, str], open_engine: Any, cosine: Callable[..., Any]
) -> None:
    """Not on the batch: alone, shuffled, split and repeated it is the same within tolerance."""
    folder, precision = precise
    engine = open_engine(folder, precision=precision, cache_bytes=0)
    texts = addresses(60)
    alone = np.concatenate([engine.encode([text]).vectors for text in texts])
    order = np.random.default_rng(1).integers(0, 60, 150).tolist()
    for size in (150, 7, 32):
        parts = [order[start : start + size] for start in range(0, 150, size)]
        found = np.concatenate([engine.encode([texts[i] for i in part]).vectors for part in parts])
        assert cosine(found, alone[order]).min() > TOLERANCES[precision]
        assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
        nearest = (found @ alone.T).argmax(axis=1)
        assert nearest.tolist() == order


def test_no_texts(vectors: Path, pairs: Path, tags: Path, open_engine: Any) -> None:
    """An empty list has an empty answer."""
    encoded = open_engine(vectors).encode([])
    assert (encoded.vectors.shape, encoded.is_truncated.shape, encoded.errors) == (
        (0, 32),
        (0,),
        {},
    )
    classified = open_engine(pairs).classify([])
    assert (classified.probabilities.shape, classified.errors) == ((0, 3), {})
    assert open_engine(tags).tag([]) == []


BLANK = ["", " ", "　", "\u200b", "\0", "😀", "，。！", "13800001234", "邮编：100020"]
ODD = [
    "北京\ud800市望澜路88号",
    "\udfff路",
    "路" * 10_000,
    "望澜路88号😀",
    "望澜\0路",
    "\u202e路澜望",
    "e\u0301路",
    "\ue000路",
    "a" * 5000,
]


def test_a_blank_text_has_an_error_of_its_own(
    vectors: Path, open_engine: Any, cosine: Callable[..., Any]
) -> None:
    """So has one that is no text; the others have their vectors, and no address is quoted."""
    texts: list[Any] = [text for blank in [*BLANK, None, 7] for text in (blank, BARE)]
    engine = open_engine(vectors)
    found = engine.encode(texts)
    assert sorted(found.errors) == list(range(0, len(texts), 2))
    assert all(isinstance(error, InputError) for error in found.errors.values())
    assert not found.vectors[::2].any()
    assert not any("138" in str(error) for error in found.errors.values())
    own = np.repeat(engine.encode([BARE]).vectors, len(texts) // 2, axis=0)
    assert cosine(found.vectors[1::2], own).min() > 0.99999


def test_odd_signs_fail_nothing(
    vectors: Path, open_engine: Any, cosine: Callable[..., Any]
) -> None:
    """Halves of signs, a book, pictures: each has a vector, the one that it has alone."""
    engine = open_engine(vectors, cache_bytes=0)
    found = engine.encode([text for odd in ODD for text in (odd, BARE)])
    assert found.errors == {}
    alone = np.concatenate([engine.encode([text]).vectors for text in ODD])
    assert cosine(found.vectors[::2], alone).min() > 0.99999
    assert np.isfinite(found.vectors).all()


def test_one_writing_has_one_vector(vectors: Path, open_engine: Any) -> None:
    """Who lives there, and how it is written, is no part of an address."""
    writings = [
        f"张三 13800001234 {BARE}",
        f"{BARE}，李四，13900005678",
        f" {BARE} ",
        "北京市朝阳区望澜路８８號",
        f"{BARE} 邮编：100020",
    ]
    found = open_engine(vectors).encode([BARE, *writings]).vectors
    assert all(np.array_equal(vector, found[0]) for vector in found)


# What was not read.


@pytest.mark.parametrize("prefix", ["", "地址："])
def test_texts_that_are_too_long_are_told(
    make_folder: Any, open_engine: Any, told: list[Event], prefix: str
) -> None:
    """To the token, and also where the vector is cached; words may be longer than tokens."""
    options = {"max_length": 40, "prefix": prefix}
    engine = open_engine(make_folder(hub_encoder, options=options))
    room = 40 - 2 - len(prefix)
    texts = ["路" * room, "路" * (room + 1), "88号" * 17, "路", "路" * 10_000, ""]
    for _ in range(2):
        told.clear()
        found = engine.encode(texts)
        assert found.is_truncated.tolist() == [False, True, False, False, True, False]
        assert of_kind(told, Truncated) == [Truncated(2)]
    told.clear()
    assert not engine.encode(["路" * room, "路"]).is_truncated.any()
    assert of_kind(told, Truncated) == []


def test_pairs_that_are_too_long_are_told(pairs: Path, open_engine: Any) -> None:
    """Three marks and both texts are what the model reads."""
    engine = open_engine(pairs)
    asked = [("路" * 30, "号" * 31), ("路" * 31, "号" * 31), ("路", "号" * 61), ("路", "号")]
    for _ in range(2):
        assert engine.classify(asked).is_truncated.tolist() == [False, True, True, False]
        assert engine.classify(asked, raw=True).is_truncated.tolist() == [False, True, True, False]


def test_tagged_texts_that_are_too_long_are_told(
    tags: Path, open_engine: Any, told: list[Event]
) -> None:
    """What is behind has no spans."""
    open_engine(tags).tag(["路" * 62, "路" * 63, "路" * 100])
    assert of_kind(told, Truncated) == [Truncated(2)]


# Computed once.


def test_equal_texts_are_computed_once(vectors: Path, open_engine: Any, watch: Any) -> None:
    """In one call, by what the encoder reads of them."""
    engine = open_engine(vectors, cache_bytes=0)
    runtime = watch(engine)
    found = engine.encode([BARE, "望澜路", f" {BARE}", BARE, f"{BARE} 13800001234"])
    assert runtime.n_rows == 2
    assert all(np.array_equal(found.vectors[i], found.vectors[0]) for i in (2, 3, 4))


def test_a_cached_vector_is_the_same_one(
    vectors: Path, open_engine: Any, watch: Any, told: list[Event]
) -> None:
    """Hits and misses are counted, and nothing that is kept is computed again."""
    engine = open_engine(vectors)
    runtime = watch(engine)
    texts = addresses(20)
    first = engine.encode(texts)
    assert looked(told) == (0, 20)
    told.clear()
    second = engine.encode([*texts, "望澜路"])
    assert np.array_equal(second.vectors[:20], first.vectors)
    assert looked(told) == (20, 1)
    assert runtime.n_rows == 21
    assert engine.cache is not None
    assert engine.cache.stats().n_entries == 21


def test_what_a_caller_does_to_its_vectors_is_its_own_affair(
    vectors: Path, open_engine: Any
) -> None:
    """The cache keeps copies."""
    engine = open_engine(vectors)
    first = engine.encode([BARE]).vectors
    kept = first.copy()
    first[:] = 7.0
    second = engine.encode([BARE]).vectors
    assert np.array_equal(second, kept)
    second[:] = 7.0
    assert np.array_equal(engine.encode([BARE]).vectors, kept)


def test_errors_are_not_cached(vectors: Path, open_engine: Any, watch: Any) -> None:
    """What failed for want of memory may succeed later; neighbours keep their vectors."""
    engine = open_engine(vectors, max_tokens=8)
    runtime = watch(engine)
    runtime.max_tokens = 16
    texts = ["望澜路", "路" * 30, "海岸广场"]
    found = engine.encode(texts)
    assert isinstance(found.errors[1], MemoryLimitError)
    assert found.vectors.any(axis=1).tolist() == [True, False, True]
    runtime.max_tokens = None
    again = engine.encode(texts)
    assert again.errors == {}
    assert np.array_equal(again.vectors[::2], found.vectors[::2])


def test_vectors_that_are_not_finite_never_leave(
    vectors: Path, open_engine: Any, watch: Any
) -> None:
    """In no precision: the text has its error, a row of zeros and no place in the cache."""
    engine = open_engine(vectors)
    runtime = watch(engine)
    first = VOCABULARY.index("望")
    runtime.spoils = {first: np.nan}
    engine._executor._open_full = lambda: runtime
    found = engine.encode(["望澜路", "海岸广场"])
    assert isinstance(found.errors[0], NonFiniteError)
    assert found.vectors.any(axis=1).tolist() == [False, True]
    assert engine.cache is not None
    assert engine.cache.stats().n_entries == 1


def test_an_item_is_retried_in_fp32_by_the_folder_itself(
    vectors: Path, open_engine: Any, watch: Any
) -> None:
    """The same model is opened a second time."""
    engine = open_engine(vectors)
    plain = engine.encode(["望澜路"]).vectors
    engine.cache.clear()
    watch(engine).spoils = {VOCABULARY.index("望"): np.nan}
    assert engine.encode(["望澜路"]).vectors == pytest.approx(plain, abs=1e-5)
    assert engine._executor._full.precision == "fp32"
    engine.close()


@pytest.fixture
def rapid_switches() -> Iterator[None]:
    """Switch threads as often as the interpreter can, so that races come out."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("rapid_switches")
@pytest.mark.parametrize("n_streams", [1, 2])
def test_threads_that_ask_for_the_same_texts_compute_each_once(
    vectors: Path, open_engine: Any, watch: Any, n_streams: int
) -> None:
    """Eight of them, at the same moment, each in an order of its own."""
    engine = open_engine(vectors, n_threads=2, n_streams=n_streams)
    runtime = watch(engine)
    for n_rounds in range(1, 5):
        texts = addresses(50, seed=n_rounds)
        barrier = Barrier(8)

        def ask(
            seed: int, texts: list[str] = texts, barrier: Barrier = barrier
        ) -> dict[str, tuple[float, ...]]:
            own = np.random.default_rng(seed).permutation(texts).tolist()
            barrier.wait(30)
            return {t: tuple(v) for t, v in zip(own, engine.encode(own).vectors, strict=True)}

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(ask, range(8)))
        assert all(answer == answers[0] for answer in answers)
        assert runtime.n_rows == 50 * n_rounds
    engine.close()


def test_a_text_that_another_thread_has_just_answered_is_not_computed_again(
    vectors: Path, open_engine: Any, watch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between one's asking and one's turn."""
    engine = open_engine(vectors)
    runtime = watch(engine)
    run = engine._flight.run

    def late(*args: Any) -> Any:
        monkeypatch.undo()
        engine.encode([BARE])
        return run(*args)

    monkeypatch.setattr(engine._flight, "run", late)
    engine.encode([BARE])
    assert runtime.n_rows == 1


# Verdicts.

PAIRS = [
    ("望澜路88号3幢", "杭州市望澜路88号"),
    ("枫桥村12组7号", "听泉镇枫桥村"),
    ("海岸广场", "海岸广场"),
    ("银杏大道2003弄", "张三 13800001234 紫竹院南街"),
]


@pytest.mark.parametrize("kind", ["pairs", "rank"])
def test_classify_is_symmetric(request: pytest.FixtureRequest, open_engine: Any, kind: str) -> None:
    """Bit for bit, as one of the two orders is what the model reads."""
    engine = open_engine(request.getfixturevalue(kind), cache_bytes=0)
    found = engine.classify(PAIRS)
    mirrored = engine.classify([(right, left) for left, right in PAIRS])
    assert np.array_equal(found.probabilities, mirrored.probabilities)
    if kind == "pairs":
        assert found.probabilities.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert found.probabilities.shape == (4, len(engine.labels))
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()


@pytest.mark.parametrize("kind", ["pairs", "rank"])
def test_a_verdict_depends_on_its_pair_alone(
    request: pytest.FixtureRequest, open_engine: Any, kind: str
) -> None:
    """Not on the batch."""
    engine = open_engine(request.getfixturevalue(kind), cache_bytes=0)
    texts = addresses(40)
    asked = list(zip(texts, reversed(texts), strict=True))[:20]
    alone = np.concatenate([engine.classify([pair]).probabilities for pair in asked])
    assert engine.classify(asked).probabilities == pytest.approx(alone, abs=1e-5)


def test_raw_pairs_go_in_as_they_are(pairs: Path, open_engine: Any) -> None:
    """In the order given, and with all that is written; as the tokenizer and the model alone."""
    engine = open_engine(pairs)
    asked = [(" 望澜路 88号F", "杭州市，望澜路"), PAIRS[3], PAIRS[3][::-1], ("", "路")]
    found = engine.classify(asked, raw=True)
    direct = engine._executor.run(engine._opened.tokenizer.pairs(asked))
    assert found.errors == {}
    assert found.probabilities == pytest.approx(np.array(direct), abs=1e-6)
    assert not np.allclose(found.probabilities[1], found.probabilities[2], atol=1e-4)
    usual = engine.classify(asked[1:2]).probabilities[0]
    assert not np.allclose(usual, found.probabilities[1], atol=1e-4)
    assert not np.allclose(usual, found.probabilities[2], atol=1e-4)


def test_contacts_are_no_part_of_a_pair(pairs: Path, open_engine: Any) -> None:
    """Nor is the way it is written."""
    engine = open_engine(pairs, cache_bytes=0)
    found = engine.classify([(BARE, "望澜路"), (f"张三 13800001234 {BARE}", " 望澜路 ")])
    assert np.array_equal(found.probabilities[0], found.probabilities[1])


@pytest.mark.parametrize("kind", ["pairs", "rank"])
def test_verdicts_are_cached(
    request: pytest.FixtureRequest, open_engine: Any, watch: Any, told: list[Event], kind: str
) -> None:
    """In either order of the two texts."""
    engine = open_engine(request.getfixturevalue(kind))
    runtime = watch(engine)
    first = engine.classify([*PAIRS, PAIRS[0]])
    assert (runtime.n_rows, looked(told)) == (4, (0, 4))
    told.clear()
    second = engine.classify([(right, left) for left, right in PAIRS])
    assert (runtime.n_rows, looked(told)) == (4, (4, 0))
    assert np.array_equal(first.probabilities[:4], second.probabilities)
    assert np.array_equal(first.probabilities[4], first.probabilities[0])


def test_two_pairs_with_the_same_letters_have_their_own_verdicts(
    pairs: Path, open_engine: Any
) -> None:
    """Where one text ends and the other begins is part of a pair, whatever signs are in it."""
    asked = [("路号", "海"), ("路", "号海"), ("路\0号", "海"), ("路", "号\0海"), ("1路", "号\0海")]
    found = open_engine(pairs).classify(asked, raw=True).probabilities
    alone = [open_engine(pairs).classify([pair], raw=True).probabilities[0] for pair in asked]
    assert found == pytest.approx(np.array(alone), abs=1e-5)
    assert not np.allclose(found[0], found[1], atol=1e-4)


def test_a_pair_with_a_blank_text_has_an_error_of_its_own(pairs: Path, open_engine: Any) -> None:
    """On either side; the others have their verdicts."""
    asked: list[Any] = [PAIRS[0], ("", BARE), (BARE, " "), (None, BARE), (BARE, None), PAIRS[1]]
    engine = open_engine(pairs)
    found = engine.classify(asked)
    assert sorted(found.errors) == [1, 2, 3, 4]
    assert all(isinstance(error, InputError) for error in found.errors.values())
    expected = engine.classify([PAIRS[0], PAIRS[1]]).probabilities
    assert np.array_equal(found.probabilities[[0, 5]], expected)
    assert not found.probabilities[1:5].any()


def test_what_is_given_stays_as_it_was(vectors: Path, pairs: Path, open_engine: Any) -> None:
    """Lists of the caller's are not touched."""
    texts, asked = [f" {BARE} ", ""], [list(pair) for pair in PAIRS]
    before = json.dumps([texts, asked])
    open_engine(vectors).encode(texts)
    open_engine(pairs).classify(asked)
    assert json.dumps([texts, asked]) == before


@pytest.mark.parametrize(
    ("kind", "calls"),
    [
        ("vectors", ["classify", "tag"]),
        ("pairs", ["encode", "tag"]),
        ("rank", ["encode", "tag"]),
        ("tags", ["encode", "classify"]),
    ],
)
def test_a_checkpoint_of_another_kind_is_refused(
    request: pytest.FixtureRequest, open_engine: Any, kind: str, calls: list[str]
) -> None:
    """With what it gives."""
    engine = open_engine(request.getfixturevalue(kind))
    assert engine.kind == kind
    for call in calls:
        with pytest.raises(ConfigError, match=f"gives {kind}"):
            getattr(engine, call)([])


# What it says of itself.


def test_info_is_plain_and_complete(vectors: Path, open_engine: Any) -> None:
    """As JSON; each figure is the one that holds."""
    engine = open_engine(vectors, max_tokens=512)
    info = json.loads(json.dumps(engine.info()))
    assert info.pop("deviation")["passed"] is True
    assert info.pop("runtime") in {"openvino", "onnxruntime", "torch"}
    assert isinstance(info.pop("device"), str)
    assert info == {
        "kind": "vectors",
        "family": "bert",
        "labels": [],
        "pooling": "mean",
        "dim": 32,
        "max_length": 64,
        "precision": "fp32",
        "n_threads": 1,
        "n_streams": 1,
        "max_tokens": 512,
        "fingerprint": engine.fingerprint,
        "notes": [],
    }


def test_info_names_the_labels(pairs: Path, open_engine: Any) -> None:
    """In the order of the numbers."""
    engine = open_engine(pairs)
    assert engine.info()["labels"] == list(engine.labels)
    assert engine.labels == ("not_match", "partial_match", "exact_match")


def _other_words(path: Path, **how: Any) -> Any:
    """An encoder whose vocabulary has two words exchanged."""
    made = hub_encoder(path, **how)
    words = (path / "vocab.txt").read_text("utf-8").split("\n")
    a, b = words.index("路"), words.index("号")
    words[a], words[b] = words[b], words[a]
    (path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    return made


def test_the_fingerprint_is_that_of_all_that_changes_a_vector(
    make_folder: Any, open_engine: Any
) -> None:
    """Weights, tokenizer, pooling, prefix and length; not where the folder lies."""
    folders = {
        "plain": make_folder(hub_encoder),
        "weights": make_folder(hub_encoder, seed=1),
        "tokenizer": make_folder(_other_words),
        "pooling": make_folder(hub_encoder, options={"pooling": "cls"}),
        "prefix": make_folder(hub_encoder, options={"prefix": "路"}),
        "max_length": make_folder(hub_encoder, options={"max_length": 40}),
    }
    found = {name: open_engine(folder).fingerprint for name, folder in folders.items()}
    assert max(Counter(found.values()).values()) == 1
    assert open_engine(make_folder(hub_encoder)).fingerprint == found["plain"]


@pytest.mark.parametrize("name", ["precision", "normaliser", "parser", "divisions"])
def test_the_fingerprint_is_that_of_what_prepares_texts(
    vectors: Path, open_engine: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """And of the numbers that the model computes in; a key of one is never another's."""
    opened = open_folder(vectors, precision="fp32", n_threads=1)
    before = engines._fingerprint(opened)
    assert before == open_engine(vectors).fingerprint
    if name == "precision":
        opened = replace(opened, runtime=SimpleNamespace(precision="bf16"))
    elif name == "normaliser":
        monkeypatch.setattr(engines, "NORMALIZER_VERSION", "other")
    elif name == "parser":
        monkeypatch.setattr(engines, "PARSER_VERSION", "other")
    else:
        other = SimpleNamespace(load=lambda: SimpleNamespace(digest="other"))
        monkeypatch.setattr(engines, "divisions", other)
    assert engines._fingerprint(opened) != before


def test_stages_and_batches_are_told_once(vectors: Path, open_engine: Any) -> None:
    """Each with the items that it worked on: five texts, one of them twice and one blank."""
    timings = Timings()
    engine = open_engine(vectors, observers=[timings])
    texts = [BARE, "望澜路", BARE, "", "路" * 100]
    engine.encode(texts)
    once = {"tokenise": 3, "plan": 3, "forward": 3, "pool": 3}
    assert timings.n_items == {"normalise": 5, "look_up": 4, **once}
    assert set(timings.seconds) == set(timings.n_items)
    assert timings.n_tokens == 13 + 5 + 64
    assert timings.n_padded_tokens == 2 * 14 + 64
    engine.encode(texts)
    assert timings.n_items == {"normalise": 10, "look_up": 8, **once}


def test_stages_of_pairs_and_tags_are_told(pairs: Path, tags: Path, open_engine: Any) -> None:
    """A pair is two texts to normalise, and one item for the model."""
    timings = Timings()
    open_engine(pairs, observers=[timings]).classify(PAIRS)
    once = {"tokenise": 4, "plan": 4, "forward": 4, "pool": 4}
    assert timings.n_items == {"normalise": 8, "look_up": 4, **once}
    timings = Timings()
    open_engine(tags, observers=[timings]).tag(["望澜路", "海岸广场"])
    assert timings.n_items == {"tokenise": 2, "plan": 2, "forward": 2, "pool": 2}


# Each choice of `load`.


def test_folder_is_used(vectors: Path, make_folder: Any, open_engine: Any, tmp_path: Path) -> None:
    """As a path or its text; another one has other vectors, and none is refused."""
    found = open_engine(str(vectors)).encode([BARE]).vectors
    other = open_engine(make_folder(hub_encoder, seed=1)).encode([BARE]).vectors
    assert not np.allclose(found, other, atol=1e-2)
    with pytest.raises(ModelError, match=r"menpai\.json"):
        open_engine(tmp_path)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime", "torch"])
def test_runtime_is_used(
    vectors: Path, open_engine: Any, cosine: Callable[..., Any], runtime: str
) -> None:
    """And answers as any other."""
    pytest.importorskip(runtime)
    engine = open_engine(vectors, runtime=runtime)
    assert engine.info()["runtime"] == runtime
    found, usual = (e.encode(addresses(10)).vectors for e in (engine, open_engine(vectors)))
    assert cosine(found, usual).min() > 0.99999


def test_precision_is_used(vectors: Path, open_engine: Any) -> None:
    """Given as it is asked for, if the processor has it."""
    assert open_engine(vectors, precision="fp32").info()["precision"] == "fp32"
    onnx = open_engine(vectors, precision="int8", runtime="onnxruntime")
    assert onnx.info()["precision"] == "int8"
    assert onnx.fingerprint != open_engine(vectors, precision="fp32").fingerprint


def test_n_threads_is_used(vectors: Path, open_engine: Any) -> None:
    """One for each, and otherwise all that the process may use."""
    assert open_engine(vectors, n_threads=1).info()["n_threads"] == 1
    assert open_engine(vectors, n_threads=2).info()["n_threads"] == 2
    assert open_engine(vectors, n_threads=None).info()["n_threads"] == engines.n_cpus()


def test_n_streams_is_used(vectors: Path, open_engine: Any) -> None:
    """By the runtime and by the executor."""
    engine = open_engine(vectors, n_threads=2, n_streams=2)
    assert engine.info()["n_streams"] == 2
    assert engine._executor._streams is not None
    assert open_engine(vectors, n_threads=2, n_streams=1)._executor._streams is None
    engine.close()


def test_max_tokens_is_used(vectors: Path, open_engine: Any, told: list[Event]) -> None:
    """No batch has more, but a longer text has one to itself."""
    engine = open_engine(vectors, max_tokens=50)
    found = engine.encode([*addresses(40), "路" * 60])
    batches = of_kind(told, BatchRun)
    assert found.errors == {}
    assert all(b.n_rows * b.length <= 50 or b.n_rows == 1 for b in batches)
    assert max(b.length for b in batches) == 64
    assert len(batches) > 20


def test_cache_bytes_is_used(vectors: Path, open_engine: Any, told: list[Event]) -> None:
    """A small cache forgets, none at all keeps nothing, and answers are the same."""
    texts = addresses(30)
    usual = open_engine(vectors).encode(texts).vectors
    small = open_engine(vectors, cache_bytes=5000)
    told.clear()
    assert small.encode(texts).vectors == pytest.approx(usual, abs=1e-5)
    assert sum(event.n_entries for event in of_kind(told, CacheEvicted)) > 10
    without = open_engine(vectors, cache_bytes=0)
    assert without.cache is None
    for _ in range(2):
        told.clear()
        assert without.encode(texts).vectors == pytest.approx(usual, abs=1e-5)
        assert sum(event.n_rows for event in of_kind(told, BatchRun)) == 30
        assert of_kind(told, CacheLooked) == []


def test_cache_bytes_is_used_for_verdicts(pairs: Path, open_engine: Any, watch: Any) -> None:
    """Without caches every pair is judged again."""
    engine = open_engine(pairs, cache_bytes=0)
    runtime = watch(engine)
    first, second = (engine.classify(PAIRS).probabilities for _ in range(2))
    assert runtime.n_rows == 8
    assert first == pytest.approx(second, abs=1e-6)


def test_cache_dtype_is_used(vectors: Path, open_engine: Any, cosine: Callable[..., Any]) -> None:
    """In float16 the second answer is rounded, and as good."""
    engine = open_engine(vectors, cache_dtype="float16")
    texts = addresses(10)
    first, second = (engine.encode(texts).vectors for _ in range(2))
    assert np.array_equal(second, first.astype(np.float16).astype(np.float32))
    assert not np.array_equal(first, second)
    assert cosine(first, second).min() > 0.99999


def test_compiled_is_used(make_folder: Any, open_engine: Any, tmp_path: Path) -> None:
    """By default it lies in the folder; where another is given, the folder is left alone."""
    folder = make_folder(hub_encoder)
    before = sorted(folder.iterdir())
    open_engine(folder, n_threads=2, n_streams=None, compiled=tmp_path / "a" / "b").close()
    assert (tmp_path / "a" / "b" / "tuning.json").is_file()
    assert sorted(folder.iterdir()) == before
    open_engine(folder, n_threads=2, n_streams=None).close()
    assert (folder / engines.COMPILED / "tuning.json").is_file()


def test_compiled_that_cannot_be_written_is_harmless(
    vectors: Path, open_engine: Any, tmp_path: Path
) -> None:
    """A file is in its place."""
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    engine = open_engine(vectors, compiled=tmp_path / "file")
    assert engine.encode([BARE]).errors == {}
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("kind", ["vectors", "pairs", "rank", "tags"])
def test_warm_up_is_used(
    request: pytest.FixtureRequest, open_engine: Any, told: list[Event], kind: str
) -> None:
    """One and two texts of the usual lengths, and a full batch; nothing otherwise."""
    folder = request.getfixturevalue(kind)
    open_engine(folder)
    assert of_kind(told, BatchRun) == []
    engine: Engine = open_engine(folder, warm_up=True, max_tokens=512)
    batches = of_kind(told, BatchRun)
    assert {batch.n_rows for batch in batches} >= {1, 2}
    assert len({batch.length for batch in batches if batch.n_rows == 1}) >= 5
    assert max(batch.n_rows * batch.length for batch in batches) > 250
    assert engine.cache is None or engine.cache.stats().n_entries == 0


def test_warm_up_of_a_small_budget(vectors: Path, open_engine: Any) -> None:
    """Where not one text fits into it."""
    assert open_engine(vectors, warm_up=True, max_tokens=4).encode([BARE]).errors == {}


def test_observers_are_used(vectors: Path, open_engine: Any) -> None:
    """All of them, from an iterator too."""
    lists: list[list[Event]] = [[], []]
    engine = open_engine(vectors, observers=iter([lists[0].append, lists[1].append]))
    engine.encode([BARE])
    assert lists[0] == lists[1]
    assert of_kind(lists[0], StageDone)
    assert of_kind(lists[0], CacheLooked)


@pytest.mark.parametrize(
    "choice",
    [
        {"runtime": "paper"},
        {"precision": "fp64"},
        {"n_threads": 0},
        {"n_streams": 0},
        {"n_threads": 1, "n_streams": 2},
        {"max_tokens": 0},
        {"cache_bytes": 10},
        {"cache_bytes": -1},
        {"cache_dtype": "int8"},
    ],
)
def test_a_choice_that_is_not_allowed_is_refused(
    vectors: Path, open_engine: Any, choice: dict[str, Any]
) -> None:
    """At once."""
    with pytest.raises(ConfigError):
        open_engine(vectors, **choice)


def test_close_lets_go_and_may_be_repeated(vectors: Path, pairs: Path, open_engine: Any) -> None:
    """A closed engine answers nothing."""
    engine = open_engine(vectors)
    runtime = engine._executor._runtime
    engine.encode([BARE])
    for _ in range(2):
        engine.close()
    with pytest.raises(ValueError, match="closed"):
        engine.encode([BARE])
    assert getattr(runtime, "_model", None) is None
    open_engine(pairs).close()


OFFLINE = """
import socket, sys
def refuse(*_):
    raise SystemExit("a connection was opened")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
sys.modules["torch"] = None
from menpai.engine.engine import load
print(load(sys.argv[1]).encode(["望澜路88号"]).vectors.shape)
"""


def test_running_needs_neither_torch_nor_a_network(vectors: Path) -> None:
    """A converted checkpoint runs where torch cannot be loaded and no connection be opened."""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(vectors)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "(1, 32)\n", done.stderr
