"""Steps of training: on from where it stopped, over when it gets no better, the best is left."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.errors import ModelError, StorageError
from menpai.train.loop import STATE, Figure, Loop, Plan, _rate

PLAN = Plan(n_epochs=4, n_steps=5, learning_rate=0.05, patience=9)
OFTEN = replace(PLAN, save_s=0.0)
X = torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
Y = (X[:, :1] * X[:, 1:2] > 0).float()


class Stop(Exception):  # noqa: N818 -- no error
    """What interrupts."""


class Learning:
    """A small model with dropout, whose every run begins the same."""

    def __init__(
        self,
        folder: Path,
        plan: Plan = PLAN,
        figure_of: Callable[[], Figure] | None = None,
        width: int = 8,
        factor: float = 1.0,
    ) -> None:
        torch.manual_seed(7)
        nn = torch.nn
        layers = (nn.Linear(6, width), nn.Dropout(0.3), nn.Tanh(), nn.Linear(width, 1))
        self.model = nn.Sequential(*layers)
        self.factor = factor
        self.steps: list[int] = []
        self.losses: list[float] = []
        self.loop = Loop(self.model, self._loss, figure_of or self._figure, plan, folder)

    def _loss(self, step: int) -> Any:
        start = (step * 13) % 48
        found = self.model(X[start : start + 16])
        wanted = Y[start : start + 16]
        return torch.nn.functional.binary_cross_entropy_with_logits(found, wanted) * self.factor

    def _figure(self) -> Figure:
        with torch.inference_mode():
            return (float(-(self.model(X).sigmoid() - Y).abs().mean()),)

    def run(self, stop_at: int | None = None) -> list[Figure]:
        """Learn, if need be until a step."""

        def on_step(step: int, loss: float) -> None:
            if step == stop_at:
                raise Stop
            self.steps.append(step)
            self.losses.append(loss)

        return self.loop.run(on_step)

    def state(self) -> list[float]:
        """All parameters."""
        return [float(v) for p in self.model.state_dict().values() for v in p.flatten()]


def given(figures: list[Figure]) -> Callable[[], Figure]:
    """Figures as they are wanted, one epoch after the other."""
    left = iter(figures)
    return lambda: next(left)


# ---- Interrupted ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stop_at", [0, 3, 5, 12, 19])
def test_interrupted_training_ends_as_any_other(tmp_path: Path, stop_at: int) -> None:
    """Bit for bit, with dropout, and however often it is interrupted."""
    whole = Learning(tmp_path / "whole", OFTEN)
    figures = whole.run()
    with pytest.raises(Stop):
        Learning(tmp_path / "parts", OFTEN).run(stop_at)
    with pytest.raises(Stop):
        Learning(tmp_path / "parts", OFTEN).run(19)
    resumed = Learning(tmp_path / "parts", OFTEN)
    assert resumed.run() == figures
    assert resumed.state() == whole.state()
    assert resumed.steps == [19]


def test_what_others_draw_changes_nothing(tmp_path: Path) -> None:
    """Chance hangs on seed and step alone."""
    whole = Learning(tmp_path / "whole")
    whole.run()
    other = Learning(tmp_path / "other")
    torch.rand(17)
    other.run()
    assert other.state() == whole.state()


def test_finished_training_is_not_begun_again(tmp_path: Path) -> None:
    """As after an interruption while the checkpoint was written."""
    first = Learning(tmp_path)
    figures = first.run()
    again = Learning(tmp_path)
    assert again.run() == figures
    assert (again.state(), again.steps) == (first.state(), [])


def test_save_s_is_used(tmp_path: Path) -> None:
    """Between two epochs nothing is kept if that is not asked for."""
    for save_s, first in ((1e9, 10), (0.0, 13)):
        folder = tmp_path / str(save_s)
        plan = replace(PLAN, save_s=save_s)
        with pytest.raises(Stop):
            Learning(folder, plan).run(13)
        resumed = Learning(folder, plan)
        resumed.run()
        assert resumed.steps[0] == first


@pytest.mark.parametrize(
    "other",
    [
        {"n_epochs": 5},
        {"n_steps": 6},
        {"learning_rate": 0.01},
        {"warm_up": 0.5},
        {"weight_decay": 0.5},
        {"patience": 1},
        {"seed": 1},
        {"content": "other"},
    ],
)
def test_another_plan_is_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    """With what to do; the state is left as it was."""
    Learning(tmp_path).run()
    before = (tmp_path / STATE).read_bytes()
    with pytest.raises(StorageError, match="another training; remove"):
        Learning(tmp_path, replace(PLAN, **other)).run()
    assert (tmp_path / STATE).read_bytes() == before


def test_another_model_is_refused(tmp_path: Path) -> None:
    """As a state that cannot be gone on from."""
    Learning(tmp_path).run()
    with pytest.raises(StorageError, match="remove"):
        Learning(tmp_path, width=9).run()


@pytest.mark.parametrize("content", [b"", b"no state", None])
def test_damaged_state_is_refused(tmp_path: Path, content: bytes | None) -> None:
    """With what to do; nothing is begun anew in silence."""
    Learning(tmp_path).run()
    path = tmp_path / STATE
    path.write_bytes(path.read_bytes()[:900] if content is None else content)
    with pytest.raises(StorageError, match="remove"):
        Learning(tmp_path).run()


def test_state_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A folder is in its place."""
    (tmp_path / f"{STATE}.partial").mkdir()
    with pytest.raises(StorageError, match="cannot write"):
        Learning(tmp_path).run()


# ---- When it ends, and with what -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("patience", "figures", "n_epochs"),
    [
        (2, [0.5, 0.6, 0.4, 0.5], 4),
        (2, [0.5, 0.5, 0.5], 3),
        (1, [0.5, 0.4], 2),
        (2, [0.5, 0.4, 0.6, 0.5, 0.7, 0.8], 6),
        (3, [0.0, 0.0, 0.0, 0.0], 4),
        (2, [-3.0, -2.0, -2.5, -2.2], 4),
    ],
)
def test_patience_is_used(
    tmp_path: Path, patience: int, figures: list[float], n_epochs: int
) -> None:
    """Epochs without a better figure, and as good is not better."""
    plan = replace(PLAN, n_epochs=6, patience=patience)
    learning = Learning(tmp_path, plan, given([(figure,) for figure in figures]))
    assert len(learning.run()) == n_epochs
    assert len(learning.steps) == n_epochs * plan.n_steps


def test_later_numbers_decide_between_equals(tmp_path: Path) -> None:
    """So that what only seems to stand still goes on."""
    figures = [(0.3, -3.0), (0.3, -2.0), (0.3, -1.0), (0.2, 0.0), (0.3, -1.5)]
    learning = Learning(tmp_path, replace(PLAN, n_epochs=6, patience=2), given(figures))
    assert learning.run() == figures


def test_the_best_is_left_and_not_the_last(tmp_path: Path) -> None:
    """Also after an interruption."""
    figures = [(0.1,), (0.9,), (0.2,), (0.3,)]
    seen: list[list[float]] = []
    source = given(figures)

    def figure_of() -> Figure:
        seen.append(learning.state())
        return source()

    learning = Learning(tmp_path, OFTEN, figure_of)
    with pytest.raises(Stop):
        learning.run(17)
    learning = Learning(tmp_path, OFTEN, figure_of)
    assert learning.run() == figures
    assert learning.state() == seen[1]
    assert learning.state() != seen[3]
    assert not learning.model.training


def test_figures_are_taken_without_dropout(tmp_path: Path) -> None:
    """And learning goes on with it."""
    modes: list[bool] = []

    def figure_of() -> Figure:
        modes.append(learning.model.training)
        return (0.0,)

    learning = Learning(tmp_path, PLAN, figure_of)
    learning.run()
    assert modes == [False] * 4


def test_it_learns(tmp_path: Path) -> None:
    """The loss falls."""
    learning = Learning(tmp_path, replace(PLAN, n_epochs=25))
    learning.run()
    assert sum(learning.losses[-20:]) < 0.8 * sum(learning.losses[:20])


def test_a_loss_that_is_no_number_ends_it(tmp_path: Path) -> None:
    """Whatever is learned after it would be no number either."""
    with pytest.raises(ModelError, match="learning_rate"):
        Learning(tmp_path, factor=float("nan")).run()
    assert not (tmp_path / STATE).exists()


def test_learning_rate_rises_and_falls() -> None:
    """In a line up over its share, and in a line down to nothing."""
    plan = replace(PLAN, n_epochs=10, n_steps=10, warm_up=0.2)
    rates = [_rate(step, plan) for step in range(101)]
    assert rates[:20] == pytest.approx([(i + 1) / 20 for i in range(20)])
    assert rates[20:] == pytest.approx([1 - i / 80 for i in range(81)])
    assert _rate(0, replace(plan, warm_up=0.0)) == 1.0


@pytest.mark.parametrize("other", [{"learning_rate": 0.001}, {"weight_decay": 5.0}, {"seed": 1}])
def test_choices_are_used(tmp_path: Path, other: dict[str, Any]) -> None:
    """Each gives another model."""
    usual, changed = Learning(tmp_path / "a"), Learning(tmp_path / "b", replace(PLAN, **other))
    usual.run()
    changed.run()
    assert usual.state() != changed.state()


def test_a_large_gradient_moves_no_further(tmp_path: Path) -> None:
    """One odd batch must not undo the rest."""
    usual, large = Learning(tmp_path / "a"), Learning(tmp_path / "b", factor=1e4)
    usual.run()
    large.run()
    assert max(map(abs, large.state())) < 3 * max(map(abs, usual.state()))
