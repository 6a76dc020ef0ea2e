"""A tagger of elements, trained further on a user's own tagged texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from torch.nn import functional

from menpai.engine.tags import spans as read_spans
from menpai.errors import InputError
from menpai.evaluation.elements import Tally
from menpai.evaluation.spans import Span
from menpai.model.convert import N_CALIBRATION, Example
from menpai.model.golden import softmax
from menpai.train import base as bases, record, split as splits
from menpai.train.items import Items
from menpai.train.learner import Learner
from menpai.train.tagging import IGNORED, labelled, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from menpai.evaluation.conll import Tagged
    from menpai.model.tokenizer import Tokens
    from menpai.train.loop import Figure
    from menpai.train.options import Options

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Notify = Callable[[float, str], None]


def train(  # noqa: PLR0913 -- what goes in and what comes out
    texts: Sequence[Tagged],
    folder: Path,
    out: Path,
    options: Options,
    *,
    state: Path,
    notify: Notify = lambda _share, _text: None,
) -> dict[str, Any]:
    """Learn from tagged texts, and write a checkpoint with its figures.

    Args:
        texts: What is learned from and measured on; equal texts are not torn apart.
        folder: The converted checkpoint that learning begins with; it is not changed.
        out: A folder that is there, to write to.
        options: How.
        state: Where the state is kept that an interrupted training goes on from.
        notify: Told of the share that is done, and of what is being done.

    Returns:
        The figures on the held-out test part, and how they came about; metrics.json has them too.

    Raises:
        InputError: The texts have no spans, or are too few to hold some out.
        ConfigError: An option is out of its range.
        ModelError: The base cannot be used, or what was learned are no numbers any more.
        StorageError: The state is of another training, or none can be written.
    """
    options.check()
    base = bases.read(folder, max_length=options.max_length).without_channels()
    labels = labels_of(span.name for tagged in texts for span in tagged.spans)
    if len(labels) == 1:
        raise InputError("no text has a span: there is nothing to learn")
    groups = [tagged.text for tagged in texts]
    split = splits.by_group(groups, valid=options.valid, test=options.test, seed=options.seed)
    notify(0.0, f"reading {len(texts):,} texts")
    tokens = base.tokenizer.texts(groups, with_offsets=True)
    wanted = [
        labelled(item, tagged.spans, labels) for item, tagged in zip(tokens, texts, strict=True)
    ]
    # As a channel a label counts from 1: 0 is what padding has.
    items = Items(
        tokens,
        {"labels": [(row - IGNORED).astype(np.int32) for row in wanted]},
        has_segments=base.manifest.has_segments,
    )
    config = base.manifest.config
    model = bases.classifier(base, config, labels, by_token=True, seed=options.seed)
    learner = Learner(model, items, options, base.tokenizer.pad_id)
    tagger = _Tagger(learner, texts, tokens, labels)
    figures = learner.learn(
        split.train,
        _loss,
        lambda: tagger.figure(split.valid),
        state=state,
        content=record.digest(split, base, options, texts),
        notify=notify,
    )
    notify(1.0, "writing the checkpoint")
    bases.write(
        model,
        base,
        out,
        kind="tags",
        labels=labels,
        temperature=1.0,
        calibration=[Example(tokens[i]) for i in split.train[:N_CALIBRATION]],
    )
    micro = [micro for micro, _ in figures]
    report = {**tagger.report(split.test), "valid_micro_f1": micro}
    return record.write(out, report, split, base, options)


def _loss(logits: Tensor, batch: dict[str, Tensor], _places: Ints) -> Tensor:
    labels = batch["labels"] + IGNORED
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED)


class _Tagger:
    """How well the model's spans agree with those of the texts."""

    def __init__(
        self,
        learner: Learner,
        texts: Sequence[Tagged],
        tokens: Sequence[Tokens],
        labels: Sequence[str],
    ) -> None:
        self._learner = learner
        self._texts = texts
        self._tokens = tokens
        self._labels = labels

    def figure(self, places: Ints) -> Figure:
        """Micro-F1 over all spans, then the precision."""
        micro = self._tally(places).micro()
        return micro.f1, micro.precision

    def report(self, places: Ints) -> dict[str, Any]:
        """Measures over all spans together, and of each type."""
        tally = self._tally(places)
        micro = tally.micro()
        types = sorted({*tally.predicted, *tally.actual})
        return {
            "micro_f1": micro.f1,
            "micro_precision": micro.precision,
            "micro_recall": micro.recall,
            "f1": {name: tally.score(name).f1 for name in types},
            "support": {name: tally.actual[name] for name in types},
        }

    def _tally(self, places: Ints) -> Tally:
        tally = Tally()
        for some, logits in self._learner.outputs(places):
            for place, row in zip(places[some], logits, strict=True):
                tally.add(self._texts[place].spans, self._spans(int(place), row))
        return tally

    def _spans(self, place: int, logits: Array) -> list[Span]:
        tokens = self._tokens[place]
        probabilities = softmax(logits[: len(tokens.ids)]).astype(np.float32)
        text = self._texts[place].text
        read = read_spans(text, tokens.offsets, probabilities, self._labels)
        return [Span(found.type, found.start, found.end) for found in read]
