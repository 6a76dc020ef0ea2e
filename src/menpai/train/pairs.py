"""A model of pairs, trained further on a user's own labelled pairs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from menpai.address.parse import PARSER_VERSION, parse
from menpai.engine import features, inputs
from menpai.errors import InputError
from menpai.evaluation.metrics import auc, confusion, macro_f1, per_label
from menpai.matching.policy import POLICIES
from menpai.matching.results import LABELS
from menpai.model import convert
from menpai.model.convert import N_CALIBRATION
from menpai.model.golden import softmax
from menpai.train import base as bases, calibrate, record, split as splits
from menpai.train.items import Items
from menpai.train.learner import Learner
from menpai.train.shares import share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from menpai.evaluation.pairs import LabelledPair
    from menpai.model.convert import Example
    from menpai.train.base import Base
    from menpai.train.loop import Figure
    from menpai.train.options import Options

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Notify = Callable[[float, str], None]

_SMOOTHING = 0.05
_LEAST_OF_A_LABEL = 5
_VERSIONS = (features.FEATURES_VERSION, features.SIZES, PARSER_VERSION)
"""Of what decides what a pair is told: a state of others has learned something else."""


def train(  # noqa: PLR0913 -- what goes in and what comes out
    pairs: Sequence[LabelledPair],
    groups: Sequence[str],
    folder: Path,
    out: Path,
    options: Options,
    *,
    state: Path,
    n_left_out: int = 0,
    notify: Notify = lambda _share, _text: None,
) -> dict[str, Any]:
    """Learn from labelled pairs, and write a checkpoint with its figures.

    Args:
        pairs: What is learned from and measured on.
        groups: What each pair belongs to; those of one group are not torn apart.
        folder: The converted checkpoint that learning begins with; it is not changed.
        out: A folder that is there, to write to.
        options: How.
        state: Where the state is kept that an interrupted training goes on from.
        n_left_out: Rows that held no pair; the figures count them with the pairs that an encoder
            cannot read.
        notify: Told of the share that is done, and of what is being done.

    Returns:
        The figures on the held-out test part, and how they came about; metrics.json has them too.

    Raises:
        InputError: There are too few pairs of a label, or the split leaks.
        ConfigError: An option is out of its range.
        ModelError: The base cannot be used, or what was learned are no numbers any more.
        StorageError: The state is of another training, or none can be written.
    """
    options.check()
    base = bases.read(folder, max_length=options.max_length)
    texts, wanted, groups = _readable(pairs, groups)
    _check_labels(wanted)
    split = splits.by_group(groups, valid=options.valid, test=options.test, seed=options.seed)
    splits.check(split, texts)
    _check_learned(wanted, split)
    notify(0.0, f"reading {len(texts):,} pairs")
    items, examples = _items(texts, base, split)
    config = replace(base.manifest.config, channels=tuple(features.SIZES.items()))
    model = bases.classifier(base, config, LABELS, by_token=False, seed=options.seed)
    learner = Learner(model, items, options, base.tokenizer.pad_id)
    judge = _Judge(learner, wanted)
    figures = learner.learn(
        split.train,
        judge.loss,
        lambda: judge.figure(split.valid),
        state=state,
        content=record.digest(split, base, options, texts, wanted.tolist(), *_VERSIONS),
        notify=notify,
    )
    notify(1.0, "weighing the answers")
    read_as = _read_as(judge.logits(split.valid), texts, wanted, split.valid)
    notify(1.0, "writing the checkpoint")
    manifest = bases.write(
        model,
        base,
        out,
        kind="pairs",
        labels=LABELS,
        temperature=read_as["temperature"],
        calibration=examples,
    )
    replace(manifest, calibration=read_as).write(out)
    report = {
        **_figures(judge.logits(split.test), wanted[split.test], read_as["temperature"]),
        "valid_macro_f1": [macro for macro, _ in figures],
        "n_left_out": n_left_out + len(pairs) - len(texts),
        **read_as,
    }
    return record.write(out, report, split, base, options)


class _Judge:
    """How well the model's labels agree with those of the pairs."""

    def __init__(self, learner: Learner, wanted: Ints) -> None:
        self._learner = learner
        self._wanted = wanted

    def loss(self, logits: Tensor, _batch: Mapping[str, Tensor], places: Ints) -> Tensor:
        """How far the model is from the labels; a little from sure ones too, as some are wrong."""
        labels = torch.from_numpy(self._wanted[places])
        return functional.cross_entropy(logits, labels, label_smoothing=_SMOOTHING)

    def logits(self, places: Ints) -> Array:
        """What the model gives for some pairs: (n, labels)."""
        return self._learner.logits(places, len(LABELS))

    def figure(self, places: Ints) -> Figure:
        """Macro-F1, then the likelihood.

        At first, and with few pairs, one label is given to all of them for epochs while the
        likelihood already rises: training must not end there.
        """
        logits, wanted = self.logits(places), self._wanted[places]
        likelihood = -calibrate.loss(softmax(logits), wanted)
        return macro_f1(_confusion(logits.argmax(axis=1), wanted)), likelihood


def _readable(
    pairs: Sequence[LabelledPair], groups: Sequence[str]
) -> tuple[list[inputs.Pair], Ints, list[str]]:
    """Encoder inputs, labels and groups of the pairs that an encoder can read."""
    texts, wanted, kept = [], [], []
    for pair, group in zip(pairs, groups, strict=True):
        found = inputs.of_pair(pair.left, pair.right)
        if not isinstance(found, InputError):
            texts.append(found)
            wanted.append(LABELS.index(pair.label))
            kept.append(group)
    return texts, np.array(wanted, np.int64), kept


def _check_labels(wanted: Ints) -> None:
    counts = Counter(LABELS[place] for place in wanted)
    if len(counts) < 2:
        raise InputError(
            f"all pairs have one label ({', '.join(counts) or 'there is none'}): a model needs "
            "pairs of at least two",
            field="label",
        )
    rare = {label: count for label, count in counts.items() if count < _LEAST_OF_A_LABEL}
    if rare:
        raise InputError(
            f"too few pairs to learn from: {rare}; at least {_LEAST_OF_A_LABEL} of each label "
            "that occurs",
            field="label",
        )


def _check_learned(wanted: Ints, split: splits.Split) -> None:
    """Refuse a split in which a label is only held out: it would never be given."""
    unseen = sorted({LABELS[i] for i in wanted} - {LABELS[i] for i in wanted[split.train]})
    if unseen:
        raise InputError(
            f"all pairs of {', '.join(unseen)} are in groups that are held out: more groups, or "
            "another seed, leave some to learn from",
            field="label",
        )


def _items(
    texts: Sequence[inputs.Pair], base: Base, split: splits.Split
) -> tuple[Items, list[Example]]:
    """All pairs as numbers, and some of those that are learned from to calibrate int8 with."""
    tokens = base.tokenizer.pairs(texts, with_offsets=True)
    channels = features.channels(texts, tokens)
    chosen = split.train[:: max(1, len(split.train) // N_CALIBRATION)][:N_CALIBRATION]
    examples = convert.examples(tokens, channels, chosen)
    return Items(tokens, channels, has_segments=base.marks_pairs), examples


def _read_as(
    logits: Array, texts: Sequence[inputs.Pair], wanted: Ints, places: Ints
) -> dict[str, Any]:
    """How the model's numbers are to be read, by pairs that were held out."""
    own = wanted[places]
    temperature = calibrate.temperature(logits, own)
    probabilities = softmax(logits / temperature)
    held_out = [(parse(left), parse(right)) for left, right in (texts[place] for place in places)]
    return {
        "temperature": temperature,
        "shares": {policy: share(held_out, probabilities, own, policy) for policy in POLICIES},
    }


def _confusion(found: Ints, wanted: Ints) -> dict[str, dict[str, int]]:
    return confusion(LABELS, [LABELS[i] for i in wanted], [LABELS[i] for i in found])


def _figures(logits: Array, wanted: Ints, temperature: float) -> dict[str, Any]:
    """Measures on the test part."""
    plain, probabilities = softmax(logits), softmax(logits / temperature)
    table = _confusion(probabilities.argmax(axis=1), wanted)
    score = probabilities[:, 0] + 0.5 * probabilities[:, 1]
    return {
        "macro_f1": macro_f1(table),
        "f1": {label: found.f1 for label, found in per_label(table).items()},
        "auc_match": auc(score.tolist(), (wanted != LABELS.index("not_match")).tolist()),
        "confusion": table,
        "calibration_error": calibrate.calibration_error(probabilities, wanted),
        "calibration_error_before": calibrate.calibration_error(plain, wanted),
    }
