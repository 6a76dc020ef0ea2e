"""What is kept of a training: figures beside the checkpoint, and a digest of what it is of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from menpai.train.base import Base
    from menpai.train.options import Options
    from menpai.train.split import Split

FILE = "metrics.json"


def write(
    out: Path, figures: dict[str, Any], split: Split, base: Base, options: Options
) -> dict[str, Any]:
    """Write figures with what they are of, and give all that was written."""
    found = {
        **figures,
        "n": {name: len(places) for name, places in zip(split._fields, split, strict=True)},
        "base_fingerprint": base.manifest.fingerprint,
        "options": asdict(options),
    }
    (out / FILE).write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return found


def digest(split: Split, base: Base, options: Options, *content: object) -> str:
    """Digest of all that a state on disk depends on.

    The split too: gone on from under another one, it would have learned what is held out now.
    """
    parts = [places.tolist() for places in split]
    known = repr((content, parts, base.manifest.fingerprint, asdict(options)))
    return hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()
