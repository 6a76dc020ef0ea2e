"""Opening a converted folder: which runtime and precision, damaged folders, compiled forms."""

import locale
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from folders import ADDRESSES, edited, hub_encoder, mgeo_alignment

from menpai.errors import ConfigError, MemoryLimitError, MenpaiError, MissingExtraError, ModelError
from menpai.model import golden, open as opening
from menpai.model.batches import pad
from menpai.model.convert import convert
from menpai.model.manifest import Manifest
from menpai.model.open import Opened, choose_runtime, open_folder, reference
from menpai.model.runtimes import openvino as openvinos
from menpai.model.runtimes.protocol import RUNTIMES

pytest.importorskip("torch", reason="the extra torch is not installed")

X86 = platform.machine().lower() in {"x86_64", "amd64"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder, not to be changed."""
    root = tmp_path_factory.mktemp("open")
    hub_encoder(root / "source")
    convert(root / "source", root / "out")
    return root / "out"


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(copytree(made, tmp_path / "model"))


def opened(folder: Path, runtime: str = "openvino", precision: str = "fp32", **more: Any) -> Opened:
    """Open with one thread."""
    return open_folder(folder, runtime=runtime, precision=precision, n_threads=1, **more)


def vector(found: Opened) -> Any:
    """Unit vector of an address."""
    (tokens,) = found.tokenizer.texts([ADDRESSES[0]])
    batch = pad([tokens], len(tokens.ids), found.tokenizer.pad_id, has_segments=False)
    return golden.unit(found.runtime.run(batch))[0]


# ---- Choice of the precision ---------------------------------------------------------------------


def spoil(folder: Path, gate: bool | None, rows: Callable[[list[Any]], Any]) -> None:  # noqa: FBT001 -- a case
    """Change what a gate says and what the known answers are."""
    if gate is not None:
        manifest = Manifest.read(folder)
        gates = {"int8": {**manifest.gates["int8"], "passed": gate}}
        replace(manifest, gates=gates).write(folder)
    with edited(folder / golden.FILE) as content:
        content["outputs"] = rows(content["outputs"])


@pytest.fixture
def with_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that computes int8 fast, whichever it is."""
    monkeypatch.setattr(openvinos, "fast_precisions", lambda: ("int8",))


@pytest.mark.usefixtures("with_int8")
def test_auto_takes_the_fastest_that_passes(made: Path) -> None:
    """Nothing is to be said of it."""
    found = opened(made, precision="auto")
    assert (found.runtime.precision, found.notes, found.deviation.passed) == ("int8", (), True)
    assert found.deviation.precision == "int8"


@pytest.mark.usefixtures("with_int8")
def test_auto_says_what_a_gate_kept_out(folder: Path) -> None:
    """A precision that was off at conversion is not even loaded."""
    spoil(folder, gate=False, rows=lambda rows: rows)
    (folder / "model-int8.onnx").unlink()
    found = opened(folder, precision="auto")
    assert found.runtime.precision == "fp32"
    (note,) = found.notes
    assert note.startswith("int8")
    assert "converted" in note


@pytest.mark.usefixtures("with_int8")
def test_auto_says_what_is_off_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that passed at conversion and is off on this processor, with how far."""
    monkeypatch.setitem(golden.VECTOR_TOLERANCE, "int8", 1e-9)
    found = opened(folder, precision="auto")
    assert found.runtime.precision == "fp32"
    (note,) = found.notes
    assert note.startswith("int8 differs")


def test_pinned_precision_is_taken_though_it_is_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for it gets it, and is told how far it is."""
    monkeypatch.setitem(golden.VECTOR_TOLERANCE, "int8", 1e-9)
    spoil(folder, gate=False, rows=lambda rows: rows)
    for runtime in ("openvino", "onnxruntime"):
        found = opened(folder, runtime, "int8")
        assert found.runtime.precision == "int8"
        assert not found.deviation.passed
        assert found.deviation.max_cosine_difference is not None


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("precision", ["fp32", "auto"])
def test_full_precision_that_is_off_is_refused(folder: Path, runtime: str, precision: str) -> None:
    """Then the folder is not what was converted; asking for fp32 does not help."""
    spoil(folder, gate=None, rows=lambda rows: [rows[0], *rows[:-1]])
    with pytest.raises(ModelError, match="does not give its known answers") as caught:
        opened(folder, runtime, precision)
    assert runtime in str(caught.value)
    assert "fp32 differs" in str(caught.value)


def test_folder_without_int8_is_run_without(tmp_path: Path) -> None:
    """Nothing is to be said of it."""
    mgeo_alignment(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    assert not (tmp_path / "out" / "model-int8.onnx").exists()
    found = opened(tmp_path / "out", "onnxruntime", "auto")
    assert (found.runtime.precision, found.notes) == ("fp32", ())
    with pytest.raises(ConfigError, match="fp32, bf16, fp16, not int8") as caught:
        opened(tmp_path / "out", "onnxruntime", "int8")
    assert caught.value.field == "precision"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"runtime": "abacus"}, "runtime"),
        ({"runtime": ""}, "runtime"),
        ({"precision": "fp8"}, "precision"),
        ({"precision": "FP32"}, "precision"),
        ({"runtime": "onnxruntime", "precision": "bf16"}, "precision"),
        ({"runtime": "onnxruntime", "precision": "fp16"}, "precision"),
        ({"runtime": "torch", "precision": "int8"}, "precision"),
    ],
)
def test_what_there_is_not_is_refused(made: Path, options: dict[str, Any], field: str) -> None:
    """With all that there is."""
    with pytest.raises(ConfigError) as caught:
        open_folder(made, n_threads=1, **options)
    assert caught.value.field == field
    there_is = RUNTIMES if field == "runtime" else ("fp32",)
    assert all(word in str(caught.value) for word in there_is)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_precision_that_would_be_emulated_is_refused(made: Path, precision: str) -> None:
    """OpenVINO takes thirty times as long for it."""
    if precision in openvinos.fast_precisions():
        pytest.skip(f"this processor has {precision}")
    with pytest.raises(ConfigError, match=f"this processor has no {precision}") as caught:
        opened(made, precision=precision)
    assert "fp32" in str(caught.value)


# ---- Choice of the runtime -----------------------------------------------------------------------


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that some runtimes are installed, and no others; without a graphics card."""

    def pretend(*names: str, machine: str = "x86_64") -> None:
        def find(name: str) -> object:
            return find_spec(name) if name in names or name not in RUNTIMES else None

        monkeypatch.setattr(opening, "find_spec", find)
        monkeypatch.setattr(opening, "has_nvidia", lambda: False)
        monkeypatch.setattr(platform, "machine", lambda: machine)

    return pretend


@pytest.mark.parametrize(
    ("names", "machine", "wanted"),
    [
        (RUNTIMES, "x86_64", "openvino"),
        (RUNTIMES, "AMD64", "openvino"),
        (RUNTIMES, "aarch64", "onnxruntime"),
        (RUNTIMES, "arm64", "onnxruntime"),
        (("openvino", "torch"), "arm64", "openvino"),
        (("onnxruntime", "torch"), "x86_64", "onnxruntime"),
        (("torch",), "x86_64", "torch"),
    ],
)
def test_auto_takes_the_fastest_runtime(
    installed: Callable[..., None], names: tuple[str, ...], machine: str, wanted: str
) -> None:
    """OpenVINO where it is made for the processor, otherwise ONNX Runtime."""
    installed(*names, machine=machine)
    assert choose_runtime("auto") == wanted


@pytest.mark.parametrize("name", RUNTIMES)
def test_runtime_that_is_not_installed_is_told(
    made: Path, installed: Callable[..., None], name: str
) -> None:
    """With the line that installs it."""
    installed(*(other for other in RUNTIMES if other != name))
    with pytest.raises(MissingExtraError, match="pip install") as caught:
        opened(made, name)
    assert name in str(caught.value)


def test_no_runtime_at_all_is_told(made: Path, installed: Callable[..., None]) -> None:
    """For running as for converting."""
    installed()
    for call in (
        lambda: opened(made, "auto"),
        lambda: convert(made.parent / "source", made.parent / "other"),
    ):
        with pytest.raises(MissingExtraError, match="pip install onnxruntime"):
            call()
    assert not (made.parent / "other").exists()


def test_converting_takes_the_runtime_of_the_processor(
    made: Path, installed: Callable[..., None]
) -> None:
    """Elsewhere than on x86-64 OpenVINO may have no int8."""
    installed(*RUNTIMES, machine="arm64")
    with reference(made, Manifest.read(made).design, "int8") as runtime:
        assert runtime.name == "onnxruntime"
    installed("openvino", "torch", machine="x86_64")
    with reference(made, Manifest.read(made).design, "fp32") as runtime:
        assert runtime.name == "openvino"


MISSING = """
import sys
from pathlib import Path
for name in sys.argv[2].split(","):
    sys.modules[name] = None
from menpai.errors import MissingExtraError
from menpai.model.open import open_folder
try:
    found = open_folder(Path(sys.argv[1]), runtime=sys.argv[3], n_threads=1)
    print(found.runtime.name)
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "runtime", "wanted"),
    [
        ("openvino", "auto", "onnxruntime"),
        ("openvino,torch,onnx,safetensors", "auto", "onnxruntime"),
        ("openvino", "openvino", "pip install openvino"),
        ("onnxruntime", "onnxruntime", "pip install onnxruntime"),
        ("torch", "torch", 'pip install "menpai[torch]"'),
        ("onnx", "torch", 'pip install "menpai[torch]"'),
        ("tokenizers", "auto", "pip install menpai"),
    ],
)
def test_library_that_is_missing(made: Path, missing: str, runtime: str, wanted: str) -> None:
    """In a process that truly has none: another is taken, or the line is told that installs it."""
    done = subprocess.run(
        [sys.executable, "-c", MISSING, str(made), missing, runtime],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert wanted in done.stdout, done.stderr


# ---- Damaged folders -----------------------------------------------------------------------------


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ["empty", "cut short", "no graph", "another graph"])
def test_damaged_graph_is_refused(folder: Path, runtime: str, name: str) -> None:
    """As an error of a folder, not of a library."""
    path = folder / "model.onnx"
    good = path.read_bytes()
    contents = {
        "empty": b"",
        "cut short": good[: len(good) // 2],
        "no graph": b"<html>not found</html>",
        "another graph": (folder / "model-int8.onnx").read_bytes()[:-7],
    }
    path.write_bytes(contents[name])
    with pytest.raises(ModelError) as caught:
        opened(folder, runtime)
    assert "model.onnx" in str(caught.value)


def test_graph_that_is_not_there_is_refused(folder: Path) -> None:
    """With the file's name."""
    (folder / "model-int8.onnx").unlink()
    with pytest.raises(ModelError, match=r"no model-int8\.onnx"):
        opened(folder, "onnxruntime", "int8")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_weights_of_another_checkpoint_are_noticed(
    folder: Path, tmp_path: Path, runtime: str
) -> None:
    """Of the same size, so that nothing but the answers can tell."""
    hub_encoder(tmp_path / "source", seed=5)
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    (folder / "model.onnx").write_bytes((tmp_path / "out" / "model.onnx").read_bytes())
    with pytest.raises(ModelError, match="known answers"):
        opened(folder, runtime)


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff"])
def test_damaged_tokenizer_is_refused(folder: Path, content: bytes | None) -> None:
    """As is one that is not there."""
    if content is None:
        (folder / "tokenizer.json").unlink()
    else:
        (folder / "tokenizer.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        opened(folder)


def test_load_that_needs_too_much_memory_is_told(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no damage: more memory helps."""

    def fail(_: object) -> None:
        raise RuntimeError("std::bad_alloc")

    monkeypatch.setattr(openvinos, "_compile", fail)
    with pytest.raises(MemoryLimitError):
        opened(made)


# ---- Compiled forms ------------------------------------------------------------------------------

needs_openvino = pytest.mark.skipif(find_spec("openvino") is None, reason="openvino alone has them")


def is_from_cache(found: Opened) -> bool:
    """Whether OpenVINO read a compiled form."""
    runtime: Any = found.runtime
    return bool(runtime._model.get_property("LOADED_FROM_CACHE"))


@needs_openvino
def test_compiled_form_is_kept(made: Path, tmp_path: Path) -> None:
    """Each precision and number of streams has its own; nothing else is left behind."""
    cache = tmp_path / "a" / "cache"
    for options in ({}, {"n_streams": 2}, {"precision": "int8"}):
        more: Any = {"n_threads": 2, "runtime": "openvino", "precision": "fp32", **options}
        assert [is_from_cache(open_folder(made, cache_dir=cache, **more)) for _ in range(3)] == [
            False,
            True,
            True,
        ]
    assert len(list(cache.rglob("*.blob"))) == len(list(cache.iterdir())) == 3
    np.testing.assert_array_equal(
        vector(opened(made, cache_dir=cache)), vector(opened(made, cache_dir=cache))
    )


@needs_openvino
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_compiled_form_of_other_weights_is_not_taken(
    folder: Path, tmp_path: Path, precision: str
) -> None:
    """Not even where path, size and time of the graph are the same, as in rebuilt images."""
    cache, path = tmp_path / "cache", folder / "model.onnx"
    names = ("model.onnx", "model-int8.onnx")
    for name in names:
        os.utime(folder / name, (0, 0))
    before = vector(opened(folder, precision=precision, cache_dir=cache))
    size = path.stat().st_size
    hub_encoder(tmp_path / "source", seed=5)
    convert(tmp_path / "source", folder)
    assert path.stat().st_size == size
    for name in names:
        os.utime(folder / name, (0, 0))
    found = opened(folder, precision=precision, cache_dir=cache)
    assert found.deviation.passed
    assert abs(vector(found) @ before) < 0.9


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut short": lambda good: good[: len(good) // 3],
    "without its end": lambda good: good[:-16],
    "zeros": lambda good: bytes(len(good)),
    "noise": lambda good: np.random.default_rng(0).bytes(len(good)),
    "noise behind the header": lambda good: (
        good[:400] + np.random.default_rng(0).bytes(len(good) - 400)
    ),
    "noise in the weights": lambda good: (
        good[: len(good) // 3] + np.random.default_rng(0).bytes(64) + good[len(good) // 3 + 64 :]
    ),
    "one bit": lambda good: good[:20_000] + bytes([good[20_000] ^ 64]) + good[20_001:],
}


@needs_openvino
@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_compiled_form_is_not_taken(made: Path, tmp_path: Path, name: str) -> None:
    """OpenVINO takes some for good, with other numbers, and ends the process for others."""
    cache = tmp_path / "cache"
    wanted = vector(opened(made, cache_dir=cache))
    (blob,) = cache.rglob("*.blob")
    good = blob.read_bytes()
    blob.chmod(0o600)
    blob.write_bytes(DAMAGES[name](good))
    found = opened(made, cache_dir=cache)
    assert not is_from_cache(found)
    np.testing.assert_array_equal(vector(found), wanted)
    assert is_from_cache(opened(made, cache_dir=cache))


@needs_openvino
@pytest.mark.parametrize("name", ["checksum", "blob", "both"])
def test_part_of_a_compiled_form_is_not_taken(made: Path, tmp_path: Path, name: str) -> None:
    """As a process leaves it that was killed."""
    cache = tmp_path / "cache"
    opened(made, cache_dir=cache)
    for path in list(cache.rglob("*")):
        if path.is_file() and (name == "both" or name in path.name):
            path.unlink()
    assert not is_from_cache(opened(made, cache_dir=cache))
    assert is_from_cache(opened(made, cache_dir=cache))
    assert len(list(cache.rglob("*.blob"))) == 1


@needs_openvino
def test_place_that_cannot_be_written_holds_nobody_up(made: Path, tmp_path: Path) -> None:
    """Below a file there is no folder."""
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    for place in (tmp_path / "file", tmp_path / "file" / "deep" / "cache"):
        assert opened(made, cache_dir=place).deviation.passed
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


@needs_openvino
def test_several_may_start_at_once(made: Path, tmp_path: Path) -> None:
    """Each works, one compiled form is left, and the process keeps its locale."""
    cache, found = tmp_path / "cache", []
    before = locale.setlocale(locale.LC_ALL)

    def start() -> None:
        found.append(vector(opened(made, cache_dir=cache)))

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(np.array_equal(found[0], other) for other in found)
    assert len(list(cache.iterdir())) == 1
    assert locale.setlocale(locale.LC_ALL) == before
    assert is_from_cache(opened(made, cache_dir=cache))


# ---- Nobody is told ------------------------------------------------------------------------------

QUIET = """
import os, sys, threading
marks = sys.argv[3]
def watch(event, args):
    if event.startswith(("socket.", "os.fork", "os.posix_spawn", "subprocess.")):
        if event not in ("socket.__new__", "socket.gethostname"):
            with open(marks, "a") as file:
                file.write(f"{event} {args}\\n")
sys.addaudithook(watch)
sys.modules["torch"] = None
from pathlib import Path
from menpai.model.convert import convert
from menpai.model.open import open_folder
convert(sys.argv[1], sys.argv[2])
for runtime in ("openvino", "onnxruntime"):
    for precision in ("fp32", "int8"):
        open_folder(Path(sys.argv[2]), runtime=runtime, precision=precision, n_threads=1)
assert "openvino_telemetry" not in sys.modules
print(sorted(thread.name for thread in threading.enumerate()))
"""


def test_nobody_is_told_anything(made: Path, tmp_path: Path) -> None:
    """No connection, no look-up of a name, no process or thread that would do it later.

    By themselves OpenVINO and ONNX Runtime tell their makers, unless they run in CI; a number for
    the machine in the home folder is the first sign of it, as code that is not Python's opens
    connections without being seen here.
    """
    home = tmp_path / "home"
    home.mkdir()
    places = [str(made.parent / "source"), str(tmp_path / "out"), str(tmp_path / "marks")]
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "PYTHONPATH"}}
    done = subprocess.run(
        [sys.executable, "-c", QUIET, *places],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**kept, "HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr
    marks = tmp_path / "marks"
    assert not marks.exists(), marks.read_text(encoding="utf-8")
    assert done.stdout == "['MainThread']\n"
    assert list(home.iterdir()) == []


def test_package_that_tells_is_hidden_for_the_import_alone() -> None:
    """Who uses it in the same process still can."""
    import_module("menpai.model.runtimes.openvino")._library()
    assert sys.modules.get("openvino_telemetry", 1) is not None
    with openvinos._without_telemetry():
        pass
    assert sys.modules.get("openvino_telemetry", 1) is not None


def test_every_error_is_one_of_this_library(folder: Path) -> None:
    """Whatever one file is replaced by."""
    for path in sorted(folder.iterdir()):
        good = path.read_bytes()
        for content in (b"", b"\0" * 100, b"[1]", good[: len(good) // 2]):
            path.write_bytes(content)
            with pytest.raises(MenpaiError):
                opened(folder, precision="int8" if "int8" in path.name else "fp32")
        path.write_bytes(good)
    assert opened(folder).deviation.passed
