"""BERT in plain numpy and float64, from its definition: what readers and runtimes are held against.

Weights have the names of Hugging Face without their prefix: `embeddings.word_embeddings.weight`,
`encoder.layer.0.attention.self.query.weight`, `pooler.dense.bias`. A head is its weight and bias.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Weights = Mapping[str, Array]
Head = tuple[Array, Array]

MASKED = -10_000.0
"""What is added to the score of a token that is only padding."""


@dataclass(frozen=True)
class Config:
    """What the shapes of the weights do not say."""

    n_layers: int
    n_heads: int
    activation: str = "gelu"
    norm_epsilon: float = 1e-12


def encode(weights: Weights, config: Config, ids: Array, mask: Array, segments: Array) -> Floats:
    """Give the last hidden states, (n, length, width), of rows of token ids, (n, length)."""
    hidden = _embed(weights, config, ids, segments)
    blocked = (1.0 - mask[:, None, None, :].astype(np.float64)) * MASKED
    for layer in range(config.n_layers):
        name = f"encoder.layer.{layer}"
        mixed = _attend(weights, config, f"{name}.attention.self", hidden, blocked)
        mixed = _dense(weights, f"{name}.attention.output.dense", mixed)
        hidden = _norm(weights, config, f"{name}.attention.output.LayerNorm", hidden + mixed)
        inner = activate(config.activation, _dense(weights, f"{name}.intermediate.dense", hidden))
        outer = _dense(weights, f"{name}.output.dense", inner)
        hidden = _norm(weights, config, f"{name}.output.LayerNorm", hidden + outer)
    return hidden


def pooled(weights: Weights, hidden: Floats) -> Floats:
    """Give what BERT's own pooler makes of the first token: what sequence heads read."""
    return np.tanh(_dense(weights, "pooler.dense", hidden[:, 0]))


def cls_vector(hidden: Floats) -> Floats:
    """Give the first token's hidden state, without the pooler."""
    return hidden[:, 0]


def mean_vector(hidden: Floats, mask: Array) -> Floats:
    """Give the mean of the hidden states of all tokens that are not padding, [CLS] and [SEP] too."""
    counted = mask[:, :, None].astype(np.float64)
    mean: Floats = (hidden * counted).sum(axis=1) / counted.sum(axis=1)
    return mean


def max_vector(hidden: Floats, mask: Array) -> Floats:
    """Give the greatest value of each dimension over all tokens that are not padding."""
    greatest: Floats = np.where(mask[:, :, None] > 0, hidden, -np.inf).max(axis=1)
    return greatest


def unit(vectors: Floats) -> Floats:
    """Give vectors of length one in the same directions."""
    lengths: Floats = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return vectors / lengths


def classify(head: Head, pooled_rows: Floats) -> Floats:
    """Give probabilities, (n, labels): a softmax, or the sigmoid of a head with a single logit."""
    logits = linear(*head, pooled_rows)
    if logits.shape[-1] == 1:
        return 0.5 * (1.0 + np.tanh(logits / 2.0))
    return softmax(logits)


def tag_logits(head: Head, hidden: Floats) -> Floats:
    """Give the logits of all labels for each token, (n, length, labels)."""
    return linear(*head, hidden)


def linear(weight: Array, bias: Array, values: Floats) -> Floats:
    """Give a dense layer's output; its weight has a row for each output."""
    return values @ weight.astype(np.float64).T + bias.astype(np.float64)


def softmax(scores: Floats) -> Floats:
    """Give probabilities along the last axis."""
    powers: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True))
    totals: Floats = powers.sum(axis=-1, keepdims=True)
    return powers / totals


_erf = np.vectorize(math.erf, otypes=[np.float64])


def activate(name: str, values: Floats) -> Floats:
    """Give an activation: the exact "gelu", its tanh form "gelu_new", or "relu"."""
    if name == "gelu":
        below: Floats = 0.5 * (1.0 + _erf(values / math.sqrt(2.0)))
        return values * below
    if name == "gelu_new":
        slope = math.sqrt(2.0 / math.pi)
        return values * 0.5 * (1.0 + np.tanh(slope * (values + 0.044715 * values**3)))
    if name == "relu":
        return np.maximum(values, 0.0)
    raise ValueError(f"no activation {name!r}")


def _embed(weights: Weights, config: Config, ids: Array, segments: Array) -> Floats:
    words = weights["embeddings.word_embeddings.weight"].astype(np.float64)[ids]
    positions = weights["embeddings.position_embeddings.weight"].astype(np.float64)
    types = weights["embeddings.token_type_embeddings.weight"].astype(np.float64)[segments]
    summed = words + positions[: ids.shape[1]] + types
    return _norm(weights, config, "embeddings.LayerNorm", summed)


def _attend(weights: Weights, config: Config, name: str, hidden: Floats, blocked: Floats) -> Floats:
    query, key, value = (
        _split(_dense(weights, f"{name}.{part}", hidden), config.n_heads)
        for part in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1]) + blocked
    return (softmax(scores) @ value).swapaxes(1, 2).reshape(hidden.shape)


def _split(values: Floats, n_heads: int) -> Floats:
    """Take (n, length, width) apart into (n, heads, length, width of a head)."""
    n, length, width = values.shape
    return values.reshape(n, length, n_heads, width // n_heads).swapaxes(1, 2)


def _dense(weights: Weights, name: str, values: Floats) -> Floats:
    return linear(weights[f"{name}.weight"], weights[f"{name}.bias"], values)


def _norm(weights: Weights, config: Config, name: str, values: Floats) -> Floats:
    centred: Floats = values - values.mean(axis=-1, keepdims=True)
    variance: Floats = (centred * centred).mean(axis=-1, keepdims=True)
    scaled: Floats = centred / np.sqrt(variance + config.norm_epsilon)
    weight, bias = (weights[f"{name}.{part}"].astype(np.float64) for part in ("weight", "bias"))
    return scaled * weight + bias
