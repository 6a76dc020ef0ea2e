"""The packaged models come about by one command, from open lists to folders that load."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.engine.engine import load
from menpai.matching.nearness import NEARNESS
from menpai.matching.policy import POLICIES
from menpai.model import packaged
from menpai.model.manifest import Manifest

SCRIPTS = Path(__file__).parents[2] / "scripts"
SMALL = {
    "N_PLACES": 400,
    "N_SYNTHETIC": 300,
    "N_HELD_OUT": 40,
    "N_TRIPLES": 240,
    "N_QUERIES": 60,
    "N_NEAR": 30,
    "LAYERS": 1,
    "WIDTH": 32,
    "HEADS": 2,
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, in small."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    found = import_module("train_model")
    for name, value in SMALL.items():
        monkeypatch.setattr(found, name, value)
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Open lists, made up."""
    folder = tmp_path / "data"
    folder.mkdir()
    roads = ["望澜路", "听松路", "枫林街"]
    orders = [
        f"浙江省杭州市滨江区{roads[i % 3]}{i + 3}号翠湖花园{i % 9}栋张三13800001234"
        for i in range(30)
    ]
    offices = [f"杭州市西湖区{roads[i % 3]}{i + 5}号枫林大厦{i % 20}楼" for i in range(30)]
    names = [
        f"{first}{second}花园" for first in "望听枫翠凤玉金紫" for second in "澜松林湖凰泉桥竹"
    ]
    for name, lines in (
        ("user_addresses.txt", orders),
        ("company_sites.txt", offices),
        ("community_names.txt", names),
    ):
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_from_open_lists_to_packaged_models(
    script: ModuleType, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All stages, then again: what is done is not done again, and the folders answer."""
    out, work = tmp_path / "packaged", tmp_path / "work"
    monkeypatch.setattr(packaged, "folder", lambda kind: out / kind)
    monkeypatch.setattr(sys, "argv", ["train_model", "--data", str(data), "--work", str(work)])
    script.main()
    fingerprints = {kind: Manifest.read(out / kind).fingerprint for kind in packaged.KINDS}
    assert load(out / "vectors").encode(["杭州市滨江区望澜路8号"]).errors == {}
    judge = load(out / "pairs")
    assert judge.labels == NEARNESS
    assert set(judge.calibration["shares"]) == set(POLICIES)
    assert judge.classify([("望澜路8号", "望澜路9号")]).errors == {}
    assert load(out / "tags").tag(["望澜路8号"]) != [None]
    stamps = {path: path.stat().st_mtime_ns for path in work.glob("*.pt")}
    assert {path.stem for path in stamps} == {"body", "vectors", "pairs"}
    script.main()
    assert stamps == {path: path.stat().st_mtime_ns for path in work.glob("*.pt")}
    again = {kind: Manifest.read(out / kind).fingerprint for kind in packaged.KINDS}
    assert again == fingerprints


def test_open_lists_teach_no_person_and_no_number(script: ModuleType, data: Path) -> None:
    """Names and phones are gone, numbers are others, and the same ones for a seed."""
    corpus = script.corpus
    texts = [found.text for found in corpus.real(data, 1)]
    assert len(texts) == 3 * 60
    assert not any("张三" in text or "13800001234" in text for text in texts)
    written = (data / "company_sites.txt").read_text("utf-8").splitlines()
    assert sum(text in written for text in texts) < len(written) // 4
    assert texts == [found.text for found in corpus.real(data, 1)]
    assert texts != [found.text for found in corpus.real(data, 2)]
