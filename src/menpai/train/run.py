"""A training from beginning to end: into a new folder, and on from where it was interrupted."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from menpai.errors import ConfigError, MissingExtraError, StorageError
from menpai.lock import locked
from menpai.machine import n_cpus
from menpai.model.convert import folder_aside
from menpai.model.manifest import Manifest
from menpai.model.weights import INSTALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from menpai.evaluation.conll import Tagged
    from menpai.train.options import Options
    from menpai.train.rows import Read


def check(checkpoint: Path, out: Path, options: Options) -> None:
    """Refuse what would be refused after long work: call it before a table is read.

    Raises:
        ConfigError: An option is out of its range.
        MissingExtraError: The extra torch is not installed.
        ModelError: `checkpoint` is no converted checkpoint.
        StorageError: `out` is there already.
    """
    options.check()
    if find_spec("torch") is None:
        raise MissingExtraError(f"training needs torch: {INSTALL}")
    _check_free(out)
    Manifest.read(checkpoint)


def train_pairs(  # noqa: PLR0913 -- what goes in, what comes out, and how
    read: Read,
    checkpoint: Path,
    out: Path,
    options: Options,
    *,
    n_threads: int | None = None,
    resume: bool = True,
    notify: Callable[[float, str], None] = lambda _share, _text: None,
) -> dict[str, Any]:
    """Train a model of pairs; see `menpai.train.pairs.train`.

    Args:
        read: Labelled pairs and their groups.
        checkpoint: The converted checkpoint that learning begins with.
        out: A folder that is not there yet. Until it is, what an interrupted training goes on from
            lies beside it, in a folder of its name and ".training".
        options: How.
        n_threads: Processors to use; all that this process may if None.
        resume: Whether to go on from an interrupted training.
        notify: Told of the share that is done, and of what is being done.

    Raises:
        StorageError: `out` is there already, or cannot be written.
        MissingExtraError: The extra torch is not installed.
        ConfigError: A choice is out of its range.
        ModelError: `checkpoint` cannot be used.
        InputError: The pairs are too few, or of one label, or cannot be held out from each other.
    """
    with _new_folder(checkpoint, out, options, n_threads, resume=resume) as (aside, state):
        from menpai.train.pairs import train  # needs torch, which was looked for now

        return train(
            read.pairs,
            read.groups,
            checkpoint,
            aside,
            options,
            state=state,
            n_left_out=len(read.errors),
            notify=notify,
        )


def train_elements(  # noqa: PLR0913 -- what goes in, what comes out, and how
    texts: Sequence[Tagged],
    checkpoint: Path,
    out: Path,
    options: Options,
    *,
    n_threads: int | None = None,
    resume: bool = True,
    notify: Callable[[float, str], None] = lambda _share, _text: None,
) -> dict[str, Any]:
    """Train a tagger; see `menpai.train.elements.train`, and `train_pairs` for the rest."""
    with _new_folder(checkpoint, out, options, n_threads, resume=resume) as (aside, state):
        from menpai.train.elements import train

        return train(texts, checkpoint, aside, options, state=state, notify=notify)


@contextmanager
def _new_folder(
    checkpoint: Path, out: Path, options: Options, n_threads: int | None, *, resume: bool
) -> Iterator[tuple[Path, Path]]:
    """Give a folder that becomes `out` when all went well, and that of the state."""
    check(checkpoint, out, options)
    if n_threads is not None and n_threads < 1:
        raise ConfigError(f"n_threads {n_threads}: at least one", field="n_threads")
    out = out.resolve()
    state = out.with_name(f"{out.name}.training")
    with _alone(state):
        if not resume:
            shutil.rmtree(state, ignore_errors=True)
        with _torch(n_cpus() if n_threads is None else n_threads), folder_aside(out) as aside:
            yield aside, state
            _check_free(out)  # made by others meanwhile, it would be replaced
        shutil.rmtree(state, ignore_errors=True)


@contextmanager
def _alone(state: Path) -> Iterator[None]:
    """Keep other trainings away from a state: two of them would write over each other's steps.

    Raises:
        StorageError: One is going on, or the folder cannot be written.
    """
    with ExitStack() as held:
        try:
            state.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(state.with_name(f"{state.name}.lock"), state.name))
        except OSError as error:
            raise StorageError(f"cannot write {state}: {error.strerror or error}") from error
        yield


def _check_free(out: Path) -> None:
    if out.exists():
        raise StorageError(f"{out} is in the way: training writes a new folder")


@contextmanager
def _torch(n_threads: int) -> Iterator[None]:
    """Set torch's threads and chance for a while: both are the whole process's."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(before)
