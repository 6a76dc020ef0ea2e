"""The progress bar."""

import sys
from contextlib import closing

import pytest

from menpai.cli import progress
from menpai.cli.progress import Bar, waiting
from menpai.jobs.run import Progress

STEP = Progress(n_rows=12_000, n_failed=2, rate_per_s=3400, remaining_s=3725, fraction=0.5)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars appear without waiting a second."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0)


def shown(capsys: pytest.CaptureFixture[str], *, quiet: bool = False, forced: bool = False) -> str:
    """What a bar writes to stderr."""
    with closing(Bar(quiet=quiet, forced=forced)) as bar:
        bar.show(STEP)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.usefixtures("at_once")
def test_bar_tells_rows_speed_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    """A forced bar is written even where no terminal is."""
    text = shown(capsys, forced=True)
    assert "12,000 rows, 3,400/s, 1:02:05 left, 2 failed" in text


@pytest.mark.usefixtures("at_once")
def test_no_bar_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gets one, a file does not, and nobody who wants quiet."""
    assert shown(capsys) == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "12,000 rows" in shown(capsys)
    assert shown(capsys, quiet=True) == ""


def test_no_bar_in_the_first_second(capsys: pytest.CaptureFixture[str]) -> None:
    """What is done at once needs none."""
    assert shown(capsys, forced=True) == ""


def test_waiting_shows_on_terminals_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something of unknown length is named, where anybody can see it."""
    with waiting("reading", quiet=False):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with waiting("reading", quiet=True):
        pass
    assert capsys.readouterr().err == ""
    with waiting("reading", quiet=False):
        pass
    assert "reading" in capsys.readouterr().err
