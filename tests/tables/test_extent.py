"""Sizes of sheets, told from their XML."""

import pytest

from menpai.tables.extent import Extent


def measured(xml: bytes, size: int) -> tuple[int, int]:
    """Rows and columns, with the XML coming in blocks of a size."""
    extent = Extent()
    for start in range(0, len(xml), size):
        extent.feed(xml[start : start + size])
    return extent.n_rows, extent.n_columns


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("xml", "extent"),
    [
        (b'<row r="1"><c r="A1"/><c r="B1" t="s"/></row><row r="2"><c r="AB2"/></row>', (2, 28)),
        (
            b'<row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row>',
            (1048576, 16384),
        ),
        (b"<row><c/><c t='s'/><c></c></row><row></row><row><c/></row></x>", (3, 3)),
        (b'<x:row r="9"><x:c><x:v>1</x:v></x:c><x:c/></x:row>', (9, 2)),
        (b"<row r = '3'><c r = 'c3'/></row>", (3, 3)),
        (b'<cols><col min="1"/></cols><sheetData/></x>', (0, 0)),
        (b"a < b, no sheet at all", (0, 0)),
    ],
)
def test_extent_of_a_sheet(xml: bytes, extent: tuple[int, int], size: int) -> None:
    """Places come from attributes or from the order, wherever the XML is cut."""
    assert measured(xml, size) == extent
