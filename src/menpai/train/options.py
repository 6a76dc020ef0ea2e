"""How a model learns."""

from __future__ import annotations

import math
from dataclasses import dataclass

from menpai.errors import ConfigError

_GREATEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Options:
    """How pairs are learned from; every choice has a default that suits a small encoder.

    Attributes:
        n_epochs: Times that every pair is seen at most.
        learning_rate: The highest one.
        max_tokens: Padded tokens of a step's batch.
        max_length: Tokens read of a pair; as the base reads if None.
        valid: Share of the groups that decides when to stop, and how sure the answers are.
        test: Share of the groups that the figures are taken from.
        patience: Epochs without a better macro-F1, or with the same a better likelihood, after
            which training ends.
        seed: Another one gives another split, another order and another beginning.
    """

    n_epochs: int = 6
    learning_rate: float = 3e-4
    max_tokens: int = 3072
    max_length: int | None = None
    valid: float = 0.1
    test: float = 0.1
    patience: int = 2
    seed: int = 0

    def check(self) -> None:
        """Refuse what makes no sense.

        Raises:
            ConfigError: A choice is out of its range.
        """
        for name in ("n_epochs", "max_tokens", "patience"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1", field=name)
        if not 0 <= self.seed <= _GREATEST_SEED:
            raise ConfigError(f"seed must be 0 to {_GREATEST_SEED}", field="seed")
        if not 0 < self.learning_rate < math.inf:
            raise ConfigError("learning_rate must be a number above 0", field="learning_rate")
        for name in ("valid", "test"):
            if not (getattr(self, name) > 0 and self.valid + self.test < 1):
                raise ConfigError(
                    "valid and test are shares above 0 that leave something to learn from",
                    field=name,
                )
