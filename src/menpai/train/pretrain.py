"""An encoder of our own from nothing: it names hidden tokens, and the element of each one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from menpai.train import masking
from menpai.train.loop import Loop, Plan
from menpai.train.network import Encoder, Head
from menpai.train.shuffle import Shuffle, padded
from menpai.train.tagging import IGNORED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from menpai.model.config import EncoderConfig
    from menpai.train.items import Items
    from menpai.train.loop import Figure

    Ints = NDArray[np.int64]

_EVALUATED_AT_ONCE = 128


class Guesser(nn.Module):
    """An encoder, what names hidden tokens from its vectors, and what tags all tokens.

    Args:
        config: Sizes of the encoder.
        n_labels: Labels of a token.
        dropout: Share of numbers that are left out while learning.
    """

    def __init__(self, config: EncoderConfig, n_labels: int, *, dropout: float = 0.05) -> None:
        super().__init__()
        self.encoder = Encoder(config, dropout=dropout)
        self.transform = Head(config.width, config.width)
        self.norm = nn.LayerNorm(config.width)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.classifier = Head(config.width, n_labels)

    def forward(
        self, given: Mapping[str, Tensor], places: Tensor, wanted: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give the mean loss of the hidden tokens, and that of the labels.

        Args:
            given: The encoder's inputs with hidden tokens, and the labels, which count from
                `IGNORED` at 0.
            places: Where the hidden tokens are, in the flattened batch.
            wanted: Which they are.
        """
        vectors = self.encoder(given).flatten(0, 1)
        hidden = self.norm(functional.gelu(self.transform(vectors[places])))
        table = self.encoder.embeddings.word_embeddings.weight
        named = functional.cross_entropy(hidden @ table.T + self.bias, wanted)
        labels = given["labels"].flatten() + IGNORED
        tagged = functional.cross_entropy(
            self.classifier(vectors), labels, ignore_index=IGNORED, reduction="sum"
        )
        return named, tagged / max(1, int((labels != IGNORED).sum()))


class Pretraining:
    """Trains a guesser on texts, some of which have labels.

    Args:
        model: What learns.
        items: Texts, with a channel "labels" that counts from `IGNORED` at 0.
        held_out: Places of the texts that are measured on.
        mask_id: The token that stands for a hidden one.
        first_word: The first token that is no mark.
    """

    def __init__(
        self, model: Guesser, items: Items, held_out: Ints, *, mask_id: int, first_word: int
    ) -> None:
        self._model = model
        self._items = items
        self._held_out = held_out
        self._mask_id = mask_id
        self._first_word = first_word

    def learn(  # noqa: PLR0913 -- how long, how fast, and where it is kept
        self,
        *,
        n_epochs: int,
        learning_rate: float,
        max_tokens: int,
        seed: int,
        state: Path,
        content: str,
        on_step: Callable[[int, float], None],
    ) -> list[Figure]:
        """Train; gives after each epoch the negative losses of held-out texts: both, tokens, tags.

        Args:
            n_epochs: Times that every text is seen.
            learning_rate: The highest one.
            max_tokens: Padded tokens of a batch.
            seed: What the order and the hidden tokens depend on.
            state: Folder of the state that an interrupted training goes on from.
            content: Digest of what is learned from.
            on_step: Told of each step's number and loss.
        """
        learned = np.setdiff1d(np.arange(len(self._items)), self._held_out)
        shuffle = Shuffle(self._items.lengths[learned], max_tokens, seed)
        plan = Plan(
            n_epochs=n_epochs,
            n_steps=shuffle.n_batches,
            learning_rate=learning_rate,
            patience=n_epochs,
            seed=seed,
            content=content,
        )

        def loss_at(step: int) -> Tensor:
            chosen, length = shuffle.batch(step)
            named, tagged = self._losses(learned[chosen], length, (seed, 1, step))
            return named + tagged

        return Loop(self._model, loss_at, self._figure, plan, state).run(on_step)

    def _losses(self, places: Ints, length: int, seed: Any) -> tuple[Tensor, Tensor]:
        batch = self._items.batch(places, length, 0)
        hidden = masking.hide(
            batch["ids"].numpy(),
            batch["mask"].numpy(),
            np.random.default_rng(seed),
            mask_id=self._mask_id,
            first_word=self._first_word,
            n_words=self._model.encoder.config.vocab_size,
        )
        batch["ids"] = torch.from_numpy(hidden.ids)
        named, tagged = self._model(
            batch, torch.from_numpy(hidden.places), torch.from_numpy(hidden.wanted)
        )
        return named, tagged

    def _figure(self) -> Figure:
        order = self._held_out[np.argsort(self._items.lengths[self._held_out], kind="stable")]
        losses, weights = [], []
        for start in range(0, len(order), _EVALUATED_AT_ONCE):
            places = order[start : start + _EVALUATED_AT_ONCE]
            length = int(padded(self._items.lengths[places]).max())
            with torch.inference_mode():
                found = self._losses(places, length, (0, 2, start))
            losses.append([float(part) for part in found])
            weights.append(len(places))
        named, tagged = np.average(losses, axis=0, weights=weights)
        return -float(named + tagged), -float(named), -float(tagged)
