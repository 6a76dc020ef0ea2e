"""The agreement of spans with tagged texts."""

import json
from pathlib import Path

import pytest

from menpai.address.elements import ELEMENTS
from menpai.errors import ConfigError, InputError
from menpai.evaluation.elements import Tally, evaluate_elements, parsed
from menpai.evaluation.spans import Span

TEXTS = """\
杭 B-city
州 E-city
文 B-road
瑞 I-road
路 E-road
0 B-roadno
号 E-roadno

文 B-road
瑞 I-road
路 E-road
店 S-poi
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two tagged texts, with five spans."""
    path = tmp_path / "tagged.conll"
    path.write_text(TEXTS, encoding="utf-8")
    return path


def road_too_short(text: str) -> list[Span]:
    """City and road of the first text right, road of the second one short, and a room."""
    if text.startswith("杭州"):
        return [Span("city", 0, 2), Span("road", 2, 5), Span("room", 5, 7)]
    return [Span("road", 0, 2)]


def test_figures(file: Path) -> None:
    """A span counts if element and both ends are right; rooms are not tagged in this set."""
    report = evaluate_elements(file, predict=road_too_short)
    assert report["micro_precision"] == pytest.approx(2 / 3)
    assert report["micro_recall"] == pytest.approx(2 / 5)
    assert report["micro_f1"] == pytest.approx(4 / 8)
    for key, road in (("f1", 0.5), ("precision", 0.5), ("recall", 0.5), ("support", 2)):
        figures = report[key]
        assert isinstance(figures, dict)
        assert figures["road"] == pytest.approx(road)
        assert "room" not in figures
    assert (report["mapping"], report["n_texts"], report["n_skipped"]) == ("ccks", 2, 0)


def test_same_ends_of_another_element(file: Path) -> None:
    """The right ends of the wrong element are a wrong span and a missed one."""
    report = evaluate_elements(
        file, predict=lambda text: [Span("poi", 2, 5)] if len(text) > 4 else []
    )
    assert report["micro_f1"] == 0
    assert report["micro_precision"] == 0


def test_repeated_prediction_counts_once_as_hit() -> None:
    """The same span twice is one hit and two predictions."""
    tally = Tally()
    tally.add([Span("road", 0, 3)], [Span("road", 0, 3), Span("road", 0, 3)])
    assert (tally.micro().precision, tally.micro().recall) == (0.5, 1.0)


def test_parser_reads_masked_digits(file: Path) -> None:
    """By default the parser is measured; it reads numbers that were masked as 0."""
    report = evaluate_elements(file)
    figures = report["f1"]
    assert isinstance(figures, dict)
    assert (figures["city"], figures["roadno"]) == (1.0, 1.0)


def test_parsed_spans_are_of_the_original() -> None:
    """The parser's spans count the characters of the text as it was written."""
    assert Span("roadno", 3, 6) in parsed("文瑞路１２號")


def test_mapping(file: Path, tmp_path: Path) -> None:
    """The mapping may be chosen, by name or as a file."""
    report = evaluate_elements(file, mapping="naacl", predict=road_too_short)
    assert (report["mapping"], report["micro_precision"]) == ("naacl", pytest.approx(2 / 4))
    own = tmp_path / "own.json"
    own.write_text(
        json.dumps({"tags": dict.fromkeys(["city", "roadno", "poi"]) | {"road": "road"}})
    )
    assert evaluate_elements(file, mapping=str(own), predict=road_too_short)["support"] == {
        "road": 2
    }
    own.write_text(json.dumps({"tags": {"road": "road"}}))
    with pytest.raises(ConfigError, match="no tag 'city', 'poi', 'roadno'"):
        evaluate_elements(file, mapping=str(own))


def test_own_elements(tmp_path: Path) -> None:
    """Texts that are tagged with menpai's own elements need no mapping."""
    path = tmp_path / "own.conll"
    path.write_text("".join(f"甲 S-{element}\n" for element in ELEMENTS), encoding="utf-8")
    report = evaluate_elements(
        path, predict=lambda _: [Span(name, at, at + 1) for at, name in enumerate(ELEMENTS)]
    )
    assert (report["mapping"], report["micro_f1"]) == ("menpai", 1.0)
    assert report["support"] == dict.fromkeys(ELEMENTS, 1)


def test_progress(file: Path) -> None:
    """After each text the share that is done and the number are told."""
    told: list[tuple[float, int]] = []
    evaluate_elements(file, predict=road_too_short, progress=lambda *done: told.append(done))
    assert told == [(0.5, 1), (1.0, 2)]


def test_skipped_texts(file: Path) -> None:
    """Texts of nothing but blanks are left out and counted; a file of no others is refused."""
    file.write_text(f"{TEXTS}\n_ O\n", encoding="utf-8")
    report = evaluate_elements(file, mapping="ccks", predict=road_too_short)
    assert (report["n_texts"], report["n_skipped"]) == (2, 1)
    file.write_text("_ O\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"tagged\.conll holds no text"):
        evaluate_elements(file)
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="holds no text"):
        evaluate_elements(file)


@pytest.mark.parametrize("name", ["elements_ccks_dev.conll", "elements_naacl_dev.txt"])
def test_public_sets(shared_data: Path, name: str) -> None:
    """Both public sets are read whole, and the parser has most of their spans."""
    report = evaluate_elements(shared_data / "eval" / name)
    assert report["mapping"] == name.split("_")[1]
    assert report["n_skipped"] == 0
    assert isinstance(report["micro_f1"], float)
    assert report["micro_f1"] > 0.8
