"""What the tests of training share: a tiny encoder, and made-up pairs with an easy rule."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from folders import VOCABULARY, hub_encoder

from menpai.evaluation.pairs import LabelledPair

HAN = [sign for sign in VOCABULARY if sign > "\u4e00"]


def numbered(n: int, seed: int = 0) -> list[LabelledPair]:
    """Pairs of a made-up road: exact where the numbers are equal, otherwise none; n of each."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        road, number = "".join(random.choice(HAN, 3)), int(random.integers(10, 90))
        left, other = f"{road}路{number}号", number + int(random.integers(1, 9))
        found.append(LabelledPair(left, f"北京{road}路{number}号", "exact_match"))
        found.append(LabelledPair(left, f"北京{road}路{other}号", "not_match"))
    return found


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Let models that are this small learn on one processor: more wait for each other."""
    if find_spec("torch") is not None:
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def make_pairs() -> Callable[..., list[LabelledPair]]:
    """Make pairs whose numbers decide."""
    return numbered


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder, not to be changed."""
    pytest.importorskip("torch", reason="the extra torch is not installed")
    from menpai.model.convert import convert

    root = tmp_path_factory.mktemp("base")
    hub_encoder(root / "source")
    convert(root / "source", root / "out", int8=False)
    return root / "out"
