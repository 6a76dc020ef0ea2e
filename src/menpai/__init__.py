"""Chinese address matching: parse, compare and match addresses, offline.

    >>> import menpai
    >>> menpai.compare("北京市朝阳区望澜路88号", "北京朝阳望澜路88號").label
    'exact_match'

A public name is loaded when it is first used, so that `import menpai` costs next to nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from menpai.address.elements import Address
    from menpai.address.parse import parse
    from menpai.errors import (
        ConfigError,
        DataError,
        InputError,
        MemoryLimitError,
        MenpaiError,
        MissingExtraError,
        ModelError,
        NonFiniteError,
        StorageError,
        TableError,
    )
    from menpai.matching.library import Library
    from menpai.matching.matcher import Matcher, load
    from menpai.matching.results import Comparison, Match
    from menpai.text.normalize import normalize

    __version__: str

__all__ = [
    "Address",
    "Comparison",
    "ConfigError",
    "DataError",
    "InputError",
    "Library",
    "Match",
    "Matcher",
    "MemoryLimitError",
    "MenpaiError",
    "MissingExtraError",
    "ModelError",
    "NonFiniteError",
    "StorageError",
    "TableError",
    "__version__",
    "compare",
    "load",
    "normalize",
    "parse",
]

_HOMES = {
    "Address": "menpai.address.elements",
    "Comparison": "menpai.matching.results",
    "ConfigError": "menpai.errors",
    "DataError": "menpai.errors",
    "InputError": "menpai.errors",
    "Library": "menpai.matching.library",
    "Match": "menpai.matching.results",
    "Matcher": "menpai.matching.matcher",
    "MemoryLimitError": "menpai.errors",
    "MenpaiError": "menpai.errors",
    "MissingExtraError": "menpai.errors",
    "ModelError": "menpai.errors",
    "NonFiniteError": "menpai.errors",
    "StorageError": "menpai.errors",
    "TableError": "menpai.errors",
    "load": "menpai.matching.matcher",
    "normalize": "menpai.text.normalize",
    "parse": "menpai.address.parse",
}


def compare(left: str | Address, right: str | Address) -> Comparison:
    """Compare two addresses with the default matcher.

    For another policy, threshold or region, and for many pairs, make one with `load` and keep it.

    Args:
        left: An address, as a text or parsed.
        right: Another one; the order does not matter.

    Returns:
        Label, score and the reasons for them.
    """
    return _default_matcher().compare(left, right)


@cache
def _default_matcher() -> Matcher:
    from menpai.matching.matcher import load

    return load()


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("menpai")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # from now on found without this function
    return value


def __dir__() -> list[str]:
    return __all__
