"""The errors: what programs read of them."""

from __future__ import annotations

import pytest

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

KINDS = [
    (InputError, "bad_input", ValueError, False),
    (ConfigError, "bad_config", ValueError, False),
    (TableError, "bad_table", InputError, False),
    (StorageError, "storage", MenpaiError, True),
    (MissingExtraError, "missing_extra", ImportError, False),
    (DataError, "bad_data", MenpaiError, False),
    (ModelError, "bad_model", MenpaiError, False),
    (NonFiniteError, "non_finite", MenpaiError, False),
    (MemoryLimitError, "out_of_memory", MenpaiError, True),
]


@pytest.mark.parametrize(("kind", "code", "base", "retryable"), KINDS)
def test_each_kind_has_a_code_and_a_builtin_base(
    kind: type[MenpaiError], code: str, base: type[Exception], *, retryable: bool
) -> None:
    """Callers may catch the built-in error; programs read the code."""
    assert (kind.code, kind.retryable) == (code, retryable)
    assert issubclass(kind, base)
    assert issubclass(kind, MenpaiError)


def test_every_subclass_is_listed_with_a_code_of_its_own() -> None:
    """A new error needs a row above, and its code says what no other says."""
    kinds = set(MenpaiError.__subclasses__()) | set(InputError.__subclasses__())
    assert kinds == {kind for kind, *_ in KINDS}
    assert len({kind.code for kind in kinds} | {MenpaiError.code}) == len(kinds) + 1


def test_to_dict_is_the_contract() -> None:
    """The JSON form carries message, field and row; what is unknown is null."""
    assert TableError("列 地址 没有", field="地址", row=3).to_dict() == {
        "error": {
            "code": "bad_table",
            "message": "列 地址 没有",
            "field": "地址",
            "row": 3,
            "retryable": False,
        }
    }
    bare = InputError("no").to_dict()["error"]
    assert (bare["field"], bare["row"]) == (None, None)
