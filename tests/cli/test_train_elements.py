"""`menpai train elements`: from tagged texts to a tagger that the other commands take."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import hub_encoder

from menpai.model.convert import convert

pytest.importorskip("torch", reason="the extra torch is not installed")

Menpai = Callable[..., Any]
NAMES = ("望澜", "银杏", "听泉", "枫桥", "紫竹", "科苑", "海岸", "创新")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder."""
    folder = tmp_path_factory.mktemp("base")
    hub_encoder(folder / "source")
    convert(folder / "source", folder / "out", int8=False)
    return folder / "out"


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    """Roads and numbers under the tags of a benchmark."""
    lines = []
    for name in NAMES:
        for number in range(1, 9):
            lines += [f"{name[0]} B-road", f"{name[1]} I-road", "路 E-road"]
            lines += [f"{number} B-roadno", "号 E-roadno", ""]
    path = tmp_path / "tagged.conll"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_from_tagged_texts_to_a_tagger(menpai: Menpai, base: Path, tagged: Path) -> None:
    """Printed figures are those in the folder, and the tagger can be measured by itself."""
    arguments = ("train", "elements", "--in", tagged, "--checkpoint", base, "--out", "new")
    more = ("--epochs", 2, "--learning-rate", 0.004, "--valid", 0.2, "--test", 0.2, "--threads", 1)
    printed = menpai(*arguments, *more, "--json").json
    kept = json.loads(Path("new", "metrics.json").read_text("utf-8"))
    assert printed == {"out": "new", **kept}
    assert (printed["options"]["n_epochs"], printed["options"]["patience"]) == (2, 5)
    assert (
        menpai("evaluate", "elements", "--in", tagged, "--checkpoint", "new", "--json").json[
            "n_texts"
        ]
        == len(NAMES) * 8
    )
    assert menpai(*arguments, *more).code == 1  # it is in the way now


def test_figures_are_shown(menpai: Menpai, base: Path, tagged: Path) -> None:
    """As a table, by element."""
    ended = menpai(
        *("train", "elements", "--in", tagged, "--checkpoint", base, "--out", "new"),
        *("--epochs", 1, "--mapping", "ccks", "--valid", 0.2, "--test", 0.2, "--seed", 3),
    )
    assert ended.code == 0
    assert "micro_f1" in ended.out
    assert "f1 roadno" in ended.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--in", "nothing.conll"), 2, "nothing.conll"),
        (("--mapping", "nothing.json"), 2, "nothing.json"),
        (("--learning-rate", 0), 2, "learning_rate"),
    ],
)
def test_what_cannot_be_done_is_refused(  # noqa: PLR0917 -- as many columns
    menpai: Menpai,
    base: Path,
    tagged: Path,
    arguments: tuple[object, ...],
    code: int,
    words: str,
) -> None:
    """And no folder is left."""
    command = ("train", "elements", "--checkpoint", base, "--out", "new")
    given = () if "--in" in arguments else ("--in", tagged)
    ended = menpai(*command, *given, *arguments)
    assert (ended.code, words in ended.err) == (code, True)
    assert not Path("new").exists()
