"""How a sentence encoder makes one vector of a text: modules.json and what it points to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from menpai.errors import ModelError
from menpai.model.folder import read_json

if TYPE_CHECKING:
    from pathlib import Path

Pooling = Literal["cls", "mean", "max"]
POOLINGS: tuple[Pooling, ...] = ("cls", "mean", "max")
_FLAGS: dict[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}


def recipe(folder: Path) -> Pooling | None:
    """Read modules.json; None for a folder without it, a plain encoder.

    That a module scales vectors to unit length is not told: every vector is given at that length.

    Raises:
        ModelError: A module, or a way of pooling, that is not supported.
    """
    modules = read_json(folder / "modules.json", kind=list)
    pooling: Pooling | None = None
    for module in modules or ():
        name = _class_name(module)
        if name == "Pooling":
            pooling = _pooling(folder / str(module.get("path", "1_Pooling")) / "config.json")
        elif name not in {"Transformer", "Normalize"}:
            raise ModelError(f"modules.json: a module {name!r} is not supported")
    return pooling


def _class_name(module: Any) -> str:
    if not isinstance(module, dict):
        raise ModelError("modules.json is not a list of modules")
    return str(module.get("type", "")).rpartition(".")[2]


def _pooling(path: Path) -> Pooling:
    values = read_json(path)
    if values is None:
        raise ModelError(f"modules.json names {path.parent.name}, which has no config.json")
    mode = values.get("pooling_mode")
    names = [mode] if isinstance(mode, str) else mode
    if not isinstance(names, list):
        names = [key for key, value in values.items() if _is_on(key, value)]
    if len(names) != 1:
        raise ModelError(f"{path.parent.name}: one way of pooling is supported, not {names}")
    return check_pooling(_FLAGS.get(str(names[0]), str(names[0])), path.parent.name)


def _is_on(key: str, value: object) -> bool:
    return key.startswith("pooling_mode_") and value is True


def check_pooling(name: str, where: str) -> Pooling:
    """Give the name back where it is one that is supported."""
    for known in POOLINGS:
        if name == known:
            return known
    raise ModelError(f"{where}: pooling {name!r} is not supported, only {', '.join(POOLINGS)}")
