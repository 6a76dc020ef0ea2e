"""`menpai train pairs`: from a table to a checkpoint that the other commands take."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import hub_encoder

from menpai.cli.progress import Bar
from menpai.lock import locked
from menpai.model import convert as converting

pytest.importorskip("torch", reason="the extra torch is not installed")

Menpai = Callable[..., Any]
ROADS = "望澜 银杏 枫桥 紫竹 听泉 海岸 创新 科苑 文瑞 翠湖 云岭 梧桐 青竹 石榴 白鹭 松涛".split()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder."""
    folder = tmp_path_factory.mktemp("base")
    hub_encoder(folder / "source")
    converting.convert(folder / "source", folder / "out", int8=False)
    return folder / "out"


def lines() -> list[str]:
    """A table of made-up pairs: equal numbers match, others do not."""
    found = ["id,left,right,label,city"]
    for i, road in enumerate(ROADS * 2):
        left = f"杭州市{road}路{i + 10}号"
        found.append(f"a{i},{left},{road}路{i + 10}号,1,{i % 16}")
        found.append(f"b{i},{left},{road}路{i + 70}号,0,{i % 16}")
    return found


COMMAND = """
import sys
from menpai.cli import main
sys.argv = ["menpai", "train", "pairs", *sys.argv[1:]]
main()
"""
MISSING = "import sys; sys.modules['torch'] = None"
BAD = ["x1,,望澜路1号,1,0", "x2,望澜路1号,望澜路1号,maybe,0", "x3,13800001234,望澜路1号,0,0"]


@pytest.fixture
def table(write_lines: Callable[..., Path]) -> Path:
    """All rows can be learned from."""
    return write_lines("in.csv", lines())


@pytest.fixture
def train(menpai: Menpai, base: Path, monkeypatch: pytest.MonkeyPatch) -> Menpai:
    """Run the command for one epoch, without int8, unless told otherwise."""
    monkeypatch.setattr(
        converting, "_add_int8", lambda _found, _folder, manifest, _inputs, **_how: manifest
    )
    usual = {
        "--in": "in.csv",
        "--checkpoint": base,
        "--out": "out",
        "--epochs": 1,
        "--valid": 0.25,
        "--test": 0.25,
        "--threads": 1,
    }

    def run(*flags: object, **changes: object) -> Any:
        named = {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
        options = {**usual, **{"--in" if n == "--source" else n: v for n, v in named.items()}}
        pairs = [part for pair in options.items() if pair[1] is not None for part in pair]
        return menpai("train", "pairs", *pairs, *flags)

    return run


# ---- From a table to a checkpoint ----------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_figures_as_json(train: Menpai) -> None:
    """What metrics.json holds, and where all is."""
    ended = train("--json")
    assert ended.code == 0, ended.err
    found = dict(ended.json)
    assert (found.pop("out"), found.pop("errors")) == ("out", None)
    assert found == json.loads(Path("out/metrics.json").read_text("utf-8"))
    assert (sum(found["n"].values()), found["n_left_out"]) == (64, 0)
    assert not Path("out.errors.jsonl").exists()
    assert ended.err == ""


@pytest.mark.usefixtures("table")
def test_figures_for_people(train: Menpai) -> None:
    """One line for each."""
    ended = train()
    assert ended.code == 0
    shown = [line.rsplit(maxsplit=1)[0].strip() for line in ended.out.splitlines()]
    assert shown == [
        *("measure", "macro_f1", "auc_match", "calibration_error"),
        *("f1 exact_match", "f1 partial_match", "f1 not_match"),
        *("pairs to train", "pairs to valid", "pairs to test"),
    ]


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained checkpoint, with int8, made by the command in a process of its own."""
    root = tmp_path_factory.mktemp("trained")
    (root / "in.csv").write_text("\n".join(lines()) + "\n", "utf-8")
    arguments = ("--in", "in.csv", "--checkpoint", base, "--out", "out", "--epochs", "1")
    subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments, "--threads", "1"],
        cwd=root,
        check=True,
        capture_output=True,
    )
    return root / "out"


def test_compare_takes_it(menpai: Menpai, trained: Path) -> None:
    """With the labels of decisions; raw, it is the model alone."""
    pair = ("杭州市望澜路88号", "望澜路88号3幢")
    found = menpai("compare", *pair, "--checkpoint", trained, "--json").json
    assert found["label"] in {"exact_match", "partial_match", "not_match"}
    assert sum(found["probabilities"].values()) == pytest.approx(1.0, abs=1e-3)
    raw = menpai("compare", *pair, "--checkpoint", trained, "--raw", "--json").json
    assert set(raw["probabilities"]) == set(found["probabilities"])
    told = menpai("compare", *pair, "--checkpoint", trained, "--timings").err
    assert "features" in told


def test_verify_takes_it(menpai: Menpai, trained: Path) -> None:
    """In every runtime and precision that is here."""
    found = menpai("model", "verify", trained, "--json").json
    assert found["passed"] is True
    assert {run["runtime"] for run in found["runs"]} == {"openvino", "onnxruntime", "torch"}


def test_a_trained_checkpoint_is_trained_further(train: Menpai, table: Path, trained: Path) -> None:
    """As any other."""
    assert train(checkpoint=trained, source=table).code == 0


# ---- Rows that hold no pair ----------------------------------------------------------------------


def test_bad_rows_are_listed(train: Menpai, write_lines: Callable[..., Path]) -> None:
    """Exit code 3, with their numbers and ids, and no address; the rest is learned from."""
    good = lines()
    write_lines("in.csv", [*good[:4], *BAD, *good[4:]])
    ended = train("--json")
    assert ended.code == 3
    listed = [json.loads(line) for line in Path("out.errors.jsonl").read_text("utf-8").splitlines()]
    assert [(line["row"], line["id"]) for line in listed] == [(4, "x1"), (5, "x2"), (6, "x3")]
    assert [line["error"]["field"] for line in listed] == ["left", "label", None]
    assert "138" not in json.dumps(listed)
    found = ended.json
    assert (found["errors"], found["n_left_out"]) == ("out.errors.jsonl", 3)
    assert "3 rows are left out" in ended.err


def test_quiet_tells_nothing(train: Menpai, write_lines: Callable[..., Path]) -> None:
    """Neither progress nor rows."""
    write_lines("in.csv", [*lines(), *BAD])
    assert train("--quiet").err == ""


def test_the_list_of_an_earlier_run_goes(train: Menpai, table: Path) -> None:
    """It is not of this table."""
    Path("out.errors.jsonl").write_text("old\n", "utf-8")
    assert train(source=table).code == 0
    assert not Path("out.errors.jsonl").exists()


def test_a_table_without_pairs_lists_why(train: Menpai, write_lines: Callable[..., Path]) -> None:
    """Nothing can be learned, and the list says why."""
    write_lines("in.csv", [lines()[0], *BAD])
    ended = train()
    assert ended.code == 2
    assert "one label" in ended.err
    assert len(Path("out.errors.jsonl").read_text("utf-8").splitlines()) == 3


# ---- What is refused -----------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("json_too", [True, False])
def test_what_is_in_the_way_is_left(train: Menpai, json_too: bool) -> None:  # noqa: FBT001 -- a case
    """A new folder is made, none is replaced."""
    Path("out").mkdir()
    ended = train(*["--json"] * json_too)
    assert ended.code == 1
    assert "in the way" in ended.err
    assert list(Path("out").iterdir()) == []
    if json_too:
        assert json.loads(ended.err)["error"]["code"] == "storage"


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("name", ["left", "right", "label", "group"])
def test_a_missing_column_is_refused(train: Menpai, name: str) -> None:
    """With those that there are; each option names its own column."""
    ended = train(**{name: "nowhere"})
    assert ended.code == 2
    assert "no column 'nowhere'" in ended.err
    assert "'city'" in ended.err


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"learning_rate": 0}, 2, "learning_rate"),
        ({"valid": 0.9}, 2, "valid"),
        ({"test": 0}, 2, "test"),
        ({"seed": -1}, 2, "seed"),
        ({"max_length": 2}, 2, "max_length"),
        ({"epochs": 0}, 2, "--epochs"),
        ({"checkpoint": "nowhere"}, 1, "menpai model convert"),
        ({"source": "nowhere.csv"}, 2, "nowhere.csv"),
        ({"left": ","}, 2, "--left"),
    ],
)
def test_what_makes_no_sense_is_refused(
    train: Menpai, changes: dict[str, Any], code: int, words: str
) -> None:
    """Before anything is made."""
    ended = train(**changes)
    assert (ended.code, words in ended.err) == (code, True), ended.err
    assert [path.name for path in Path().iterdir()] == ["in.csv"]


def test_a_leak_is_refused(train: Menpai, write_lines: Callable[..., Path]) -> None:
    """With the option that mends it."""
    pairs = [line.split(",") for line in lines()[1:]]
    mirrored = [f"c{i},{row[2]},{row[1]},{row[3]},{row[4]}" for i, row in enumerate(pairs)]
    write_lines("in.csv", [*lines(), *mirrored])
    ended = train()
    assert ended.code == 2
    assert "group" in ended.err
    assert train(group="city").code == 0


def test_missing_torch_is_told(base: Path, table: Path) -> None:
    """With the line that installs it, and before the table is read."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", MISSING + COMMAND, "--in", table.with_name("nowhere.csv")),
            *("--checkpoint", base, "--out", table.with_name("out")),
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert 'pip install "menpai[torch]"' in done.stderr
    assert not table.with_name("out").exists()


# ---- Options -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_options_reach_the_training(train: Menpai) -> None:
    """Each under its name."""
    changes = {"epochs": 2, "learning_rate": 1e-3, "valid": 0.3, "test": 0.2, "max_length": 20}
    changes |= {"max_tokens": 640, "patience": 3}
    found = train("--json", **changes, seed=3).json["options"]
    assert found == {
        "n_epochs": 2,
        **{name: value for name, value in changes.items() if name != "epochs"},
        "seed": 3,
    }


def test_columns_and_groups_are_used(
    train: Menpai, write_lines: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other names, and several columns for one side."""
    from menpai.train import rows

    seen: list[rows.Read] = []
    read = rows.read
    monkeypatch.setattr(rows, "read", lambda *given: seen.append(read(*given)) or seen[-1])
    rest = [line.split(",")[1:] for line in lines()[1:]]
    found = [f"{left[:3]},{left[3:]},{','.join(row)}" for left, *row in rest]
    write_lines("in.csv", ["a,b,c,y,g", *found])
    ended = train(left="a,b", right="c", label="y", group="g")
    assert ended.code == 0, ended.err
    assert seen[0].pairs[0].left == "杭州市 望澜路10号"
    assert set(seen[0].groups) == {str(i) for i in range(16)}


@pytest.mark.usefixtures("table")
def test_threads_are_used(train: Menpai, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are given."""
    from menpai.train import run

    seen: list[int] = []
    usual = run._torch
    monkeypatch.setattr(run, "_torch", lambda n: seen.append(n) or usual(n))
    assert train(threads=1).code == 0
    assert seen == [1]


@pytest.mark.usefixtures("table")
def test_progress_is_shown(train: Menpai, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where somebody sees it, unless it is asked for."""
    monkeypatch.setattr("menpai.cli.progress.PATIENCE_S", -1.0)
    assert "writing the checkpoint" in train("--progress").err
    assert train(out="other").err == ""


@pytest.mark.usefixtures("table")
def test_one_training_at_a_time(train: Menpai) -> None:
    """Two would write over each other's steps; the other one is told, and changes nothing."""
    with locked(Path("out.training.lock"), "out.training"):
        ended = train()
    assert ended.code == 1
    assert "another process is writing out.training" in ended.err
    assert not Path("out").exists()
    assert train().code == 0
    assert not Path("out.training.lock").exists()


# ---- Interrupted ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("flags", [[], ["--no-resume"]])
def test_interrupted_training_goes_on(
    train: Menpai, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """With the same command, to the same figures; --no-resume begins again."""
    whole = train("--json", epochs=3, out="whole").json
    update, shares = Bar.update, []

    def interrupt(bar: Bar, share: float | None, text: str) -> None:
        assert share is not None
        shares.append(share)
        if share >= 0.6 and text.startswith("epoch"):
            raise KeyboardInterrupt
        update(bar, share, text)

    monkeypatch.setattr(Bar, "update", interrupt)
    assert train(epochs=3).code == 130
    assert not Path("out").exists()
    assert Path("out.training").is_dir()
    shares.clear()
    monkeypatch.setattr(Bar, "update", lambda _bar, share, _text: shares.append(share))
    ended = train("--json", *flags, epochs=3)
    assert ended.code == 0, ended.err
    assert ended.json == {**whole, "out": "out"}
    assert not Path("out.training").exists()
    assert shares[1] == (0.0 if flags else pytest.approx(2 / 3))  # one step an epoch


@pytest.mark.usefixtures("table")
def test_a_state_of_another_training_is_refused(
    train: Menpai, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to remove."""

    def interrupt(_bar: Bar, share: float, text: str) -> None:
        if share >= 0.5 and text.startswith("epoch"):
            raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "update", interrupt)
    assert train(epochs=2).code == 130
    ended = train(epochs=2, learning_rate=1e-3)
    assert ended.code == 1
    assert "out.training" in ended.err
    monkeypatch.undo()
