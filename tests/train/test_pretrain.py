"""An encoder from nothing learns to name what is hidden, and to tag."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.bench.random_bert import BERT_BASE
from menpai.errors import StorageError
from menpai.evaluation.spans import Span
from menpai.model.tokenizer import from_vocabulary
from menpai.train.items import Items
from menpai.train.pretrain import Guesser, Pretraining
from menpai.train.tagging import IGNORED, labelled, labels_of
from menpai.train.vocabulary import words

TINY = replace(BERT_BASE, n_layers=1, width=32, n_heads=2, inner_width=64, max_positions=16)
ROADS = ["望澜路", "听松路", "枫林街"]
LABELS = labels_of(["road", "roadno"])


def texts(n: int) -> list[tuple[str, tuple[Span, ...]]]:
    """A road and a number each."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(n):
        road, number = ROADS[int(rng.integers(3))], f"{int(rng.integers(10, 99))}号"
        found.append((road + number, (Span("road", 0, 3), Span("roadno", 3, 6))))
    return found


def training(n: int = 240, n_tagged: int | None = None) -> tuple[Guesser, Pretraining]:
    """A small encoder, and what it learns from; only some texts may have labels."""
    written = texts(n)
    tokenizer = from_vocabulary(words([text for text, _ in written]), 16)
    tokens = tokenizer.texts([text for text, _ in written], with_offsets=True)
    rows = [
        (labelled(item, spans, LABELS) - IGNORED).astype(np.int32)
        if n_tagged is None or place < n_tagged
        else np.zeros(len(item.ids), np.int32)
        for place, (item, (_, spans)) in enumerate(zip(tokens, written, strict=True))
    ]
    torch.manual_seed(0)
    config = replace(TINY, vocab_size=tokenizer.n_tokens)
    model = Guesser(config, len(LABELS), dropout=0.0)
    items = Items(tokens, {"labels": rows}, has_segments=False)
    mask = tokenizer.id("[MASK]")
    return model, Pretraining(model, items, np.arange(40), mask_id=mask, first_word=5)


def learn(prepared: Pretraining, state: Path, n_epochs: int = 12, **changed: Any) -> Any:
    """Train with what suits so small an encoder."""
    how = {"learning_rate": 5e-3, "max_tokens": 256, "seed": 0, "content": "a"} | changed
    return prepared.learn(n_epochs=n_epochs, state=state, on_step=lambda _step, _loss: None, **how)


def test_it_learns_both(tmp_path: Path) -> None:
    """Hidden tokens as far as they can be known, elements wholly."""
    figures = learn(training()[1], tmp_path)
    (_, named, tagged), (_, named_later, tagged_later) = figures[0], figures[-1]
    assert named_later > named + 0.5
    assert tagged_later > tagged + 0.5
    assert tagged_later > -0.1


def test_the_first_figure_is_the_sum_of_both(tmp_path: Path) -> None:
    """What the best epoch is chosen by."""
    for both, named, tagged in learn(training()[1], tmp_path, 2):
        assert both == pytest.approx(named + tagged)


def test_texts_without_labels_teach_no_labels(tmp_path: Path) -> None:
    """The head of the tags stays as it was, but for the decay."""
    model, prepared = training(n_tagged=0)
    before = model.classifier.weight.detach().clone()
    learn(prepared, tmp_path, 1, learning_rate=1e-3)
    assert torch.allclose(before, model.classifier.weight, atol=1e-3)


def test_a_training_that_was_interrupted_ends_as_one_that_was_not(tmp_path: Path) -> None:
    """Bit for bit."""
    whole, prepared = training()
    learn(prepared, tmp_path / "whole", 2)
    torn, prepared = training()

    def stop(step: int, _loss: float) -> None:
        if step == 12:
            raise KeyboardInterrupt

    how: Any = {"learning_rate": 5e-3, "max_tokens": 256, "seed": 0, "content": "a"}
    with pytest.raises(KeyboardInterrupt):
        prepared.learn(n_epochs=2, state=tmp_path / "torn", on_step=stop, **how)
    learn(training()[1], tmp_path / "other", 1)  # chance elsewhere changes nothing
    torn, prepared = training()
    learn(prepared, tmp_path / "torn", 2)
    for left, right in zip(whole.parameters(), torn.parameters(), strict=True):
        assert torch.equal(left, right)


def test_a_state_of_other_texts_is_refused(tmp_path: Path) -> None:
    """It has learned something else."""
    learn(training()[1], tmp_path, 1)
    with pytest.raises(StorageError, match="another training"):
        learn(training()[1], tmp_path, 1, content="b")


def test_another_seed_learns_otherwise(tmp_path: Path) -> None:
    """The order and what is hidden are others."""
    figures = [learn(training()[1], tmp_path / str(s), 1, seed=s) for s in (0, 1)]
    assert figures[0] != figures[1]
