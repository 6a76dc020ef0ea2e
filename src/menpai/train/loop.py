"""Steps of training: optimiser, learning rate, and a state on disk from which it goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from menpai.errors import ModelError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from torch import Tensor, nn

Figure = tuple[float, ...]
"""How good a model is, the more the better; a later number decides where the earlier are equal."""

_CLIP = 1.0
STATE = "state.pt"


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast is learned.

    Attributes:
        n_epochs: Times that everything is seen at most; the learning rate falls to nothing over
            them.
        n_steps: Steps of one epoch.
        learning_rate: The highest one.
        warm_up: Share of all steps over which it rises.
        weight_decay: Of all parameters with more than one dimension.
        patience: Epochs without a better figure after which training ends; as good is not better.
        seed: What dropout depends on.
        save_s: Seconds between two states on disk.
        content: Digest of what is learned, from what and how: a state of anything else is not
            gone on from.
    """

    n_epochs: int
    n_steps: int
    learning_rate: float
    warm_up: float = 0.06
    weight_decay: float = 0.01
    patience: int = 2
    seed: int = 0
    save_s: float = 120.0
    content: str = ""


@dataclass(slots=True)
class _Progress:
    """How far training is."""

    step: int = 0
    figures: list[Figure] = field(default_factory=list)
    best: dict[str, Tensor] | None = None

    def is_over(self, plan: Plan) -> bool:
        if self.step >= plan.n_epochs * plan.n_steps:
            return True
        if not self.figures:
            return False
        best = self.figures.index(max(self.figures))  # the first: as good again is no better
        return len(self.figures) - 1 - best >= plan.patience


class Loop:
    """Trains a model epoch by epoch and keeps its best state.

    Args:
        model: What learns.
        loss_of: The loss of a step's batch, by the step's number.
        figure_of: How good the model is after an epoch.
        plan: How long and how fast.
        folder: Where the state is kept; what lies there is gone on from.
    """

    def __init__(
        self,
        model: nn.Module,
        loss_of: Callable[[int], Tensor],
        figure_of: Callable[[], Figure],
        plan: Plan,
        folder: Path,
    ) -> None:
        self._model = model
        self._loss_of = loss_of
        self._figure_of = figure_of
        self._plan = plan
        self._folder = folder
        self._optimizer = _optimizer(model, plan)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _rate(step, plan)
        )
        self._progress = _Progress()

    def run(self, on_step: Callable[[int, float], None]) -> list[Figure]:
        """Take the steps that are left, and set the model to its best state.

        Args:
            on_step: Told of each step's number and loss.

        Returns:
            The figure after each epoch.

        Raises:
            StorageError: The state in the folder is of another model or plan, or damaged, or none
                can be written.
            ModelError: The loss is no number any more.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._restore()
        saved = time.monotonic()
        while not self._progress.is_over(self._plan):
            step = self._progress.step
            on_step(step, self._step(step))
            self._progress.step += 1
            ends = self._progress.step % self._plan.n_steps == 0
            if ends:
                self._end_epoch()
            if ends or time.monotonic() - saved > self._plan.save_s:
                self._save()
                saved = time.monotonic()
        if self._progress.best is not None:
            self._model.load_state_dict(self._progress.best)
        self._model.eval()
        return self._progress.figures

    def _step(self, step: int) -> float:
        self._model.train()
        torch.manual_seed(self._plan.seed * 1_000_003 + step)
        loss = self._loss_of(step)
        if not torch.isfinite(loss):  # nothing that is learned after it would be a number
            raise ModelError(
                f"the loss is no number at step {step}: a lower learning_rate than "
                f"{self._plan.learning_rate:g} may help"
            )
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # of torch
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), _CLIP)
        self._optimizer.step()
        self._schedule.step()
        return float(loss.item())

    def _end_epoch(self) -> None:
        self._model.eval()
        figure = self._figure_of()
        if not self._progress.figures or figure > max(self._progress.figures):
            state = self._model.state_dict()
            self._progress.best = {name: value.clone() for name, value in state.items()}
        self._progress.figures.append(figure)

    def _parts(self) -> dict[str, Any]:
        return {
            "model": self._model,
            "optimizer": self._optimizer,
            "schedule": self._schedule,
        }

    def _save(self) -> None:
        aside, path = self._folder / f"{STATE}.partial", self._folder / STATE
        state = {
            **{name: part.state_dict() for name, part in self._parts().items()},
            "plan": repr(self._plan),
            "step": self._progress.step,
            "figures": self._progress.figures,
            "best": self._progress.best,
        }
        try:
            torch.save(state, aside)
            aside.replace(path)
        except (OSError, RuntimeError) as error:  # torch has its own error for a full disk
            raise StorageError(f"cannot write {path}") from error

    def _restore(self) -> None:
        path = self._folder / STATE
        if not path.is_file():
            return
        try:
            state = torch.load(path, weights_only=True)
            is_own = state["plan"] == repr(self._plan)
            if is_own:
                for name, part in self._parts().items():
                    part.load_state_dict(state[name])
                self._progress = _Progress(state["step"], state["figures"], state["best"])
        except Exception as error:  # torch has many for a file that is none of its own
            raise StorageError(
                f"{path} cannot be gone on from; remove {self._folder} to start anew"
            ) from error
        if not is_own:
            raise StorageError(
                f"{path} is of another training; remove {self._folder} to start anew"
            )


def _optimizer(model: nn.Module, plan: Plan) -> torch.optim.Optimizer:
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in learned if p.dim() > 1], "weight_decay": plan.weight_decay},
        {"params": [p for p in learned if p.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=plan.learning_rate, betas=(0.9, 0.98), eps=1e-6)


def _rate(step: int, plan: Plan) -> float:
    """Share of the highest learning rate at a step: up in a line, and down in a line."""
    n_steps = plan.n_epochs * plan.n_steps
    rise = max(1, int(plan.warm_up * n_steps))
    if step < rise:
        return (step + 1) / rise
    return max(0.0, (n_steps - step) / max(1, n_steps - rise))
