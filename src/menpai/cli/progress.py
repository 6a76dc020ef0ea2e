"""A progress bar on stderr for what takes longer than a second."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from menpai.jobs.run import Progress

PATIENCE_S: Final = 1.0


class Bar:
    """A bar that appears after a second, if anybody can see it.

    Args:
        quiet: Never show it.
        forced: Show it even where stderr is no terminal.
    """

    def __init__(self, *, quiet: bool, forced: bool) -> None:
        self._wanted = forced or (not quiet and sys.stderr.isatty())
        self._forced = forced
        self._start_s = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: "Progress") -> None:
        """Show how far a job is."""
        rest_s = progress.remaining_s
        left = "" if rest_s is None else f", {_clock(rest_s)} left"
        failed = f", {progress.n_failed:,} failed" if progress.n_failed else ""
        text = f"{progress.n_rows:,} rows, {progress.rate_per_s:,.0f}/s{left}{failed}"
        self.update(progress.fraction, text)

    def update(self, fraction: float | None, text: str) -> None:
        """Show a share of the whole, if it is known, and a text."""
        if not self._wanted or time.monotonic() - self._start_s < PATIENCE_S:
            return
        if self._bar is None:
            self._start()
        self._bar.update(self._task, completed=fraction, text=text)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, force_terminal=self._forced or None)
        self._bar = Progress(
            BarColumn(), TextColumn("{task.fields[text]}"), console=console, transient=True
        )
        self._task = self._bar.add_task("", total=1.0, text="")
        self._bar.start()


@contextmanager
def waiting(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal that something of unknown length is going on."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
