"""Encoders that learn: BERT's form, with the weights' names and the sums of the written graphs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from menpai.errors import ModelError
from menpai.model import keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from menpai.model.config import EncoderConfig

_SPREAD = 0.02  # as BERT's own weights begin
_MASKED = -10000.0
CHANNEL = ".channel_"
"""What the names of the channels' tables have in common."""


class Encoder(nn.Module):
    """Texts to one vector for each token.

    The names of its parameters are those of `menpai.model.keys`, so that what was trained is
    written, and what was converted is trained further, without a table between them.
    """

    def __init__(self, config: EncoderConfig, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config, dropout)
        self.encoder = _Layers(config, dropout)
        self.apply(_begin)

    def forward(self, given: Mapping[str, Tensor]) -> Tensor:
        """Give (n, length, width).

        Args:
            given: ids, mask, segments and the channels, each of (n, length).
        """
        hidden: Tensor = self.embeddings(given)
        bias = ((1 - given["mask"]) * _MASKED).to(hidden.dtype)[:, None, None, :]
        for layer in self.encoder.layer:
            hidden = layer(hidden, bias)
        return hidden


class _Embeddings(nn.Module):
    def __init__(self, config: EncoderConfig, dropout: float) -> None:
        super().__init__()
        self.channels = [name for name, _ in config.channels]
        self.word_embeddings = nn.Embedding(config.vocab_size, config.width)
        self.position_embeddings = nn.Embedding(config.max_positions, config.width)
        self.token_type_embeddings = nn.Embedding(config.n_types, config.width)
        for name, size in config.channels:
            setattr(self, f"channel_{name}_embeddings", nn.Embedding(size, config.width))
        self.LayerNorm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, given: Mapping[str, Tensor]) -> Tensor:
        ids = given["ids"]
        total: Tensor = self.word_embeddings(ids) + self.token_type_embeddings(given["segments"])
        for name in self.channels:
            total = total + getattr(self, f"channel_{name}_embeddings")(given[name])
        total = self.LayerNorm(total + self.position_embeddings.weight[: ids.shape[1]])
        return _tensor(self.dropout(total))


class _Layers(nn.Module):
    def __init__(self, config: EncoderConfig, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config, dropout) for _ in range(config.n_layers))


class _Layer(nn.Module):
    def __init__(self, config: EncoderConfig, dropout: float) -> None:
        super().__init__()
        self.attention = _Attention(config, dropout)
        self.intermediate = _Inner(config)
        self.output = _Output(config, config.inner_width, dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        hidden = self.attention(hidden, bias)
        return _tensor(self.output(self.intermediate(hidden), hidden))


class _Attention(nn.Module):
    """Attention written out: the fused one's way back is slower on processors."""

    def __init__(self, config: EncoderConfig, dropout: float) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.self = _Projections(config.width)
        self.output = _Output(config, config.width, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        n, length, width = hidden.shape
        query, key, value = (
            part.view(n, length, self.n_heads, width // self.n_heads).transpose(1, 2)
            for part in self.self(hidden)
        )
        scores = query @ key.transpose(-1, -2) / math.sqrt(width // self.n_heads) + bias
        context = self.dropout(scores.softmax(-1)) @ value
        return _tensor(self.output(context.transpose(1, 2).reshape(n, length, width), hidden))


class _Projections(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.query(hidden), self.key(hidden), self.value(hidden)


class _Inner(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.width, config.inner_width)
        self.activation = config.activation

    def forward(self, hidden: Tensor) -> Tensor:
        inner: Tensor = self.dense(hidden)
        if self.activation == "relu":
            return functional.relu(inner)
        approximate = "tanh" if self.activation == "gelu_new" else "none"
        return functional.gelu(inner, approximate=approximate)


class _Output(nn.Module):
    """A linear map whose result is added to what went in before it, and evened out."""

    def __init__(self, config: EncoderConfig, inner: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(inner, config.width)
        self.LayerNorm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inner: Tensor, hidden: Tensor) -> Tensor:
        return _tensor(self.LayerNorm(self.dropout(self.dense(inner)) + hidden))


def _tensor(value: Any) -> Tensor:
    """What a module gives, which torch's types leave open."""
    return cast("Tensor", value)


class Pooler(nn.Module):
    """The first token's vector, as heads of pairs read it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.apply(_begin)

    def forward(self, hidden: Tensor) -> Tensor:
        """Give (n, width)."""
        return torch.tanh(_tensor(self.dense(hidden[:, 0])))


class Head(nn.Linear):
    """Vectors to one number for each label."""

    def __init__(self, width: int, n_labels: int) -> None:
        super().__init__(width, n_labels)
        _begin(self)


class Classifier(nn.Module):
    """An encoder with a head: a label for each input, or for each token.

    Args:
        config: Sizes of the encoder.
        n_labels: Labels that there are.
        by_token: Whether each token gets a label; otherwise the first token's vector is read.
        dropout: Share of numbers that are left out while learning.
    """

    def __init__(
        self, config: EncoderConfig, n_labels: int, *, by_token: bool, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.encoder = Encoder(config, dropout=dropout)
        self.pooler = None if by_token else Pooler(config.width)
        self.classifier = Head(config.width, n_labels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, given: Mapping[str, Tensor]) -> Tensor:
        """Give one number for each label: (n, labels), or (n, length, labels)."""
        hidden = self.encoder(given)
        if self.pooler is not None:
            hidden = self.pooler(hidden)
        return _tensor(self.classifier(self.dropout(hidden)))


def weights(module: nn.Module) -> dict[str, NDArray[np.float32]]:
    """Give a module's parameters by name."""
    return {
        name: value.detach().cpu().float().numpy().copy()
        for name, value in module.state_dict().items()
    }


def restore(encoder: Encoder, found: Mapping[str, NDArray[np.float32]]) -> None:
    """Set an encoder's parameters; channels that there was no training of begin at nothing.

    Raises:
        ModelError: A weight is missing or of another size, or there are channels that the encoder
            does not read: it would answer otherwise than before.
    """
    state = encoder.state_dict()
    wanted = list(keys.expected(encoder.config))
    unread = [name for name in found if CHANNEL in name and name not in wanted]
    if unread:
        raise ModelError(f"the weights are of channels that are not read here: {unread}")
    for name in wanted:
        if name in found:
            state[name] = tensor(name, found[name], state[name])
        elif CHANNEL in name:
            state[name] = torch.zeros_like(state[name])
        else:
            raise ModelError(f"the weights lack {name}")
    encoder.load_state_dict(state)


def tensor(name: str, found: NDArray[np.float32], own: Tensor) -> Tensor:
    """Give a weight as a tensor of a parameter's size.

    Raises:
        ModelError: It has another one.
    """
    if found.shape != own.shape:
        raise ModelError(f"{name} is {found.shape}, not {tuple(own.shape)} as it is read here")
    return torch.from_numpy(np.array(found, np.float32))


def _begin(module: nn.Module) -> None:
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=_SPREAD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
