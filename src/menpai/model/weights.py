"""Weights on disk: pytorch_model.bin and safetensors, whole or in shards, as float32 arrays.

The one door of the libraries that read them. A .bin file is a pickle: it is read with torch's
`weights_only`, which runs nothing that the file brings along.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from menpai.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SAFE = "model.safetensors"
PICKLED = "pytorch_model.bin"
INSTALL = 'pip install "menpai[torch]"'


class WeightFile(Protocol):
    """One opened file of weights."""

    def keys(self) -> Iterable[str]:
        """Names of the weights that it holds."""
        ...

    def array(self, key: str) -> NDArray[np.float32]:
        """One weight, as float32 whatever it is stored as."""
        ...


def files(folder: Path) -> list[Path]:
    """The files that hold a folder's weights: safetensors where there are both kinds.

    Raises:
        ModelError: There are none, or a shard of an index is not there.
    """
    for name in (SAFE, PICKLED):
        whole, index = folder / name, folder / f"{name}.index.json"
        if whole.is_file():
            return [whole]
        if index.is_file():
            return _shards(index)
    raise ModelError(f"no weights in {folder}: neither {SAFE} nor {PICKLED}, whole or in shards")


def _shards(index: Path) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelError(f"{index.name} cannot be read: it has no weight_map") from error
    paths = [index.parent / name for name in names]
    for path in paths:
        if path.parent != index.parent:
            raise ModelError(f"{index.name} names a shard outside of its folder: {path.name}")
        if not path.is_file():
            raise ModelError(f"{index.name} names a shard that is not there: {path.name}")
    return paths


class Weights:
    """All weights of a folder, read one by one when asked for."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._homes: dict[str, WeightFile] = {}
        for path in paths:
            opened = _open(path)
            self._homes.update(dict.fromkeys(opened.keys(), opened))

    def keys(self) -> list[str]:
        """Names of all weights, in the order of the files."""
        return list(self._homes)

    def array(self, key: str) -> NDArray[np.float32]:
        """One weight as float32."""
        return self._homes[key].array(key)


def _open(path: Path) -> WeightFile:
    opener: Callable[[Path], WeightFile] = (
        _Safetensors if path.suffix == ".safetensors" else _Pickled
    )
    try:
        return opener(path)
    except (MissingExtraError, ModelError):
        raise
    except Exception as error:
        raise ModelError(
            f"{path.name} cannot be read: it is damaged or cut short, or no file of weights "
            f"({type(error).__name__})"
        ) from error


class _Safetensors:
    def __init__(self, path: Path) -> None:
        try:
            import safetensors
        except ImportError as error:
            raise MissingExtraError(
                f"reading {path.name} needs the package safetensors: {INSTALL}"
            ) from error
        self._file: Any = _untyped(safetensors).safe_open(path, framework="np")
        self._keys = list(self._file.keys())

    def keys(self) -> list[str]:
        return self._keys

    def array(self, key: str) -> NDArray[np.float32]:
        # numpy has no bfloat16 of its own: safetensors gives it through ml_dtypes, or refuses.
        try:
            return np.asarray(self._file.get_tensor(key)).astype(np.float32)
        except (TypeError, ValueError) as error:
            raise ModelError(f"weight {key} is of a type that cannot be read: {error}") from error


class _Pickled:
    def __init__(self, path: Path) -> None:
        try:
            import torch
        except ImportError as error:
            raise MissingExtraError(f"reading {path.name} needs torch: {INSTALL}") from error
        state = torch.load(path, map_location="cpu", weights_only=True, mmap=_is_zip(path))
        if isinstance(state, dict) and isinstance(state.get("model"), dict):
            state = state["model"]  # the paper's own files keep the weights under this name
        if not isinstance(state, dict):
            raise ModelError(f"{path.name} holds {type(state).__name__}, not named weights")
        self._state = {k: v for k, v in state.items() if isinstance(v, torch.Tensor)}

    def keys(self) -> list[str]:
        return list(self._state)

    def array(self, key: str) -> NDArray[np.float32]:
        array: NDArray[np.float32] = self._state[key].float().numpy()
        return array


def _untyped(library: Any) -> Any:
    """The library has types for part of what it offers."""
    return library


def _is_zip(path: Path) -> bool:
    """Files written before torch 1.6 are no archives and cannot be mapped into memory."""
    with path.open("rb") as stream:
        return stream.read(2) == b"PK"
