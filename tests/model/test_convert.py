"""Converting: the same bytes each time, all or nothing, and what the manifest tells."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from folders import (
    ADDRESSES,
    STORAGES,
    add_modules,
    edited,
    hub_classifier,
    hub_encoder,
    hub_tags,
    mgeo_alignment,
    mgeo_backbone,
    mgeo_rerank,
    mgeo_tags,
)

from menpai.errors import ConfigError, ModelError, StorageError
from menpai.model import convert as converting, golden, graph
from menpai.model.convert import convert
from menpai.model.manifest import Manifest
from menpai.model.open import open_folder

pytest.importorskip("torch", reason="the extra torch is not installed")

FILES = ["golden.json", "menpai.json", "model-int8.onnx", "model.onnx", "tokenizer.json"]
BUILDS: dict[str, Callable[..., Any]] = {
    build.__name__: build
    for build in (
        *(mgeo_alignment, mgeo_rerank, mgeo_tags, mgeo_backbone),
        *(hub_encoder, hub_classifier, hub_tags),
    )
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A plain encoder."""
    hub_encoder(tmp_path / "source")
    return tmp_path / "source"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder, not to be changed."""
    root = tmp_path_factory.mktemp("convert")
    hub_encoder(root / "source")
    convert(root / "source", root / "out")
    return root / "out"


def contents(folder: Path) -> dict[str, bytes]:
    """All files by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def beside(tmp_path: Path) -> list[str]:
    """What lies beside the folders of a test."""
    return sorted(path.name for path in tmp_path.iterdir())


# ---- The same bytes ------------------------------------------------------------------------------

AGAIN = """
import sys
from menpai.model.convert import convert
convert(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize("name", ["mgeo_alignment", "mgeo_backbone"])
def test_another_process_writes_the_same_bytes(tmp_path: Path, name: str) -> None:
    """All files, whatever the process hashes words with."""
    BUILDS[name](tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "one")
    subprocess.run(
        [sys.executable, "-c", AGAIN, str(tmp_path / "source"), str(tmp_path / "other")],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert list(contents(tmp_path / "one")) == FILES
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_storage_changes_nothing_but_where_it_came_from(tmp_path: Path) -> None:
    """Weights that are equal give equal graphs, whole or in shards, pickled or not."""
    found = []
    for storage in STORAGES:
        mgeo_alignment(tmp_path / storage, storage=storage, dtype="float16")
        convert(tmp_path / storage, tmp_path / f"{storage}-out")
        found.append(contents(tmp_path / f"{storage}-out"))
    manifests = [json.loads(files.pop("menpai.json")) for files in found]
    assert all(files == found[0] for files in found)
    assert len({manifest.pop("source_digest") for manifest in manifests}) == len(STORAGES)
    assert all(manifest == manifests[0] for manifest in manifests)


def test_converting_needs_no_torch(source: Path, tmp_path: Path) -> None:
    """Where weights are safetensors."""
    code = f"import sys\nsys.modules['torch'] = None\n{AGAIN}"
    subprocess.run([sys.executable, "-c", code, str(source), str(tmp_path / "out")], check=True)
    assert list(contents(tmp_path / "out")) == FILES


# ---- All or nothing ------------------------------------------------------------------------------


def fail_at(monkeypatch: pytest.MonkeyPatch, stage: str, error: BaseException) -> None:
    """Let one stage of a conversion fail."""

    def fail(*_: object, **__: object) -> None:
        raise error

    homes: dict[str, Any] = {
        "build": graph,
        "save": graph,
        "build_tapped": graph,
        "write": golden,
        "check": golden,
        "_ranges": converting,
    }
    monkeypatch.setattr(homes[stage], stage, fail)


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize(
    ("stage", "error", "wanted"),
    [
        ("build", MemoryError(), MemoryError),
        ("save", OSError(28, "No space left on device"), StorageError),
        ("write", PermissionError(13, "Permission denied"), StorageError),
        ("_ranges", KeyboardInterrupt(), KeyboardInterrupt),
        ("build_tapped", ValueError("odd"), ValueError),
        ("check", ModelError("damaged"), ModelError),
    ],
)
def test_nothing_is_left_of_what_failed(  # noqa: PLR0917 -- as many columns
    made: Path,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    error: BaseException,
    wanted: type[BaseException],
    is_there: bool,  # noqa: FBT001 -- a case
) -> None:
    """At whatever stage; a folder that was there is as it was."""
    out = tmp_path / "out"
    if is_there:
        copytree(made, out)
    before = contents(out) if is_there else {}
    fail_at(monkeypatch, stage, error)
    with pytest.raises(wanted):
        convert(source, out)
    assert beside(tmp_path) == (["out", "source"] if is_there else ["source"])
    assert (contents(out) if is_there else {}) == before


def test_failing_for_want_of_room_says_so(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder's name and the system's words."""
    fail_at(monkeypatch, "save", OSError(28, "No space left on device"))
    with pytest.raises(StorageError, match=r"out: No space left on device"):
        convert(source, tmp_path / "out")


def test_converted_folder_is_replaced_as_a_whole(source: Path, tmp_path: Path) -> None:
    """With its compiled forms and whatever else was of the old one."""
    out = tmp_path / "out"
    mgeo_alignment(tmp_path / "first")
    convert(tmp_path / "first", out)
    (out / "compiled").mkdir()
    (out / "compiled" / "old.blob").write_text("old", "utf-8")
    convert(source, out, int8=False)
    convert(source, tmp_path / "fresh", int8=False)
    assert contents(out) == contents(tmp_path / "fresh")
    assert beside(tmp_path) == ["first", "fresh", "out", "source"]


def test_replacing_that_fails_leaves_the_old_one(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even when the old one has been moved away already."""
    out = tmp_path / "out"
    convert(source, out, int8=False)
    before = contents(out)
    rename = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".partial"):
            raise OSError(16, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(StorageError, match="busy"):
        convert(source, out)
    assert contents(out) == before
    assert beside(tmp_path) == ["out", "source"]


def test_remains_of_a_killed_process_are_in_nobodys_way(source: Path, tmp_path: Path) -> None:
    """In a container every process may have the same number."""
    out = tmp_path / "out"
    for ending in ("partial", "old"):
        left = tmp_path / f".out.{os.getpid()}.{ending}"
        left.mkdir()
        (left / "model.onnx").write_text("half", "utf-8")
    convert(source, out, int8=False)
    convert(source, out, int8=False)
    assert not (set(beside(tmp_path)) - {"out", "source"})


# ---- Where to ------------------------------------------------------------------------------------


def test_missing_parents_are_made(source: Path, tmp_path: Path) -> None:
    """As deep as need be."""
    convert(source, tmp_path / "a" / "b" / "out", int8=False)
    assert beside(tmp_path / "a" / "b") == ["out"]


def test_empty_folder_is_taken(source: Path, tmp_path: Path) -> None:
    """Whether by its name or from inside."""
    (tmp_path / "out").mkdir()
    convert(source, tmp_path / "out", int8=False)
    assert Manifest.read(tmp_path / "out").kind == "vectors"


@pytest.mark.parametrize("name", [".", "", "../here/"])
def test_folder_that_one_is_in_is_taken(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It has no name of its own to put another beside."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    convert(source, name, int8=False)
    assert Manifest.read(tmp_path / "here").kind == "vectors"
    assert beside(tmp_path) == ["here", "source"]


def test_link_stays_a_link(source: Path, tmp_path: Path) -> None:
    """What it points to is replaced."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for _ in range(2):
        convert(source, tmp_path / "link", int8=False)
    assert (tmp_path / "link").is_symlink()
    assert Manifest.read(tmp_path / "real").kind == "vectors"
    assert beside(tmp_path) == ["link", "real", "source"]


@pytest.mark.parametrize("what", ["file", "folder", "checkpoint"])
def test_what_is_no_converted_folder_is_left_alone(source: Path, tmp_path: Path, what: str) -> None:
    """Not even the checkpoint itself is written over."""
    out = source if what == "checkpoint" else tmp_path / "out"
    if what == "folder":
        out.mkdir()
        (out / "letter.txt").write_text("mine", "utf-8")
    elif what == "file":
        out.write_text("mine", "utf-8")
    before = contents(out) if out.is_dir() else {"": out.read_bytes()}
    with pytest.raises(StorageError, match="in the way"):
        convert(source, out)
    assert (contents(out) if out.is_dir() else {"": out.read_bytes()}) == before
    assert len(beside(tmp_path)) == (1 if what == "checkpoint" else 2)


def test_place_that_cannot_be_written_is_told(source: Path, tmp_path: Path) -> None:
    """Below a file there is no folder."""
    (tmp_path / "file").write_text("mine", "utf-8")
    with pytest.raises(StorageError, match="cannot write"):
        convert(source, tmp_path / "file" / "out")
    assert beside(tmp_path) == ["file", "source"]


# ---- What is asked for ---------------------------------------------------------------------------


def test_without_int8_there_is_none(source: Path, tmp_path: Path) -> None:
    """No graph, no gate; the rest is the same."""
    some, rest = convert(source, tmp_path / "some"), convert(source, tmp_path / "rest", int8=False)
    assert rest.precisions == ("fp32", "bf16", "fp16")
    assert some.precisions == ("fp32", "bf16", "fp16", "int8")
    assert rest.gates == {}
    assert some.fingerprint == rest.fingerprint
    assert list(contents(tmp_path / "rest")) == [name for name in FILES if "int8" not in name]


def test_int8_passed_its_gate(made: Path) -> None:
    """How far it is stands in the manifest, with the graph's digest."""
    gate = Manifest.read(made).gates["int8"]
    assert gate["passed"] is True
    assert 0 < gate["max_cosine_difference"] < gate["tolerance"]
    assert len(gate["digest"]) == 64


def test_no_address_to_calibrate_with_is_refused(source: Path, tmp_path: Path) -> None:
    """Ranges of nothing would make a graph that answers with noise."""
    with pytest.raises(ConfigError) as caught:
        convert(source, tmp_path / "out", calibration=[])
    assert caught.value.field == "calibration"
    assert beside(tmp_path) == ["source"]


@pytest.mark.parametrize("name", ["mgeo_rerank", "hub_encoder", "hub_tags"])
def test_one_address_is_enough_to_calibrate(tmp_path: Path, name: str) -> None:
    """Poorly, but with numbers that are finite."""
    BUILDS[name](tmp_path / "source")
    manifest = convert(tmp_path / "source", tmp_path / "out", calibration=[ADDRESSES[0]])
    assert manifest.gates["int8"]["max_abs_difference"] < 1.0


def test_fingerprint_tells_what_changes_an_answer(source: Path, tmp_path: Path) -> None:
    """Weights, pooling, prefix, limit, vocabulary; not the place or int8."""
    options: list[dict[str, Any]] = [
        {},
        {"pooling": "cls"},
        {"prefix": "地址："},
        {"max_length": 40},
        {"max_length": 41},
    ]
    found = [
        convert(source, tmp_path / f"out{place}", int8=False, **own).fingerprint
        for place, own in enumerate(options)
    ]
    hub_encoder(tmp_path / "other", seed=3)
    found.append(convert(tmp_path / "other", tmp_path / "out-other", int8=False).fingerprint)
    with edited(source / "tokenizer_config.json") as content:
        content["do_lower_case"] = False
    found.append(convert(source, tmp_path / "out-case", int8=False).fingerprint)
    assert len(set(found)) == len(found)
    hub_encoder(tmp_path / "again")
    again = convert(tmp_path / "again", tmp_path / "somewhere" / "else")
    assert again.fingerprint == found[0]


# ---- The manifest --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILDS)
def test_manifest_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    """Labels, sizes, gates and all."""
    made = BUILDS[name](tmp_path / "source")
    written = convert(tmp_path / "source", tmp_path / "out")
    found = Manifest.read(tmp_path / "out")
    assert found == written
    assert found.labels == made.labels
    assert found.design == written.design
    assert found.has_pairs is (found.kind in {"pairs", "rank"})
    assert (found.max_length, found.config.n_layers) == (64, made.config.n_layers)
    found.write(tmp_path)
    assert (tmp_path / "menpai.json").read_bytes() == contents(tmp_path / "out")["menpai.json"]


def test_manifest_keeps_prefix_and_channels(tmp_path: Path) -> None:
    """Chinese stays readable."""
    hub_encoder(tmp_path / "source")
    add_modules(tmp_path / "source", "max", prompts={"query": "查询："}, default_prompt="query")
    manifest = convert(tmp_path / "source", tmp_path / "out", int8=False)
    assert (manifest.pooling, manifest.prefix, manifest.max_length) == ("max", "查询：", 48)
    config = replace(manifest.config, channels=(("tag", 4), ("relation", 3)))
    calibration = {"thresholds": [0.5]}
    wider = replace(manifest, config=config, calibration=calibration)
    wider.write(tmp_path / "out")
    assert Manifest.read(tmp_path / "out") == wider
    assert "查询：" in (tmp_path / "out" / "menpai.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "poems"),
        ("pooling", "last"),
        ("pooling", None),
        ("precisions", ["fp32", "fp4"]),
        ("precisions", 7),
        ("gates", []),
        ("gates", {"int8": {}}),
        ("gates", {"int8": {"passed": "yes"}}),
        ("config", []),
        ("config", {}),
        ("config", {"width": 32}),
        ("labels", None),
        ("max_length", "64"),
        ("has_segments", None),
        ("calibration", 7),
        ("calibration", {"shares": [0.5]}),
        ("calibration", {"shares": {"place": "half"}}),
        ("calibration", {"shares": {"place": 1.5}}),
        ("of another program", 1),
    ],
)
def test_damaged_manifest_is_refused(made: Path, tmp_path: Path, key: str, value: object) -> None:
    """A wrong value would answer wrongly, or fail later in other words."""
    copytree(made, tmp_path / "out")
    with edited(tmp_path / "out" / "menpai.json") as content:
        content[key] = value
    with pytest.raises(ModelError, match=r"menpai\.json.*damaged"):
        open_folder(tmp_path / "out", n_threads=1)


@pytest.mark.parametrize("key", ["kind", "config", "labels", "gates", "fingerprint", "pooling"])
def test_incomplete_manifest_is_refused(made: Path, tmp_path: Path, key: str) -> None:
    """No value is guessed."""
    copytree(made, tmp_path / "out")
    with edited(tmp_path / "out" / "menpai.json") as content:
        del content[key]
    with pytest.raises(ModelError, match="damaged"):
        Manifest.read(tmp_path / "out")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"format": 2, "of": "later"}', "has format 2, this version reads 1"),
        ('{"name": "of another program"}', "has format None"),
        ("[]", "holds list"),
        ("null", "holds NoneType"),
        ('{"format": 1', "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_foreign_manifest_is_refused(tmp_path: Path, content: str, words: str) -> None:
    """With what is wrong with it."""
    (tmp_path / "menpai.json").write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"menpai\.json") as caught:
        Manifest.read(tmp_path)
    assert words in str(caught.value)
