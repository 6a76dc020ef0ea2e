"""How much a model of pairs counts beside the elements: as held-out labels are likeliest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.matching.decide import MODEL_SHARE, join, weigh
from menpai.matching.results import LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from menpai.address.elements import Address

    Array = NDArray[np.floating[Any]]
    Ints = NDArray[np.int64]

_SHARES = tuple(round(0.1 * step, 1) for step in range(11))
_LEAST = 1e-6


def share(
    pairs: Sequence[tuple[Address, Address]], probabilities: Array, wanted: Ints, policy: str
) -> float:
    """Give the model's part in the joint decision under which held-out labels are likeliest.

    Args:
        pairs: Pairs that were not learned from, parsed.
        probabilities: What the model says of them: (n, labels).
        wanted: Their labels' places.
        policy: What the elements are read by, "place" or "ccks".

    Returns:
        0 to 1; the usual share where no model is asked of any pair.
    """
    total = np.zeros(len(_SHARES))
    for (left, right), row, label in zip(pairs, probabilities, wanted, strict=True):
        structure = weigh(left, right, policy)
        if structure.is_decisive:  # then no model is asked
            continue
        said: dict[str, float] = dict(zip(LABELS, map(float, row), strict=True))
        for place, part in enumerate(_SHARES):
            total[place] += np.log(join(structure, said, part)[LABELS[int(label)]] + _LEAST)
    return _SHARES[int(total.argmax())] if total.any() else MODEL_SHARE
