"""The reference itself, held against torch's own building blocks and against known values."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from folders import Folder, hub_classifier, hub_encoder
from reference import Array, Config

TOLERANCE = 1e-11
"""Two ways in float64 differ by rounding only: about 1e-15 for each of some hundred sums."""


@pytest.fixture
def made(tmp_path: Path) -> Folder:
    """A plain encoder."""
    return hub_encoder(tmp_path, seed=3)


@pytest.fixture
def batch() -> tuple[Array, Array, Array]:
    """Token ids, mask and segments of four rows, two of them padded."""
    random = np.random.default_rng(8)
    ids = random.integers(7, 120, (4, 13))
    lengths = np.array([13, 13, 6, 2])
    mask = (np.arange(13) < lengths[:, None]).astype(np.int64)
    segments = (np.arange(13) >= lengths[:, None] // 2).astype(np.int64)
    return ids * mask, mask, segments * mask


def torch_hidden(made: Folder, ids: Array, mask: Array, segments: Array) -> Array:
    """The last hidden states by torch's embedding and its encoder layer."""
    torch = pytest.importorskip("torch", reason="torch is what this compares with")
    functional = torch.nn.functional
    weights = {name: torch.tensor(array).double() for name, array in made.weights.items()}
    n_ids, length = ids.shape
    summed = (
        functional.embedding(torch.tensor(ids), weights["embeddings.word_embeddings.weight"])
        + weights["embeddings.position_embeddings.weight"][:length].expand(n_ids, -1, -1)
        + functional.embedding(
            torch.tensor(segments), weights["embeddings.token_type_embeddings.weight"]
        )
    )
    norm = [weights[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    hidden = functional.layer_norm(summed, norm[0].shape, *norm, eps=made.config.norm_epsilon)
    for number in range(made.config.n_layers):
        layer = torch_layer(torch, made, weights, number)
        hidden = layer(hidden, src_key_padding_mask=torch.tensor(mask == 0))
    result: Array = hidden.detach().numpy()
    return result


def torch_layer(torch: Any, made: Folder, weights: dict[str, Any], number: int) -> Any:
    """An encoder layer of torch with the weights of one of ours; in training mode, undropped."""
    name = f"encoder.layer.{number}"
    width = weights[f"{name}.attention.output.dense.bias"].shape[0]
    inner = weights[f"{name}.intermediate.dense.bias"].shape[0]
    functional = torch.nn.functional
    activations = {
        "gelu": functional.gelu,
        "gelu_new": lambda values: functional.gelu(values, approximate="tanh"),
        "relu": functional.relu,
    }
    layer = torch.nn.TransformerEncoderLayer(
        width,
        made.config.n_heads,
        inner,
        dropout=0.0,
        activation=activations[made.config.activation],
        layer_norm_eps=made.config.norm_epsilon,
        batch_first=True,
        dtype=torch.float64,
    )
    state = {}
    for part in ("weight", "bias"):
        queries = [f"{name}.attention.self.{kind}.{part}" for kind in ("query", "key", "value")]
        state[f"self_attn.in_proj_{part}"] = torch.cat([weights[query] for query in queries])
        for target, source in (
            ("self_attn.out_proj", "attention.output.dense"),
            ("norm1", "attention.output.LayerNorm"),
            ("linear1", "intermediate.dense"),
            ("linear2", "output.dense"),
            ("norm2", "output.LayerNorm"),
        ):
            state[f"{target}.{part}"] = weights[f"{name}.{source}.{part}"]
    layer.load_state_dict(state)
    return layer


def hidden_of(made: Folder, batch: tuple[Array, Array, Array]) -> Array:
    """The reference's last hidden states."""
    return reference.encode(made.weights, made.config, *batch)


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_hidden_states_are_those_of_torch(
    tmp_path: Path, batch: tuple[Array, Array, Array], activation: str
) -> None:
    """Every token that is not padding has the same state; so have heads, mask and layers."""
    made = hub_encoder(tmp_path, seed=3, activation=activation)
    difference = np.abs(hidden_of(made, batch) - torch_hidden(made, *batch))
    assert difference[batch[1] == 1].max() < TOLERANCE


def test_norm_epsilon_is_that_of_torch(made: Folder, batch: tuple[Array, Array, Array]) -> None:
    """A large epsilon goes where torch puts it."""
    large = replace(made, config=replace(made.config, norm_epsilon=0.3))
    difference = np.abs(hidden_of(large, batch) - torch_hidden(large, *batch))
    assert difference[batch[1] == 1].max() < TOLERANCE
    assert np.abs(hidden_of(large, batch) - hidden_of(made, batch)).max() > 0.1


def test_states_are_those_of_transformers(
    tmp_path: Path, batch: tuple[Array, Array, Array]
) -> None:
    """BertModel, read from the folder itself, gives the same states and the same pooler output."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers", reason="the second opinion is optional")
    made = hub_encoder(tmp_path, prefix="", seed=3)
    model = transformers.BertModel.from_pretrained(tmp_path, dtype=torch.float64).eval()
    ids, mask, segments = (torch.tensor(array) for array in batch)
    with torch.no_grad():
        theirs = model(input_ids=ids, attention_mask=mask, token_type_ids=segments)
    hidden = hidden_of(made, batch)
    difference = np.abs(hidden - theirs.last_hidden_state.numpy())[batch[1] == 1]
    assert difference.max() < TOLERANCE
    pooled = reference.pooled(made.weights, hidden)
    assert np.abs(pooled - theirs.pooler_output.numpy()).max() < TOLERANCE


@pytest.mark.parametrize("n_labels", [1, 3])
def test_probabilities_are_those_of_torch(
    tmp_path: Path, batch: tuple[Array, Array, Array], n_labels: int
) -> None:
    """Pooler and head: softmax of several logits, sigmoid of one."""
    torch = pytest.importorskip("torch", reason="torch is what this compares with")
    made = hub_classifier(tmp_path, n_labels=n_labels)
    assert made.head is not None
    weight, bias = (torch.tensor(array).double() for array in made.head)
    linear = torch.nn.functional.linear
    pooler = [torch.tensor(made.weights[f"pooler.dense.{p}"]).double() for p in ("weight", "bias")]
    hidden = torch.tensor(torch_hidden(made, *batch))
    logits = linear(torch.tanh(linear(hidden[:, 0], *pooler)), weight, bias)
    expected = torch.sigmoid(logits) if n_labels == 1 else torch.softmax(logits, dim=-1)
    ours = reference.classify(made.head, reference.pooled(made.weights, hidden_of(made, batch)))
    assert ours.shape == (4, n_labels)
    assert np.abs(ours - expected.numpy()).max() < TOLERANCE


def test_padding_changes_nothing(made: Folder, batch: tuple[Array, Array, Array]) -> None:
    """A row alone, without padding, has the states that it has among longer ones."""
    among = hidden_of(made, batch)[2, :6]
    ids, mask, segments = (array[2:3, :6] for array in batch)
    alone = reference.encode(made.weights, made.config, ids, mask, segments)[0]
    assert np.abs(among - alone).max() < TOLERANCE


def test_segments_positions_and_layers_count(
    made: Folder, batch: tuple[Array, Array, Array]
) -> None:
    """None of them can be left out of tiny models without being noticed."""
    ids, mask, segments = batch
    hidden = hidden_of(made, batch)
    without = reference.encode(made.weights, made.config, ids, mask, segments * 0)
    assert np.abs(hidden - without)[0].max() > 0.1
    turned = reference.encode(made.weights, made.config, ids[:1, ::-1], mask[:1], segments[:1])
    assert np.abs(hidden[0] - turned[0, ::-1]).max() > 0.1
    fewer = reference.encode(made.weights, Config(2, made.config.n_heads), *batch)
    assert np.abs(hidden - fewer)[0].max() > 0.1


def test_vectors_pass_padding_over() -> None:
    """[CLS] is the first token; mean and maximum are of the tokens that count."""
    hidden = np.array([[[1.0, -4.0], [3.0, -2.0], [50.0, 60.0]]])
    mask = np.array([[1, 1, 0]])
    assert reference.cls_vector(hidden).tolist() == [[1.0, -4.0]]
    assert reference.mean_vector(hidden, mask).tolist() == [[2.0, -3.0]]
    assert reference.max_vector(hidden, mask).tolist() == [[3.0, -2.0]]


def test_unit_vectors_have_length_one() -> None:
    """A direction stays."""
    assert reference.unit(np.array([[3.0, 4.0]])).tolist() == [[0.6, 0.8]]


def test_classify_by_hand() -> None:
    """Logits 0 and log 3 are a quarter and three; a logit of log 3 alone is three quarters."""
    one = np.array([[1.0]])
    two = (np.array([[0.0], [math.log(3.0)]]), np.zeros(2))
    assert reference.classify(two, one)[0] == pytest.approx([0.25, 0.75])
    single = (np.array([[1.0]]), np.array([math.log(3.0) - 1.0]))
    assert reference.classify(single, one)[0] == pytest.approx([0.75])
    huge = (np.array([[-1e4]]), np.zeros(1))
    assert reference.classify(huge, one).tolist() == [[0.0]]


def test_tag_logits_are_of_each_token() -> None:
    """A head has a row for each label."""
    head = (np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([0.0, 0.5, 0.0]))
    hidden = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    assert reference.tag_logits(head, hidden).tolist() == [[[1.0, 4.5, 3.0], [3.0, 8.5, 7.0]]]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("gelu", 1.0, 0.8413447460685429),  # the share of a normal distribution below 1
        ("gelu", -2.0, -2.0 * 0.02275013194817921),
        ("gelu_new", 1.0, 0.8411919906082768),
        ("relu", -2.0, 0.0),
        ("relu", 2.0, 2.0),
    ],
)
def test_activation_has_known_values(name: str, value: float, expected: float) -> None:
    """The two forms of gelu differ in the fourth digit."""
    assert reference.activate(name, np.array([value]))[0] == pytest.approx(expected, abs=1e-12)


def test_unknown_activation_is_refused() -> None:
    """A wrong name is no silent identity."""
    with pytest.raises(ValueError, match="swish"):
        reference.activate("swish", np.zeros(1))
