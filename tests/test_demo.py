"""The demo: its files are what the script writes, its answers are sound, and most come out."""

import csv
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "examples/demo"
SCRIPT = ROOT / "scripts/build_demo.py"

KINDS = {
    *("omitted_levels", "short_forms", "reordered", "repeated_prefix", "traditional"),
    *("full_width", "chinese_numerals", "former_names", "split_districts", "division_typos"),
    *(
        "building_aliases",
        "dash_form",
        "lanes",
        "village_groups",
        "intersections",
        "mall_shops",
        "contacts",
    ),
    *("brackets", "english", "ranges", "missing_building", "added_tenant", "coarser"),
    *("shop_and_mall", "landmarks", "ambiguous", "other_number", "other_building"),
    *("other_room", "other_city", "other_tenant", "junk"),
}


def read(name: str) -> list[dict[str, str]]:
    """Rows of one of the demo's tables."""
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    """Names that the demo program defines, as if it were imported."""
    return runpy.run_path(str(DEMO / "run.py"))


def test_files_are_what_the_script_writes(tmp_path: Path) -> None:
    """The script reproduces both files byte for byte."""
    subprocess.run([sys.executable, SCRIPT, "--out", tmp_path], check=True, capture_output=True)
    for name in ("library.csv", "queries.csv"):
        assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes(), name


def test_library_is_wide_and_without_repetition() -> None:
    """About two thousand different addresses over all provinces of the mainland."""
    records = read("library.csv")
    assert 1_800 < len(records) < 2_500
    assert len({record["record_id"] for record in records}) == len(records)
    assert len({record["address"] for record in records}) == len(records)
    assert len({record["address"][:2] for record in records}) == 31


def test_answers_are_sound() -> None:
    """Every kind occurs; answers point into the library; a near miss is in no record."""
    records = {record["record_id"]: record["address"] for record in read("library.csv")}
    queries = read("queries.csv")
    assert {query["kind"] for query in queries} == KINDS
    assert len(queries) >= 300
    for query in queries:
        ids = query["record_ids"].split()
        assert (query["label"] == "not_match") == (not ids), query
        assert set(ids) <= set(records), query
        assert query["query"] not in records.values() or ids, query


def test_most_answers_come_out(demo: dict[str, Any]) -> None:
    """The whole demo, by its own count; single kinds may be hard, the whole may not slip."""
    answers = demo["read"]("queries.csv")
    results = demo["match"](answers)
    n_right = sum(map(demo["right"], answers, results))
    assert n_right / len(answers) > 0.9


def test_tables_show_the_kinds(demo: dict[str, Any]) -> None:
    """Both tables have a row for each kind asked for, and one for the total."""
    answers = [row for row in demo["read"]("queries.csv") if row["kind"] in ("junk", "english")]
    results = demo["match"](answers)
    assert demo["sample_table"](answers, results, 1).row_count == 1
    assert demo["accuracy_table"](answers, results).row_count == 3
