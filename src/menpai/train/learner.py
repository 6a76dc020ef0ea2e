"""A model and what it learns from: batches to losses, and what it gives for held-out items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from menpai.train.loop import Loop, Plan
from menpai.train.shuffle import Shuffle, padded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from menpai.train.items import Items
    from menpai.train.loop import Figure
    from menpai.train.network import Classifier
    from menpai.train.options import Options

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Notify = Callable[[float, str], None]

_EVALUATED_AT_ONCE = 128


class Learner:
    """Trains a classifier on items.

    Args:
        model: What learns.
        items: What it learns from, and is measured on.
        options: How it learns.
        pad_id: Number of the padding token.
    """

    def __init__(self, model: Classifier, items: Items, options: Options, pad_id: int) -> None:
        self.model = model
        self._items = items
        self._options = options
        self._pad_id = pad_id
        self._longest = model.encoder.config.max_positions

    def learn(  # noqa: PLR0913 -- what is learned, by which measure, and where it is kept
        self,
        learned: Ints,
        loss_of: Callable[[Tensor, dict[str, Tensor], Ints], Tensor],
        figure_of: Callable[[], Figure],
        *,
        state: Path,
        content: str,
        notify: Notify = lambda _share, _text: None,
        on_step: Callable[[int, float], None] = lambda _step, _loss: None,
    ) -> list[Figure]:
        """Train until it gets no better; gives the figure after each epoch.

        Args:
            learned: Places of the items to learn from.
            loss_of: The loss of what the model gave for a batch, by the batch and its places.
            figure_of: How good the model is.
            state: Folder of the state that an interrupted training goes on from.
            content: Digest of all that the state depends on.
            notify: Told of the share that is done, and of what is being done.
            on_step: Told of each step's number and loss.
        """
        options = self._options
        lengths = self._items.lengths[learned]
        shuffle = Shuffle(lengths, options.max_tokens, options.seed, self._longest)
        plan = Plan(
            n_epochs=options.n_epochs,
            n_steps=shuffle.n_batches,
            learning_rate=options.learning_rate,
            patience=options.patience,
            seed=options.seed,
            content=content,
        )

        def loss_at(step: int) -> Tensor:
            chosen, length = shuffle.batch(step)
            places = learned[chosen]
            batch = self._items.batch(places, length, self._pad_id)
            return loss_of(self.model(batch), batch, places)

        def tell(step: int, loss: float) -> None:
            on_step(step, loss)
            epoch = step // plan.n_steps + 1
            text = f"epoch {epoch} of at most {plan.n_epochs}, loss {loss:.2f}"
            notify(step / (plan.n_epochs * plan.n_steps), text)

        return Loop(self.model, loss_at, figure_of, plan, state).run(tell)

    def logits(self, places: Ints, n_labels: int) -> Array:
        """What a model of whole inputs gives for some of them, in their order: (n, labels)."""
        found = np.zeros((len(places), n_labels))
        for some, logits in self.outputs(places):
            found[some] = logits
        return found

    def outputs(self, places: Ints) -> Iterator[tuple[Ints, Array]]:
        """What the model gives for some items, batch by batch.

        Yields:
            Where in `places` a batch's items stand, and their (n, labels) or (n, length, labels).
        """
        self.model.eval()
        order = np.argsort(self._items.lengths[places], kind="stable")
        for start in range(0, len(order), _EVALUATED_AT_ONCE):
            some = order[start : start + _EVALUATED_AT_ONCE]
            lengths = padded(self._items.lengths[places[some]], self._longest)
            batch = self._items.batch(places[some], int(lengths.max()), self._pad_id)
            with torch.inference_mode():  # not around the yield: the caller would be in it too
                logits = self.model(batch).double().numpy()
            yield some, logits
