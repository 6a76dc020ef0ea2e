"""Small files of a checkpoint folder, read with errors that name them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from menpai.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path


def read_json(path: Path, kind: type[dict[Any, Any] | list[Any]] = dict) -> Any:
    """Read a JSON file; None where there is no such file.

    Raises:
        ModelError: It is no JSON, or its outermost value is of another kind.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be read as JSON") from error
    if not isinstance(values, kind):
        raise ModelError(f"{path.name} holds {type(values).__name__}, not {kind.__name__}")
    return values
