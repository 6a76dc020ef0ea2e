"""How sure answers are: a temperature that is there is found, and true sureness has no error."""

import numpy as np
import pytest

from menpai.model.golden import softmax
from menpai.train.calibrate import calibration_error, loss, reliability, temperature

RANDOM = np.random.default_rng(0)
LOGITS = RANDOM.normal(0, 2, (20_000, 3))


def drawn(logits: np.ndarray) -> np.ndarray:
    """Labels as often as the logits say."""
    return (RANDOM.random((len(logits), 1)) > softmax(logits).cumsum(axis=1)[:, :2]).sum(axis=1)


@pytest.mark.parametrize("known", [0.5, 1.0, 1.7, 3.0])
def test_a_known_temperature_is_found(known: float) -> None:
    """From logits that were multiplied by it."""
    wanted = drawn(LOGITS)
    assert temperature(LOGITS * known, wanted) == pytest.approx(known, rel=0.05)


def test_temperature_makes_labels_likelier() -> None:
    """Never less likely than they were."""
    wanted = drawn(LOGITS)
    found = temperature(LOGITS * 2.5, wanted)
    assert loss(softmax(LOGITS * 2.5 / found), wanted) < loss(softmax(LOGITS * 2.5), wanted)


def test_true_sureness_has_no_error() -> None:
    """And too much of it has."""
    wanted = drawn(LOGITS)
    assert calibration_error(softmax(LOGITS), wanted) < 0.01
    assert calibration_error(softmax(LOGITS * 3), wanted) > 0.1


def test_error_by_hand() -> None:
    """Two bins: sure by 0.9 and always right, sure by 0.6 and right once in two."""
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.4, 0.6]])
    wanted = np.array([0, 0, 1, 1])
    assert calibration_error(probabilities, wanted) == pytest.approx(0.5 * 0.1 + 0.5 * 0.1)
    assert calibration_error(np.array([[1.0, 0.0]]), np.array([0])) == 0.0
    assert calibration_error(np.array([[1.0, 0.0]]), np.array([1])) == 1.0


def test_reliability_by_hand() -> None:
    """How many, how sure, how often right; empty bins are left out."""
    probabilities = np.array([[0.9, 0.1], [0.95, 0.05], [0.6, 0.4], [0.4, 0.6]])
    unsure, sure = reliability(probabilities, np.array([0, 0, 1, 1]))
    assert (unsure.n, unsure.sure, unsure.right) == (2, pytest.approx(0.6), 0.5)
    assert (sure.n, sure.sure, sure.right) == (2, pytest.approx(0.925), 1.0)


def test_loss_of_a_label_that_was_ruled_out_is_finite() -> None:
    """A probability of nothing has no logarithm."""
    assert 20 < loss(np.array([[1.0, 0.0]]), np.array([1])) < 40
