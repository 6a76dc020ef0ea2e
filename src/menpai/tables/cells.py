"""How a value is written: as JSON, and as a cell of a flat table."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time

FORMULA_STARTS = frozenset("=+-@\t\r＝＋－＠")
"""First characters that make a spreadsheet run a text, with their full-width forms."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def _plain(value: object) -> object:
    """What JSON has no form for: times in ISO form, bytes as hexadecimal, the rest as text."""
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


# One encoder for all rows: json.dumps would build a new one for each call with these settings.
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain).encode


def to_json(value: object) -> str:
    """Write a value as JSON on one line; numbers that are not finite become null.

    Half a character (a lone surrogate) is written as an escape, as it cannot be encoded.
    """
    try:
        text = _ENCODE(value)
    except ValueError:
        text = _ENCODE(_finite(value))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(_finite(value), default=_plain)
    return text


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def to_cell(value: object) -> str:
    """Write a value as a cell of CSV or TSV: nothing for null, nested values as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, (bool, list, tuple, Mapping)):
        return to_json(value)
    return str(_plain(value))


def harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    Numbers with a sign, such as -3 or +8613012345678, stay as they are.
    """
    if text and text[0] in FORMULA_STARTS and not _NUMBER.fullmatch(text):
        return "'" + text
    return text
