"""Every made-up case under tests/cases, one test each; known failures are listed with a reason.

A case is judged as `menpai evaluate cases` judges it: the division as the current official names
or an acceptable other reading, and every expected element.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from menpai.address.parse import parse
from menpai.evaluation.cases import judge_division, judge_elements
from menpai.matching.decide import decide

FOLDER = Path(__file__).parents[1] / "cases"
LABELS = {"same": "exact_match", "partial": "partial_match", "different": "not_match"}
KNOWN = dict(
    line.split("\t", 1) for line in (FOLDER / "known.tsv").read_text(encoding="utf-8").splitlines()
)


def load(name: str) -> list[object]:
    """Read the cases of a file, marking those that are known to fail."""
    rows = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    cases = [json.loads(row) for row in rows if row.strip()]
    return [
        pytest.param(
            c,
            id=c["id"],
            marks=[pytest.mark.xfail(reason=KNOWN[c["id"]], strict=True)]
            if c["id"] in KNOWN
            else [],
        )
        for c in cases
    ]


@pytest.mark.parametrize("case", load("parse.jsonl"))
def test_parse_case(case: dict[str, object]) -> None:
    """The division and each expected element are read."""
    address = parse(str(case["input"])).to_dict()
    expected = case["expected"]
    assert isinstance(expected, dict)
    if "province" in expected:
        assert judge_division(case, address) in {"exact", "alt"}
    wrong = [element for element, right in judge_elements(expected, address) if not right]
    assert wrong == []


@pytest.mark.parametrize("case", load("pairs.jsonl"))
def test_pair_case(case: dict[str, object]) -> None:
    """The label is right whichever side is left."""
    expected = case["expected"]
    assert isinstance(expected, dict)
    left, right = parse(str(case["input"])), parse(str(case["input2"]))
    want = LABELS[expected["label"]]
    assert (decide(left, right).label, decide(right, left).label) == (want, want)
