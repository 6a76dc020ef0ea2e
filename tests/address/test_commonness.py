"""Road names that are found everywhere."""

from __future__ import annotations

import pytest

from menpai.address.commonness import is_common_road


@pytest.mark.parametrize(
    ("road", "common"), [("人民路", True), ("中山路", True), ("文瑞岚泉路", False), ("", False)]
)
def test_common_roads(road: str, common: bool) -> None:  # noqa: FBT001  a column
    """人民路 is in more than 20 cities, an invented road in none."""
    assert is_common_road(road) is common
