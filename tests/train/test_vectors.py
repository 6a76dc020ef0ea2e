"""Vectors that are near where two texts mean one place."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.bench.random_bert import BERT_BASE
from menpai.model.tokenizer import from_vocabulary
from menpai.train.items import Items
from menpai.train.network import Encoder
from menpai.train.vectors import TEMPERATURE, Embedder, Training, Triples, loss
from menpai.train.vocabulary import words

TINY = replace(BERT_BASE, n_layers=1, width=32, n_heads=2, inner_width=64, max_positions=16)
HAN = "望澜听松枫林沁河翠湖凤凰金桥玉泉"


def triples(n: int) -> tuple[list[str], Triples]:
    """A road with a number, the same in another form, and with another number."""
    rng = np.random.default_rng(0)
    texts, areas = [], []
    for _ in range(n):
        road = "".join(rng.choice(list(HAN), 2))
        number = int(rng.integers(10, 60))
        texts += [f"{road}路{number}号", f"北京{number}号{road}路", f"{road}路{number + 30}号"]
        areas.append(int(rng.integers(3)))
    first = np.arange(0, 3 * n, 3)
    places = np.stack([np.arange(n), np.arange(n) + n])
    return texts, Triples(first, first + 1, first + 2, places, np.array(areas))


def training(n: int = 600, **how: Any) -> tuple[Embedder, Training, list[str]]:
    """A small encoder, and what it learns from."""
    texts, found = triples(n)
    tokenizer = from_vocabulary(words(texts), 16)
    torch.manual_seed(0)
    config = replace(TINY, vocab_size=tokenizer.n_tokens)
    model = Embedder(Encoder(config, dropout=0.0))
    items = Items(tokenizer.texts(texts), {}, has_segments=False)
    return model, Training(model, items, found, held_out=40, size=32, n_areas=2, **how), texts


def learn(prepared: Training, state: Path, n_epochs: int = 1, learning_rate: float = 5e-3) -> Any:
    """Train with what suits so small an encoder."""
    return prepared.learn(
        n_epochs=n_epochs,
        learning_rate=learning_rate,
        state=state,
        content="a",
        on_step=lambda _step, _loss: None,
    )


def test_partners_are_found_after_learning(tmp_path: Path) -> None:
    """Among all partners and all that looks like them."""
    [(without,)] = learn(training()[1], tmp_path / "without", learning_rate=1e-9)
    [_, (learned,)] = learn(training()[1], tmp_path / "learned", 2)
    assert without < 0.5
    assert learned > 0.95


def test_vectors_have_length_one_in_the_order_of_the_texts() -> None:
    """Although texts of like length are encoded together."""
    _, prepared, texts = training()
    places = np.array([5, 0, 301, 2])
    found = prepared.vectors(places)
    assert found.norm(dim=1).tolist() == pytest.approx([1.0] * 4)
    for row, place in enumerate(places):
        assert torch.allclose(found[row], prepared.vectors(np.array([place]))[0], atol=1e-5)
    assert len(texts[5]) != len(texts[301]) or len(texts[0]) != len(texts[301])


def test_padding_changes_no_vector() -> None:
    """Only tokens count in the mean."""
    model, _, _ = training()
    ids = torch.tensor([[2, 40, 41, 3]])
    given = {"ids": ids, "mask": torch.ones_like(ids), "segments": torch.zeros_like(ids)}
    wide = {name: torch.nn.functional.pad(value, (0, 5)) for name, value in given.items()}
    assert torch.allclose(model(given), model(wide), atol=1e-5)


def cosine(*rows: list[float]) -> Any:
    """Rows at length 1."""
    return torch.nn.functional.normalize(torch.tensor(rows, dtype=torch.float32), dim=1)


def test_the_loss_is_low_where_partners_are_nearest() -> None:
    """And high where another is."""
    near = cosine([1, 0, 0], [0, 1, 0])
    far = cosine([0, 1, 0], [1, 0, 0])
    other = cosine([0, 0, 1], [0, 0, 1])
    places = torch.tensor([0, 1]), torch.tensor([2, 3])
    assert loss(near, near, other, places) < 0.01
    assert loss(near, far, other, places) > 1 / TEMPERATURE / 2


def test_a_near_negative_costs() -> None:
    """What looks like the anchor must be far from it."""
    own = cosine([1, 0, 0], [0, 1, 0])
    places = torch.tensor([0, 1]), torch.tensor([2, 3])
    assert loss(own, own, own, places) > 0.5


def test_another_text_of_the_place_is_no_wrong_choice() -> None:
    """Two triples of one place, or a negative that means the anchor's."""
    own = cosine([1, 0, 0], [1, 0, 0])
    other = cosine([1, 0, 0], [0, 0, 1])
    one = torch.tensor([7, 7]), torch.tensor([7, 3])
    two = torch.tensor([7, 8]), torch.tensor([9, 3])
    assert loss(own, own, other, one) < 0.01
    assert loss(own, own, other, two) > 0.5


def test_the_loss_is_the_same_both_ways_round() -> None:
    """Neither text of a place comes first."""
    torch.manual_seed(1)
    left, right, other = (torch.nn.functional.normalize(torch.randn(6, 8)) for _ in range(3))
    places = torch.arange(6), torch.arange(6, 12)
    assert loss(left, right, other, places) == pytest.approx(
        float(loss(right, left, other, places))
    )


def test_a_batch_has_equal_parts_from_its_areas() -> None:
    """What is near is hard to tell apart; what is held out is not learned from."""
    _, prepared, _ = training()
    areas = prepared._triples.areas
    for chosen in prepared._plan(0):
        assert len(chosen) == 32
        assert len(set(areas[chosen[:16]])) <= 2  # a part may reach over the end of an area
        assert min(chosen) >= 40


def test_every_epoch_has_another_order() -> None:
    """And the same epoch the same."""
    _, prepared, _ = training()
    first, second = prepared._plan(0), prepared._plan(1)
    assert any(not np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(first, prepared._plan(0), strict=True))


def test_another_seed_has_another_order() -> None:
    """Where there is a choice."""
    one, other = training(seed=0)[1], training(seed=1)[1]
    assert not np.array_equal(one._plan(0)[0], other._plan(0)[0])
