"""What a checkpoint says of pairs of texts, in the words of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from menpai.errors import ConfigError
from menpai.matching import nearness
from menpai.matching.decide import MODEL_SHARE, Evidence
from menpai.matching.results import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from menpai.engine.engine import Engine

_FAILED = Evidence(flags=("model_error",))


def check(engine: Engine) -> None:
    """Refuse a classifier of pairs whose labels are not the three of a comparison.

    Raises:
        ConfigError: The labels are others.
    """
    known = (set(LABELS), set(nearness.NEARNESS))
    if engine.kind == "pairs" and set(engine.labels) not in known:
        raise ConfigError(
            f"the checkpoint's labels are {', '.join(engine.labels)}; a comparison has "
            f"{', '.join(LABELS)}",
            field="checkpoint",
        )


def similarities(engine: Engine, pairs: Sequence[tuple[str, str]]) -> list[Evidence]:
    """Cosines of the vectors of the two texts of each pair; each text is encoded once."""
    places: dict[str, int] = {}
    for text in (text for pair in pairs for text in pair):
        places.setdefault(text, len(places))
    encoded = engine.encode(list(places))
    found = []
    for left, right in pairs:
        sides = places[left], places[right]
        if any(side in encoded.errors for side in sides):
            found.append(_FAILED)
            continue
        cosine = float(encoded.vectors[sides[0]] @ encoded.vectors[sides[1]])
        cosine = max(-1.0, min(1.0, cosine))  # rounding may leave a length above 1
        is_truncated = any(encoded.is_truncated[side] for side in sides)
        found.append(Evidence(similarity=cosine, flags=_flags(is_truncated=is_truncated)))
    return found


def share_of(engine: Engine, policy: str) -> float:
    """How much a checkpoint counts beside the elements."""
    found: float = engine.calibration.get("shares", {}).get(policy, MODEL_SHARE)
    return found


def verdicts(engine: Engine, pairs: Sequence[tuple[str, str]], policy: str) -> list[Evidence]:
    """Probabilities of the three labels for each pair, and what they count beside a policy."""
    classified = engine.classify(pairs)
    share = share_of(engine, policy)
    return [
        _FAILED
        if place in classified.errors
        else Evidence(
            probabilities=_probabilities(engine, row, policy),
            share=share,
            flags=_flags(is_truncated=bool(is_truncated)),
        )
        for place, (row, is_truncated) in enumerate(
            zip(classified.probabilities, classified.is_truncated, strict=True)
        )
    ]


def _probabilities(engine: Engine, row: NDArray[np.float32], policy: str) -> Mapping[str, float]:
    """By label; what tells how places stand is read under the policy.

    A rank model's number is a score: as of two halves, each that surely the same. So a partial
    match, which it does not know, is likeliest in the middle, and never ruled out.
    """
    if engine.kind == "rank":
        r = float(row[0])
        return {"exact_match": r * r, "partial_match": 2 * r * (1 - r), "not_match": (1 - r) ** 2}
    found = dict(zip(engine.labels, map(float, row), strict=True))
    return found if set(found) == set(LABELS) else nearness.read(found, policy)


def _flags(*, is_truncated: bool) -> tuple[str, ...]:
    return ("truncated",) if is_truncated else ()
