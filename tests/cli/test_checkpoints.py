"""Commands that take a checkpoint: `compare`, `embed`, `model` and `bench`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import hub_encoder, mgeo_alignment, mgeo_rerank

from menpai.bench import encoders
from menpai.model.convert import convert

pytest.importorskip("torch", reason="the extra torch is not installed")

Menpai = Callable[..., Any]
LEFT, RIGHT = "杭州市西湖区望澜路88号", "望澜路88号3幢"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder."""
    folder = tmp_path_factory.mktemp("encoder")
    hub_encoder(folder / "source")
    convert(folder / "source", folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def alignment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted model of pairs."""
    folder = tmp_path_factory.mktemp("alignment")
    mgeo_alignment(folder / "source")
    convert(folder / "source", folder / "out", int8=False)
    return folder / "out"


# ---- compare -------------------------------------------------------------------------------------


def test_similarity_is_shown(menpai: Menpai, encoder: Path) -> None:
    """With a checkpoint that gives vectors it is no longer null."""
    plain = menpai("compare", LEFT, RIGHT, "--json").json
    assert plain["similarity"] is None
    found = menpai("compare", LEFT, RIGHT, "--json", "--checkpoint", encoder).json
    assert -1.0 <= found["similarity"] <= 1.0
    assert found["label"] == plain["label"]
    assert "similarity" in menpai("compare", LEFT, RIGHT, "--checkpoint", encoder).out


def test_raw_is_the_model_alone(menpai: Menpai, alignment: Path) -> None:
    """In the order of the texts, which matters to the model."""
    raw = menpai("compare", LEFT, RIGHT, "--checkpoint", alignment, "--raw", "--json").json
    assert set(raw["probabilities"]) == {"not_match", "partial_match", "exact_match"}
    assert sum(raw["probabilities"].values()) == pytest.approx(1.0, abs=1e-5)
    turned = menpai("compare", RIGHT, LEFT, "--checkpoint", alignment, "--raw", "--json").json
    assert turned != raw
    shown = menpai("compare", LEFT, RIGHT, "--checkpoint", alignment, "--raw").out
    assert f"{raw['probabilities']['exact_match']:.6f}" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", LEFT, RIGHT, "--raw"],
        ["compare", "--in", "pairs.csv", "--left", "a", "--right", "b", "--out", "-", "--raw"],
        ["compare", LEFT, RIGHT, "--runtime", "abacus"],
    ],
)
def test_what_does_not_go_together_is_refused(
    menpai: Menpai, alignment: Path, arguments: list[str], write_lines: Callable[..., Path]
) -> None:
    """Raw without a checkpoint, raw of a table, a runtime that does not exist."""
    write_lines("pairs.csv", ["a,b", f"{LEFT},{RIGHT}"])
    named = "none" if arguments == ["compare", LEFT, RIGHT, "--raw"] else str(alignment)
    ended = menpai(*arguments, "--checkpoint", named)
    assert ended.code == 2
    assert ended.err.startswith("menpai: ")


def test_timings_are_told_aside(menpai: Menpai, encoder: Path) -> None:
    """On stderr, one line for each stage that ran."""
    ended = menpai("compare", LEFT, RIGHT, "--json", "--timings", "--checkpoint", encoder)
    assert json.loads(ended.out)["label"]
    stages = [line.split()[0] for line in ended.err.splitlines()[1:-1]]
    assert stages == [
        *("normalise", "parse", "tokenise", "plan", "look_up", "forward", "pool"),
        *("compare", "decide"),
    ]


def test_table_with_a_checkpoint(
    menpai: Menpai, encoder: Path, write_lines: Callable[..., Path]
) -> None:
    """Every row gets its similarity."""
    write_lines("pairs.csv", ["a,b", f"{LEFT},{RIGHT}", f"{LEFT},{LEFT}"])
    arguments = ("--in", "pairs.csv", "--left", "a", "--right", "b", "--out", "out.jsonl")
    ended = menpai("compare", *arguments, "--checkpoint", encoder, "--timings", "--threads", 1)
    assert ended.code == 0
    assert "forward" in ended.err
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert rows[1]["similarity"] == pytest.approx(1.0, abs=1e-5)
    assert rows[0]["similarity"] < 1.0


# ---- embed ---------------------------------------------------------------------------------------


@pytest.fixture
def table(write_lines: Callable[..., Path]) -> Path:
    """Three rows, the second without an address."""
    return write_lines("in.csv", ["id,address", f"1,{LEFT}", "2,", f"3,{RIGHT}"])


def test_rows_keep_their_place_in_an_array(menpai: Menpai, encoder: Path, table: Path) -> None:
    """The failed one is NaN and listed, and its neighbours are where they belong."""
    arguments = ("embed", "--in", table, "--column", "address", "--checkpoint", encoder)
    ended = menpai(*arguments, "--out", "v.npy")
    assert ended.code == 3
    vectors = np.load("v.npy")
    assert (vectors.shape, vectors.dtype) == ((3, 32), np.float32)
    assert np.isnan(vectors).any(axis=1).tolist() == [False, True, False]
    np.testing.assert_allclose(np.linalg.norm(vectors[[0, 2]], axis=1), 1.0, atol=1e-5)
    (error,) = map(json.loads, Path("v.npy.errors.jsonl").read_text("utf-8").splitlines())
    assert error["row"] == 2
    assert menpai(*arguments, "--out", "w.npy", "--limit", 1).code == 0
    np.testing.assert_array_equal(np.load("w.npy"), vectors[:1])


def test_vectors_in_a_table(menpai: Menpai, encoder: Path, table: Path) -> None:
    """Columns are kept, and vector and truncated added, with a prefix if wanted."""
    arguments = ("embed", "--in", table, "--column", "address", "--checkpoint", encoder)
    assert menpai(*arguments, "--out", "v.jsonl", "--prefix", "my_", "--timings").code == 3
    rows = [json.loads(line) for line in Path("v.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["1", "3"]
    assert len(rows[0]["my_vector"]) == 32
    assert rows[0]["my_truncated"] is False


def test_embed_needs_an_encoder(menpai: Menpai, alignment: Path, table: Path) -> None:
    """A model of pairs has no vectors to give."""
    ended = menpai(
        *("embed", "--in", table, "--column", "address"),
        *("--checkpoint", alignment, "--out", "v.npy"),
    )
    assert ended.code == 2
    assert "not vectors" in ended.err


# ---- model ---------------------------------------------------------------------------------------


def test_info_convert_verify(menpai: Menpai, tmp_path: Path) -> None:
    """From a folder of ModelScope to one that is checked, by the commands alone."""
    mgeo_rerank(tmp_path / "source")
    info = menpai("model", "info", "source", "--json").json
    assert (info["converted"], info["family"], info["kind"]) == (False, "mgeo", "rank")
    made = menpai("model", "convert", "source", "--out", "out", "--max-length", 32, "--json").json
    assert (made["max_length"], made["converted"]) == (32, True)
    assert menpai("model", "info", "out", "--json").json["fingerprint"] == made["fingerprint"]
    found = menpai("model", "verify", "out", "--json").json
    assert found["passed"] is True
    assert found["max_abs_difference"] < 0.05
    assert found["precision"] in {"fp32", "bf16", "fp16", "int8"}
    assert {run["runtime"] for run in found["runs"]} == {"openvino", "onnxruntime", "torch"}
    assert "used here" in menpai("model", "verify", "out", "--runtime", "torch").out


def test_verify_converts_aside(menpai: Menpai, tmp_path: Path) -> None:
    """A folder of a hub is checked as it is, and nothing is left beside it."""
    hub_encoder(tmp_path / "source")
    arguments = ("model", "verify", "source", "--json", "--runtime", "openvino")
    found = menpai(*arguments, "--precision", "fp32").json
    assert (found["passed"], len(found["runs"])) == (True, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
    assert menpai("model", "verify", "nowhere").code == 1


def test_verify_fails_where_answers_are_others(menpai: Menpai, tmp_path: Path) -> None:
    """Exit code 1, and not a word of passing."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    known = json.loads((tmp_path / "out" / "golden.json").read_text("utf-8"))
    known["outputs"][0] = [-value for value in known["outputs"][0]]
    (tmp_path / "out" / "golden.json").write_text(json.dumps(known))
    ended = menpai("model", "verify", "out", "--json")
    assert ended.code == 1
    assert json.loads(ended.err)["error"]["code"] == "bad_model"


def test_choices_of_conversion(menpai: Menpai, write_lines: Callable[..., Path]) -> None:
    """Pooling, prefix, no int8, own addresses; what goes together is asked for together."""
    hub_encoder(Path("source"))
    write_lines("own.csv", ["address", LEFT, "", RIGHT])
    convert_to = ("model", "convert", "source", "--json", "--out")
    chosen = menpai(*convert_to, "a", "--pooling", "cls", "--prefix", "查", "--no-int8").json
    assert (chosen["pooling"], chosen["prefix"]) == ("cls", "查")
    assert "int8" not in chosen["precisions"]
    own = menpai(*convert_to, "b", "--calibrate", "own.csv", "--column", "address").json
    assert own["gates"]["int8"] != menpai(*convert_to, "c").json["gates"]["int8"]
    assert menpai(*convert_to, "d", "--calibrate", "own.csv").code == 2
    assert menpai(*convert_to, "d", "--pooling", "lasttoken").code == 1
    assert not Path("d").exists()


# ---- bench ---------------------------------------------------------------------------------------


def test_bench_encode(menpai: Menpai, encoder: Path) -> None:
    """The figures of the contract; stages take no longer than the whole."""
    found = menpai("bench", "encode", "--checkpoint", encoder, "--limit", 40, "--json").json
    assert found["n_addresses"] == 40
    assert found["addresses_per_s"] == pytest.approx(40 / found["elapsed_s"])
    assert found["tokens_per_s"] > found["addresses_per_s"]
    assert found["padding_waste"] >= 0
    assert {"normalise", "tokenise", "forward"} <= set(found["stages"])
    assert "stages.forward" in menpai("bench", "encode", "--checkpoint", encoder, "--limit", 4).out


def test_bench_compare(
    menpai: Menpai, encoder: Path, monkeypatch: pytest.MonkeyPatch, write_lines: Callable[..., Path]
) -> None:
    """Both sides and their ratio, of a table's own addresses."""
    monkeypatch.setattr(encoders, "_BASELINE_S", 0.01)
    write_lines("own.csv", ["address", *(f"望澜路{n}号" for n in range(20))])
    found = menpai(
        *("bench", "compare", "--checkpoint", encoder, "--baseline", "naive", "--json"),
        *("--baseline-padding", 16, "--in", "own.csv", "--column", "address", "--limit", 8),
    ).json
    assert found["ratio"] == pytest.approx(found["pairs_per_s"] / found["baseline_pairs_per_s"])
    assert (found["n_pairs"], found["baseline_padding"]) == (8, 16)
    assert {"precision", "runtime", "n_threads"} <= set(found)


def test_bench_of_pairs(menpai: Menpai, alignment: Path) -> None:
    """A model of pairs is measured without a baseline, which has vectors only."""
    arguments = ("bench", "compare", "--checkpoint", alignment, "--limit", 8, "--json")
    found = menpai(*arguments).json
    assert min(found["pairs_per_s"], found["pairs_per_s_all_model"]) > 0
    assert 0 < found["p50_s"] <= found["p99_s"]
    assert 0 <= found["share_open"] <= 1
    assert menpai(*arguments, "--baseline", "naive").code == 2
    assert menpai(*arguments, "--baseline", "abacus").code == 2


def test_bench_needs_one_checkpoint(menpai: Menpai, encoder: Path) -> None:
    """Not two; a table with its column."""
    assert menpai("bench", "encode", "--checkpoint", encoder, "--random-bert-base").code == 2
    assert menpai("bench", "encode", "--checkpoint", encoder, "--in", "x.csv").code == 2
