"""The shape of a BERT encoder, and how a hub's config.json spells it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from menpai.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTIVATIONS = ("gelu", "gelu_new", "relu")


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """Sizes of an encoder; widths and lengths count numbers, not bytes.

    Attributes:
        n_layers: Layers that run: of MGeo only those before its fusion layer.
        width: Numbers that stand for one token.
        n_heads: Heads of attention; they share the width evenly.
        inner_width: Width between the two linear maps of a layer.
        vocab_size: Tokens that have an embedding.
        max_positions: Longest input in tokens.
        n_types: Segments that have an embedding.
        activation: One of `ACTIVATIONS`.
        norm_epsilon: What keeps layer normalisation from dividing by zero.
        channels: Further inputs beside ids, mask and segments: per name, how many values its
            numbers can take. Each adds an embedding per token, as the segments do.
    """

    n_layers: int
    width: int
    n_heads: int
    inner_width: int
    vocab_size: int
    max_positions: int
    n_types: int
    activation: str
    norm_epsilon: float
    channels: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return {**asdict(self), "channels": dict(self.channels)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> EncoderConfig:
        """Read what `to_dict` gave."""
        return cls(**{**values, "channels": tuple(values.get("channels", {}).items())})

    @classmethod
    def from_hub(cls, values: Mapping[str, Any]) -> EncoderConfig:
        """Read a config.json of the BERT family.

        Raises:
            ModelError: It is for another kind of model, or a size is missing or impossible.
        """
        kind = values.get("model_type", "bert")
        if kind != "bert":
            raise ModelError(f"config.json: model_type {kind!r} is not supported, only 'bert'")
        position = values.get("position_embedding_type") or "absolute"
        if position != "absolute":
            raise ModelError(f"config.json: position_embedding_type {position!r} is not supported")
        config = cls(
            n_layers=_n_layers(values),
            width=_size(values, "hidden_size"),
            n_heads=_size(values, "num_attention_heads"),
            inner_width=_size(values, "intermediate_size"),
            vocab_size=_size(values, "vocab_size"),
            max_positions=_size(values, "max_position_embeddings"),
            n_types=_size(values, "type_vocab_size"),
            activation=_activation(values),
            norm_epsilon=_epsilon(values),
        )
        if config.width % config.n_heads:
            raise ModelError(
                f"config.json: hidden_size {config.width} cannot be shared evenly by "
                f"num_attention_heads {config.n_heads}"
            )
        return config


def _size(values: Mapping[str, Any], key: str) -> int:
    size = values.get(key)
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ModelError(f"config.json: {key} is {size!r}, not a positive number")
    return size


def _n_layers(values: Mapping[str, Any]) -> int:
    """MGeo's text mode stops before the layer where the map would join."""
    n_layers = _size(values, "num_hidden_layers")
    if values.get("fusion_layer") is None:
        return n_layers
    return min(n_layers, _size(values, "fusion_layer"))


def _epsilon(values: Mapping[str, Any]) -> float:
    epsilon = values.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, (int, float)) or isinstance(epsilon, bool) or epsilon <= 0:
        raise ModelError(f"config.json: layer_norm_eps is {epsilon!r}, not a positive number")
    return float(epsilon)


def _activation(values: Mapping[str, Any]) -> str:
    name = str(values.get("hidden_act", "gelu"))
    if name not in ACTIVATIONS:
        raise ModelError(
            f"config.json: hidden_act {name!r} is not supported, only {', '.join(ACTIVATIONS)}"
        )
    return name
