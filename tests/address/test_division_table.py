"""The packaged texts of the division table: rows, meanings, broken files."""

import pytest
from hypothesis import given, strategies as st

from menpai.address.division_table import (
    HEADER,
    KINDS,
    Division,
    Reading,
    body,
    pack_reading,
    parse_divisions,
    parse_readings,
)
from menpai.errors import DataError

ROWS = """\
110000\t北京市\tp\t\t
110105\t朝阳区\td\t110000\t
710000\t台湾省\tp\t\t
711600\t屏东县\tc\t710000\ts
711601\t屏东市\td\t711600\ts
"""


def test_body_drops_the_header() -> None:
    """The header names the format and a digest; rows follow."""
    assert body(f"{HEADER} 0123\nrow\n", "towns.tsv") == "row\n"


@pytest.mark.parametrize("text", ["", "110000\t北京市\n"])
def test_missing_header(text: str) -> None:
    """A file without its header is named."""
    with pytest.raises(DataError, match=r"towns\.tsv is broken"):
        body(text, "towns.tsv")


def test_rows() -> None:
    """Names of the levels above come from the rows above; unofficial codes are marked."""
    table = parse_divisions(ROWS)
    assert table["110105"] == Division(
        "110105", "朝阳区", "district", "北京市", None, "朝阳区", "110000"
    )
    assert table["711601"] == Division(
        "711601", "屏东市", "district", "台湾省", "屏东县", "屏东市", "711600", official=False
    )


def test_meanings() -> None:
    """Meanings of one name are separated by semicolons; a former one carries more."""
    table = parse_divisions(ROWS)
    assert parse_readings("o110105;f711601:2010:711600:", table) == (
        Reading("110105", "district", "official", 0, (), None),
        Reading("711601", "district", "former", 2010, (), "711600"),
    )


CODES = st.sampled_from(["110000", "110105", "711600", "711601"])
CURRENT = st.builds(
    lambda code, kind: (code, kind, 0, (), None, False),
    CODES,
    st.sampled_from(["official", "short", "alias", "letter"]),
)
FORMER = st.builds(
    lambda code, year, parent: (code, "former", year, (), parent, False),
    CODES,
    st.integers(1980, 2030),
    st.none() | CODES,
)
SPLIT = st.builds(
    lambda code, other, year, parent, main: (code, "split", year, (code, other), parent, main),
    CODES,
    CODES,
    st.integers(1980, 2030),
    st.none() | CODES,
    st.booleans(),
)


@given(st.lists(CURRENT | FORMER | SPLIT, min_size=1, max_size=4))
def test_meanings_survive_packing(
    rows: list[tuple[str, str, int, tuple[str, ...], str | None, bool]],
) -> None:
    """What is written is what is read."""
    table = parse_divisions(ROWS)
    readings = tuple(Reading(row[0], table[row[0]].level, *row[1:]) for row in rows)
    assert parse_readings(";".join(map(pack_reading, readings)), table) == readings


def test_kinds_have_letters_of_their_own() -> None:
    """Every kind of meaning can be packed."""
    assert sorted(KINDS.values()) == ["alias", "former", "letter", "official", "short", "split"]
