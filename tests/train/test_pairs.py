"""Learning from labelled pairs: a rule is learned, held out is held out, options are used."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from folders import (
    hub_classifier,
    hub_encoder,
    hub_tags,
    mgeo_backbone,
    mgeo_rerank,
    store,
)

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.engine.engine import load
from menpai.errors import ConfigError, InputError, MenpaiError, ModelError, StorageError
from menpai.evaluation.pairs import LabelledPair
from menpai.matching.results import LABELS
from menpai.model import convert as converting
from menpai.model.manifest import Manifest
from menpai.tables.rows import FailedRow
from menpai.train import pairs as training, run as running
from menpai.train.options import Options
from menpai.train.rows import Read
from menpai.train.run import train_pairs

Pairs = list[LabelledPair]
QUICK = Options(n_epochs=1, valid=0.25, test=0.25, max_tokens=512)


def read(pairs: Pairs, groups: list[str] | None = None, n_errors: int = 0) -> Read:
    """What a table gave, grouped by the left address."""
    errors = [FailedRow(i, None, InputError("bad")) for i in range(n_errors)]
    return Read(pairs, [pair.left for pair in pairs] if groups is None else groups, errors)


@pytest.fixture
def learn(
    base: Path,
    tmp_path: Path,
    make_pairs: Callable[..., Pairs],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:
    """Learn from a few pairs for a moment, unless told otherwise; into the test's own folder.

    Without int8, which takes longer than the learning.
    """
    monkeypatch.setattr(
        converting, "_add_int8", lambda _found, _folder, manifest, _inputs, **_how: manifest
    )

    def learn_it(pairs: Pairs | None = None, name: str = "out", **how: Any) -> dict[str, Any]:
        own = make_pairs(20) if pairs is None else pairs
        source = read(own, how.pop("groups", None), how.pop("n_errors", 0))
        options = how.pop("options", QUICK)
        folder = how.pop("base", base)
        return train_pairs(source, folder, tmp_path / name, options, n_threads=1, **how)

    return learn_it


# ---- What is learned -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned(
    tmp_path_factory: pytest.TempPathFactory, make_pairs: Callable[..., Pairs]
) -> tuple[Path, dict[str, Any]]:
    """A model that learned that numbers decide, and its figures."""
    root = tmp_path_factory.mktemp("learned")
    made = hub_encoder(root / "source")
    # Tables as small as real ones: what channels add shall count.
    scales = {name: 0.1 if name.endswith("_embeddings.weight") else 1.0 for name in made.tensors}
    small = {name: values * scales[name] for name, values in made.tensors.items()}
    store(
        root / "source",
        {name: values.astype(made.tensors[name].dtype) for name, values in small.items()},
    )
    converting.convert(root / "source", root / "base", int8=False)
    options = Options(
        n_epochs=8, learning_rate=4e-3, max_tokens=256, valid=0.2, test=0.2, patience=8
    )
    figures = train_pairs(
        read(make_pairs(200)), root / "base", root / "model", options, n_threads=1
    )
    return root / "model", figures


def test_an_easy_rule_is_learned(learned: tuple[Path, dict[str, Any]]) -> None:
    """On roads that were held out, far above chance, which is a half of pairs of two labels."""
    _, figures = learned
    assert figures["macro_f1"] > 0.9
    assert figures["auc_match"] > 0.95
    assert figures["f1"]["partial_match"] == 0.0
    assert figures["calibration_error"] < 0.2


def test_the_engine_answers_as_was_measured(
    learned: tuple[Path, dict[str, Any]], make_pairs: Callable[..., Pairs]
) -> None:
    """On pairs of other roads, in either order."""
    engine = load(learned[0], precision="fp32", n_threads=1, n_streams=1)
    pairs = make_pairs(40, seed=5)
    found = engine.classify([(pair.right, pair.left) for pair in pairs])
    wanted = [LABELS.index(pair.label) for pair in pairs]
    assert engine.labels == LABELS
    assert (found.probabilities.argmax(axis=1) == wanted).mean() > 0.9


def test_metrics_are_complete(learned: tuple[Path, dict[str, Any]]) -> None:
    """What is returned is what is written, with all that it holds for."""
    out, figures = learned
    assert json.loads((out / "metrics.json").read_text("utf-8")) == figures
    assert set(figures) == {
        *("macro_f1", "f1", "auc_match", "confusion", "calibration_error"),
        *("calibration_error_before", "valid_macro_f1", "n", "n_left_out", "temperature"),
        *("base_fingerprint", "options", "shares"),
    }
    read_as = {"temperature": figures["temperature"], "shares": figures["shares"]}
    assert Manifest.read(out).calibration == read_as
    assert set(figures["shares"]) == {"place", "ccks"}
    assert figures["base_fingerprint"] == Manifest.read(out.parent / "base").fingerprint
    assert sum(figures["n"].values()) == 400
    assert figures["n"]["test"] == sum(sum(row.values()) for row in figures["confusion"].values())
    assert set(figures["options"]) == {field.name for field in fields(Options)}
    assert len(figures["valid_macro_f1"]) <= 8
    assert 0.3 <= figures["temperature"] <= 5.0
    assert figures["n_left_out"] == 0


def test_a_learned_model_learns_further(
    learned: tuple[Path, dict[str, Any]],
    learn: Callable[..., Any],
    make_pairs: Callable[..., Pairs],
) -> None:
    """Its head and channels are kept: after one gentle epoch it knows the rule still."""
    options = replace(QUICK, learning_rate=1e-6)
    found = learn(make_pairs(30, seed=8), base=learned[0], options=options)
    assert found["macro_f1"] > 0.9


@pytest.mark.parametrize(
    ("build", "how"),
    [(hub_tags, {}), (hub_classifier, {"n_labels": 1}), (mgeo_backbone, {}), (mgeo_rerank, {})],
)
def test_any_kind_of_checkpoint_is_a_base(
    learn: Callable[..., Any], tmp_path: Path, build: Callable[..., Any], how: dict[str, Any]
) -> None:
    """Whatever it was trained for; what is made judges pairs."""
    build(tmp_path / "source", **how)
    converting.convert(tmp_path / "source", tmp_path / "base", int8=False)
    learn(base=tmp_path / "base")
    manifest = Manifest.read(tmp_path / "out")
    assert (manifest.kind, manifest.labels) == ("pairs", LABELS)
    assert manifest.family == Manifest.read(tmp_path / "base").family


def test_three_labels(learn: Callable[..., Any], make_pairs: Callable[..., Pairs]) -> None:
    """All that there are; a label that does not occur needs no pairs."""
    pairs = make_pairs(20)
    part = [replace(pair, label="partial_match") for pair in make_pairs(10, seed=3)]
    assert set(learn([*pairs, *part])["f1"]) == set(LABELS)


# ---- What is left as it was ----------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, whatever lies deeper too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_base_is_not_changed(base: Path, learn: Callable[..., Any], tmp_path: Path) -> None:
    """Byte for byte, and nothing is left beside what was made."""
    before = contents(base)
    learn()
    assert contents(base) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_what_is_written(learned: tuple[Path, dict[str, Any]]) -> None:
    """A converted checkpoint as any other, with its figures."""
    assert sorted(path.name for path in learned[0].iterdir() if path.is_file()) == [
        *("golden.json", "menpai.json", "metrics.json", "model-int8.onnx", "model.onnx"),
        "tokenizer.json",
    ]
    manifest = Manifest.read(learned[0])
    gate = manifest.gates["int8"]  # 32 numbers wide and very sure of itself, it may not pass
    assert gate["passed"] is (gate["max_abs_difference"] <= gate["tolerance"])
    assert manifest.precisions[-1] == "int8"


def test_the_process_is_left_as_it_was(learn: Callable[..., Any]) -> None:
    """Threads and chance are its own."""
    torch.set_num_threads(2)
    torch.manual_seed(5)
    wanted = torch.rand(3).tolist()
    torch.manual_seed(5)
    learn()
    assert torch.rand(3).tolist() == wanted
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_in_the_way_is_left(learn: Callable[..., Any], tmp_path: Path, kind: str) -> None:
    """Even an empty folder, and also one that comes while it learns."""
    out = tmp_path / "out"

    def come(_share: float = 0.0, _text: str = "") -> None:
        if not out.exists():
            out.mkdir() if kind == "folder" else out.write_text("mine", "utf-8")

    with pytest.raises(StorageError, match="in the way"):
        learn(notify=come)
    with pytest.raises(StorageError, match="in the way"):
        learn()
    assert out.is_dir() is (kind == "folder")
    assert list(tmp_path.glob(".out*")) == []


# ---- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 30])
def test_one_label_is_refused(
    learn: Callable[..., Any], make_pairs: Callable[..., Pairs], n: int
) -> None:
    """There is nothing to tell apart."""
    pairs = [pair for pair in make_pairs(n) if pair.label == "exact_match"]
    with pytest.raises(InputError, match="one label") as caught:
        learn(pairs)
    assert caught.value.field == "label"


def test_too_few_of_a_label_are_refused(
    learn: Callable[..., Any], make_pairs: Callable[..., Pairs]
) -> None:
    """With how many there are and must be; one more is enough."""
    pairs = make_pairs(20)
    few = [replace(pair, label="partial_match") for pair in make_pairs(3, seed=2)[:5]]
    with pytest.raises(InputError, match=r"'partial_match': 4.*at least 5"):
        learn([*pairs, *few[:4]])
    learn([*pairs, *few])


def test_a_label_that_is_only_held_out_is_refused(
    learn: Callable[..., Any], make_pairs: Callable[..., Pairs]
) -> None:
    """It would never be given, and counted as failure."""
    pairs = make_pairs(20)
    held_out = next(g for g in map(str, range(99)) if training.splits._draw(g, 0) < 0.2)
    extra = [replace(pair, label="partial_match") for pair in make_pairs(4, seed=2)]
    with pytest.raises(InputError, match="all pairs of partial_match are in groups"):
        learn([*pairs, *extra], groups=[pair.left for pair in pairs] + [held_out] * len(extra))


def test_a_leak_is_refused(learn: Callable[..., Any], make_pairs: Callable[..., Pairs]) -> None:
    """Two writings of one pair, in groups that say nothing of it."""
    pairs = make_pairs(20)
    again = [LabelledPair(pair.right, f" {pair.left} ", pair.label) for pair in pairs]
    with pytest.raises(InputError, match="leaks"):
        learn([*pairs, *again])
    learn([*pairs, *again], groups=[pair.left for pair in pairs] * 2)


def test_pairs_that_no_encoder_can_read_are_left_out(
    learn: Callable[..., Any], make_pairs: Callable[..., Pairs]
) -> None:
    """And counted, with the rows that held no pair at all."""
    blank = [LabelledPair("13800001234", "望澜路8号", "exact_match")] * 3
    found = learn([*make_pairs(20), *blank], n_errors=4)
    assert found["n_left_out"] == 7
    assert sum(found["n"].values()) == 40


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_epochs", 0),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("max_tokens", 0),
        ("max_length", 3),
        ("max_length", 1000),
        ("valid", 0.0),
        ("valid", 0.9),
        ("valid", float("nan")),
        ("test", -0.1),
        ("patience", 0),
        ("seed", -1),
        ("seed", 2**32),
    ],
)
def test_options_out_of_their_range_are_refused(
    learn: Callable[..., Any], name: str, value: Any
) -> None:
    """With the one that is wrong, before anything is learned."""
    with pytest.raises(ConfigError) as caught:
        learn(options=replace(QUICK, **{name: value}))
    assert caught.value.field == name


@pytest.mark.parametrize("seed", [0, 2**32 - 1])
def test_any_seed_in_its_range_will_do(learn: Callable[..., Any], seed: int) -> None:
    """The greatest too."""
    assert learn(options=replace(QUICK, seed=seed))["options"]["seed"] == seed


def test_n_threads_is_checked(base: Path, tmp_path: Path) -> None:
    """At least one."""
    with pytest.raises(ConfigError) as caught:
        train_pairs(read([]), base, tmp_path / "out", QUICK, n_threads=0)
    assert caught.value.field == "n_threads"


def test_n_threads_is_used(learn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """While it learns."""
    seen: set[int] = set()
    learn(notify=lambda _share, _text: seen.add(torch.get_num_threads()))
    assert seen == {1}
    monkeypatch.setattr(running, "n_cpus", lambda: 2)
    with running._torch(running.n_cpus()):
        assert torch.get_num_threads() == 2


def test_a_folder_that_is_no_base_is_refused(learn: Callable[..., Any], tmp_path: Path) -> None:
    """With what makes one."""
    with pytest.raises(ModelError, match="menpai model convert"):
        learn(base=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_learning_that_goes_astray_is_told(learn: Callable[..., Any], tmp_path: Path) -> None:
    """No checkpoint is written."""
    with pytest.raises(MenpaiError):
        learn(options=replace(QUICK, learning_rate=1e30, n_epochs=5))
    assert not (tmp_path / "out").exists()


# ---- Every option has its use --------------------------------------------------------------------


@pytest.fixture(scope="module")
def usual(
    base: Path, tmp_path_factory: pytest.TempPathFactory, make_pairs: Callable[..., Pairs]
) -> dict[str, Any]:
    """Figures of a quick training of two epochs."""
    out = tmp_path_factory.mktemp("usual") / "out"
    return train_pairs(read(make_pairs(20)), base, out, replace(QUICK, n_epochs=2), n_threads=1)


def test_the_same_seed_has_the_same_figures(
    learn: Callable[..., Any], usual: dict[str, Any], tmp_path: Path
) -> None:
    """And the same files; another seed has others."""
    options = replace(QUICK, n_epochs=2)
    assert learn(options=options) == usual
    assert learn(name="again", options=options) == usual
    assert contents(tmp_path / "out") == contents(tmp_path / "again")
    assert learn(name="other", options=replace(options, seed=1))["n"] != usual["n"]


@pytest.mark.parametrize(
    ("name", "value"), [("learning_rate", 2e-3), ("max_tokens", 64), ("max_length", 12)]
)
def test_option_changes_what_is_learned(
    learn: Callable[..., Any], usual: dict[str, Any], name: str, value: Any
) -> None:
    """Of the same pairs in the same parts."""
    found = learn(options=replace(QUICK, n_epochs=2, **{name: value}))
    assert found["n"] == usual["n"]
    keys = ("calibration_error_before", "auc_match", "temperature")
    assert [found[key] for key in keys] != [usual[key] for key in keys]


def test_max_length_is_that_of_the_model_too(learn: Callable[..., Any], tmp_path: Path) -> None:
    """What was not learned from is not read later."""
    learn(options=replace(QUICK, max_length=12))
    assert Manifest.read(tmp_path / "out").max_length == 12
    found = load(tmp_path / "out", n_threads=1, precision="fp32").classify(
        [("望澜路8号", "枫桥村12组7号")]
    )
    assert found.is_truncated.tolist() == [True]


def test_an_encoder_with_an_odd_number_of_places(
    tmp_path: Path, make_pairs: Callable[..., Pairs]
) -> None:
    """Is not padded to more than it has."""
    hub_encoder(tmp_path / "source", n_positions=21)
    converting.convert(tmp_path / "source", tmp_path / "base", int8=False)
    pairs = [replace(pair, right=f"{pair.right}海岸广场紫竹院南街") for pair in make_pairs(20)]
    found = train_pairs(read(pairs), tmp_path / "base", tmp_path / "out", QUICK, n_threads=1)
    assert 0 <= found["macro_f1"] <= 1


def test_shares_are_used(learn: Callable[..., Any], usual: dict[str, Any]) -> None:
    """Each of its own part."""
    more = learn(name="a", options=replace(QUICK, valid=0.5))
    assert (more["n"]["test"], more["n"]["valid"] > usual["n"]["valid"]) == (
        usual["n"]["test"],
        True,
    )
    assert learn(name="b", options=replace(QUICK, test=0.5))["n"]["test"] > usual["n"]["test"]


def test_epochs_and_patience_are_used(learn: Callable[..., Any]) -> None:
    """At most so many, and fewer where nothing gets better any more."""
    still = replace(QUICK, learning_rate=1e-12, n_epochs=6)
    found = [
        len(learn(name=str(i), options=replace(still, **how))["valid_macro_f1"])
        for i, how in enumerate(({"patience": 1}, {"patience": 3}, {"n_epochs": 2, "patience": 9}))
    ]
    assert 2 <= found[0] < found[1]
    assert found[1] >= 4
    assert found[2] == 2


def test_every_option_is_tested_here() -> None:
    """Whoever adds one adds its test."""
    assert set(asdict(Options())) == {
        *("n_epochs", "learning_rate", "max_tokens", "max_length"),
        *("valid", "test", "patience", "seed"),
    }


# ---- Interrupted ---------------------------------------------------------------------------------


class Interrupt:
    """Ends a training at a share of it."""

    def __init__(self, at: float) -> None:
        self.at = at
        self.shares: list[float] = []

    def __call__(self, share: float, text: str) -> None:
        """Note the share, or end it."""
        if share >= self.at and text.startswith("epoch"):
            raise KeyboardInterrupt
        self.shares.append(share)


def test_interrupted_training_goes_on(
    learn: Callable[..., Any], usual: dict[str, Any], tmp_path: Path
) -> None:
    """To the same figures, and nothing is left but the folder."""
    options = replace(QUICK, n_epochs=2)
    with pytest.raises(KeyboardInterrupt):
        learn(options=options, notify=Interrupt(0.7))
    assert [path.name for path in tmp_path.iterdir()] == ["out.training"]
    rest = Interrupt(2.0)
    assert learn(options=options, notify=rest) == usual
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert rest.shares[1] == 0.5
    assert rest.shares[-1] == 1.0


def test_resume_is_used(learn: Callable[..., Any], usual: dict[str, Any]) -> None:
    """Without it all is done again."""
    options = replace(QUICK, n_epochs=2)
    with pytest.raises(KeyboardInterrupt):
        learn(options=options, notify=Interrupt(0.7))
    anew = Interrupt(2.0)
    assert learn(options=options, notify=anew, resume=False) == usual
    assert anew.shares[1] == 0.0


@pytest.mark.parametrize("what", ["pairs", "labels", "groups", "valid", "max_tokens", "base"])
def test_a_state_of_other_work_is_refused(
    learn: Callable[..., Any],
    make_pairs: Callable[..., Pairs],
    base: Path,
    tmp_path: Path,
    what: str,
) -> None:
    """Gone on from, it would have learned what is held out now."""
    pairs, options = make_pairs(20), replace(QUICK, n_epochs=2, max_tokens=4096)
    with pytest.raises(KeyboardInterrupt):
        learn(pairs, options=options, notify=Interrupt(0.5))
    how: dict[str, Any] = {"options": options}
    if what == "pairs":
        pairs = make_pairs(20, seed=1)
    elif what == "labels":
        other = {"exact_match": "not_match", "not_match": "exact_match"}
        pairs = [replace(pair, label=other[pair.label]) for pair in pairs]
    elif what == "groups":
        how["groups"] = [f"{pair.left}栋" for pair in pairs]
    elif what == "base":
        how["base"] = copytree(base, tmp_path / "base")
        manifest = Manifest.read(tmp_path / "base")
        replace(manifest, fingerprint="other").write(tmp_path / "base")
    else:
        how["options"] = replace(options, **{what: 0.2501 if what == "valid" else 4097})
    with pytest.raises(StorageError, match="another training; remove"):
        learn(pairs, **how)


def test_notify_is_told_of_all(learn: Callable[..., Any]) -> None:
    """Shares never fall, from nothing to all."""
    told: list[tuple[float, str]] = []
    learn(notify=lambda share, text: told.append((share, text)))
    shares = np.array([share for share, _ in told])
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert (np.diff(shares) >= 0).all()
    assert any("epoch 1 of at most 1, loss" in text for _, text in told)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from pathlib import Path
from menpai.errors import MissingExtraError
from menpai.train import run
from menpai.train.options import Options
for train in (run.train_pairs, run.train_elements):
    try:
        train([], Path(sys.argv[1]), Path(sys.argv[2]), Options())
    except MissingExtraError as error:
        print("menpai[torch]" in str(error))
"""


def test_without_torch_the_install_line_is_given(base: Path, tmp_path: Path) -> None:
    """From Python too, before a part of the room that needs it is loaded."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(base), str(tmp_path / "out")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "True\nTrue\n", done.stderr
