"""Every error that menpai raises on purpose, each with a stable code."""

from __future__ import annotations

from typing import ClassVar


class MenpaiError(Exception):
    """The base of all errors of this library.

    Attributes:
        code: A stable word for programs; the message is for people and may change.
        retryable: Whether the same call may succeed later.
        field: The argument, column or setting that was wrong, where there is one.
        row: The row of the table that was wrong, counted from 1, where there is one.
    """

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, field: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.row = row

    def to_dict(self) -> dict[str, dict[str, object]]:
        """Give the error as the contract's JSON object."""
        return {
            "error": {
                "code": self.code,
                "message": str(self),
                "field": self.field,
                "row": self.row,
                "retryable": self.retryable,
            }
        }


class InputError(MenpaiError, ValueError):
    """What was given is not what the call takes."""

    code = "bad_input"


class ConfigError(MenpaiError, ValueError):
    """An option has a value that it cannot have."""

    code = "bad_config"


class TableError(InputError):
    """A table, or one row of it, cannot be read."""

    code = "bad_table"


class StorageError(MenpaiError):
    """A file cannot be written, or another process holds it."""

    code = "storage"
    retryable = True


class MissingExtraError(MenpaiError, ImportError):
    """A package is needed that the base installation does not bring; the message says which."""

    code = "missing_extra"


class DataError(MenpaiError):
    """Data that was installed with the library is damaged."""

    code = "bad_data"


class ModelError(MenpaiError):
    """A checkpoint cannot be used: it is incomplete, damaged, or of another kind."""

    code = "bad_model"


class NonFiniteError(MenpaiError):
    """A model gave no finite number for an item, in full precision either."""

    code = "non_finite"


class MemoryLimitError(MenpaiError):
    """One item alone does not fit into memory."""

    code = "out_of_memory"
    retryable = True
