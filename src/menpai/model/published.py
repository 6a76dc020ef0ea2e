"""What the published MGeo checkpoints answer to the examples of their own model cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from menpai.model.batches import pad
from menpai.model.golden import readable

if TYPE_CHECKING:
    from menpai.model.checkpoint import Kind
    from menpai.model.manifest import Manifest
    from menpai.model.runtimes.protocol import Runtime
    from menpai.model.tokenizer import Tokenizer


class Example(NamedTuple):
    """Two texts, as the card writes them, and the probabilities that it gives, by label."""

    left: str
    right: str
    probabilities: dict[str, float]


_QUERY = "杭州余杭东方未来学校附近世纪华联商场(金家渡北苑店)"
EXAMPLES: dict[Kind, tuple[Example, ...]] = {
    "pairs": (
        Example(
            "紫萱路363号人力社保局",
            "紫萱路363号市人社局",
            {"not_match": 0.0138, "partial_match": 0.0645, "exact_match": 0.9217},
        ),
    ),
    "rank": (
        Example(
            _QUERY,
            "良渚街道金家渡北苑42号世纪华联超市(金家渡北苑店)",
            {"relevant": 0.99869},
        ),
        Example(_QUERY, "金家渡路金家渡中苑南区70幢金家渡中苑70幢", {"relevant": 0.00752}),
        Example(_QUERY, "金家渡路140-142号附近家家福足道(金家渡店)", {"relevant": 0.01402}),
    ),
}
TOLERANCE = 0.02
"""The cards round, and do not say in which numbers they were computed."""


def differences(
    runtime: Runtime, manifest: Manifest, tokenizer: Tokenizer
) -> list[dict[str, float]] | None:
    """Give the probabilities' differences from the card's for each example, by label.

    None where there is no card for such a checkpoint: other labels, size or family. A checkpoint
    that was trained further has the size of the published one and answers otherwise.
    """
    examples = EXAMPLES.get(manifest.kind, ())
    is_published_size = (manifest.config.n_layers, manifest.config.width) == (12, 768)
    if manifest.family != "mgeo" or not is_published_size or not examples:
        return None
    if set(examples[0].probabilities) != set(manifest.labels):
        return None
    found = []
    for example in examples:
        (tokens,) = tokenizer.pairs([(example.left, example.right)])
        batch = pad([tokens], len(tokens.ids), tokenizer.pad_id, has_segments=manifest.has_segments)
        row = np.asarray(readable(runtime.run(batch), manifest))[0]
        own = dict(zip(manifest.labels, map(float, row), strict=True))
        found.append({label: own[label] - p for label, p in example.probabilities.items()})
    return found
