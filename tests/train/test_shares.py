"""How much a model counts beside the elements."""

import numpy as np
import pytest

from menpai.address.parse import parse
from menpai.matching.decide import MODEL_SHARE
from menpai.matching.results import LABELS
from menpai.train.shares import share

OPEN = [
    (parse("人民路8号"), parse("杭州市人民路8号")),
    (parse("文瑞路8号"), parse("文瑞路8号翡岚广场")),
]
PARTIAL = LABELS.index("partial_match")
NOT = LABELS.index("not_match")


@pytest.mark.parametrize(("right", "expected"), [(True, 1.0), (False, 0.0)])
def test_a_model_counts_as_far_as_it_is_right(*, right: bool, expected: float) -> None:
    """All where its sure answers are right and the rules are not, nothing where it is wrong."""
    wanted = np.array([NOT, NOT])
    said = np.full((2, 3), 0.005)
    said[:, NOT if right else LABELS.index("exact_match")] = 0.99
    if not right:
        wanted[:] = PARTIAL  # as the rules have it
    assert share(OPEN, said, wanted, "place") == expected


def test_what_is_decided_does_not_count() -> None:
    """A veto says nothing of a model that is not asked: it counts as usual."""
    vetoed = [(parse("杭州市文瑞路8号"), parse("上海市文瑞路8号"))]
    assert share(vetoed, np.array([[0.0, 0.0, 1.0]]), np.array([NOT]), "place") == MODEL_SHARE
