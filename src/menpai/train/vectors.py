"""An encoder of single texts whose vectors are near where two texts mean one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from menpai.train.loop import Loop, Plan
from menpai.train.shuffle import padded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from menpai.train.items import Items
    from menpai.train.loop import Figure
    from menpai.train.network import Encoder

    Ints = NDArray[np.int64]
    Array = NDArray[np.float32]

TEMPERATURE = 0.05
"""What cosines are divided by: how much the nearest of the other places count."""
_AT_ONCE = 96
"""Texts of like length that are encoded together: each new shape costs kernels a compilation."""


class Triples(NamedTuple):
    """Places of texts that belong together, in items.

    Attributes:
        anchors: (n).
        positives: (n), another text of the anchor's place.
        negatives: (n), a text of a place that looks like it.
        places: (2, n), which place the anchor and the negative mean.
        areas: (n), where the anchor's place is: triples of one area are learned from together, as
            what is near is hard to tell apart.
    """

    anchors: Ints
    positives: Ints
    negatives: Ints
    places: Ints
    areas: Ints


class Embedder(nn.Module):
    """An encoder, and the mean of its tokens' vectors at length 1."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, given: Mapping[str, Tensor]) -> Tensor:
        """Give (n, width)."""
        hidden = self.encoder(given)
        mask = given["mask"].to(hidden.dtype)[:, :, None]
        return functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def loss(
    anchors: Tensor, positives: Tensor, negatives: Tensor, places: tuple[Tensor, Tensor]
) -> Tensor:
    """How far each text is from choosing its own partner among all others, both ways.

    Args:
        anchors: (n, width), as the others.
        positives: The anchors' partners.
        negatives: What looks like them.
        places: Which place each anchor and each negative means: one that means the anchor's is no
            wrong choice.
    """
    own, other = places
    n = len(anchors)
    same = own[:, None] == own[None]
    alike = own[:, None] == other[None]
    self_ = torch.eye(n, dtype=torch.bool)
    wrong = torch.cat([same & ~self_, alike, same], dim=1)
    ahead = anchors @ torch.cat([positives, negatives, anchors]).T / TEMPERATURE
    back = positives @ torch.cat([anchors, negatives, positives]).T / TEMPERATURE
    target = torch.arange(n)
    return (
        functional.cross_entropy(ahead.masked_fill(wrong, -1e4), target)
        + functional.cross_entropy(back.masked_fill(wrong, -1e4), target)
    ) / 2


class Training:
    """Trains an embedder on triples.

    Args:
        model: What learns.
        items: The texts.
        triples: What belongs together.
        held_out: The first so many triples are measured on.
        n_areas: Areas that a batch is drawn from.
        size: Triples of a batch.
        seed: What the order depends on.
    """

    def __init__(  # noqa: PLR0913 -- what is learned, and how it is put together
        self,
        model: Embedder,
        items: Items,
        triples: Triples,
        *,
        held_out: int,
        size: int = 128,
        n_areas: int = 4,
        seed: int = 0,
    ) -> None:
        self._model = model
        self._items = items
        self._triples = triples
        self._held_out = held_out
        self._size = size
        self._n_areas = n_areas
        self._seed = seed
        self._epoch = -1
        self._batches: list[Ints] = []

    def learn(
        self,
        *,
        n_epochs: int,
        learning_rate: float,
        state: Path,
        content: str,
        on_step: Callable[[int, float], None],
    ) -> list[Figure]:
        """Train; gives after each epoch the share of held-out anchors that find their partner.

        Args:
            n_epochs: Times that every triple is seen.
            learning_rate: The highest one.
            state: Folder of the state that an interrupted training goes on from.
            content: Digest of what is learned from.
            on_step: Told of each step's number and loss.
        """
        plan = Plan(
            n_epochs=n_epochs,
            n_steps=len(self._plan(0)),
            learning_rate=learning_rate,
            patience=n_epochs,
            seed=self._seed,
            content=content,
        )

        def loss_at(step: int) -> Tensor:
            epoch, number = divmod(step, plan.n_steps)
            if epoch != self._epoch:
                self._epoch, self._batches = epoch, self._plan(epoch)
            return self._loss(self._batches[number])

        return Loop(self._model, loss_at, self._figure, plan, state).run(on_step)

    def vectors(self, places: Ints) -> Tensor:
        """Vectors of some texts, (n, width)."""
        order = np.argsort(self._items.lengths[places], kind="stable")
        parts = [self._model(batch) for batch in self._cut(places[order])]
        return torch.cat(parts)[torch.from_numpy(np.argsort(order, kind="stable"))]

    def _cut(self, places: Ints) -> Iterator[dict[str, Tensor]]:
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            yield self._items.batch(some, int(padded(self._items.lengths[some]).max()), 0)

    def _loss(self, chosen: Ints) -> Tensor:
        triples = self._triples
        texts = [triples.anchors[chosen], triples.positives[chosen], triples.negatives[chosen]]
        found = self.vectors(np.concatenate(texts)).chunk(3)
        own, other = (torch.from_numpy(row[chosen]) for row in triples.places)
        return loss(found[0], found[1], found[2], (own, other))

    def _figure(self) -> Figure:
        chosen = np.arange(self._held_out)
        with torch.inference_mode():
            anchors = self.vectors(self._triples.anchors[chosen]).numpy()
            others = np.concatenate([self._triples.positives, self._triples.negatives])
            texts = np.unique(others[np.concatenate([chosen, chosen + len(self._triples.anchors)])])
            library = self.vectors(texts).numpy()
        nearest = texts[(anchors @ library.T).argmax(axis=1)]
        return (float((nearest == self._triples.positives[chosen]).mean()),)

    def _plan(self, epoch: int) -> list[Ints]:
        """Batches of an epoch: equal parts from a few areas each."""
        rng = np.random.default_rng((self._seed, epoch))
        order = rng.permutation(np.arange(self._held_out, len(self._triples.anchors)))
        order = order[np.argsort(self._triples.areas[order], kind="stable")]
        part = self._size // self._n_areas
        parts = [order[i : i + part] for i in range(0, len(order) - part + 1, part)]
        mixed = [parts[i] for i in rng.permutation(len(parts))]
        last = len(mixed) - self._n_areas + 1
        return [np.concatenate(mixed[i : i + self._n_areas]) for i in range(0, last, self._n_areas)]
