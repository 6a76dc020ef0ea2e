"""What the numbers of a classifier mean: the labels of a checkpoint, in the order of their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from menpai.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


def labels(
    mapping: Mapping[str, Any] | None, configuration: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """Find the labels where ModelScope looks for them, in its order.

    Args:
        mapping: label_mapping.json, label to id, where there is one.
        configuration: configuration.json of ModelScope; empty where there is none.
        config: config.json.

    Returns:
        Labels by id, or None where no file names them.

    Raises:
        ModelError: The ids are not 0, 1, 2 … each once.
    """
    model = _section(configuration, "model")
    preprocessor = _section(configuration, "preprocessor")
    sources = (
        ("label_mapping.json", mapping, True),
        ("configuration.json model.label2id", model.get("label2id"), True),
        ("configuration.json model.id2label", model.get("id2label"), False),
        ("configuration.json preprocessor.label2id", preprocessor.get("label2id"), True),
        ("configuration.json preprocessor.id2label", preprocessor.get("id2label"), False),
        ("config.json label2id", config.get("label2id"), True),
        ("config.json id2label", config.get("id2label"), False),
    )
    for source, found, is_label_first in sources:
        if found:
            return _in_order(source, found, is_label_first=is_label_first)
    return None


def _section(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = values.get(name)
    return section if isinstance(section, dict) else {}


def _in_order(source: str, found: Any, *, is_label_first: bool) -> tuple[str, ...]:
    try:
        pairs = [(int(i), str(label)) for label, i in _pairs(found, is_label_first=is_label_first)]
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{source} does not map labels and numbers") from error
    if sorted(i for i, _ in pairs) != list(range(len(pairs))):
        raise ModelError(f"{source} does not number its labels 0 to {len(pairs) - 1}")
    return tuple(label for _, label in sorted(pairs))


def _pairs(found: Any, *, is_label_first: bool) -> list[tuple[Any, Any]]:
    return [(a, b) if is_label_first else (b, a) for a, b in found.items()]
