"""Reading checkpoint folders: every layout that is served, and every fault that is refused."""

import dataclasses
import pickle
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import folders
import numpy as np
import pytest
from folders import (
    ALIGNMENT_LABELS,
    MAX_POSITIONS,
    N_LAYERS,
    STORAGES,
    TAG_LABELS,
    VOCABULARY,
    WIDTH,
    Dtype,
    Folder,
    Storage,
    add_modules,
    edited,
    hub_classifier,
    hub_encoder,
    hub_tags,
    mgeo_alignment,
    mgeo_backbone,
    mgeo_rerank,
    mgeo_tags,
    store,
    write_json,
)

from menpai.errors import MenpaiError, ModelError
from menpai.model.checkpoint import Checkpoint, read

Build = Callable[..., Folder]


def hub_ranker(path: Path, **options: Any) -> Folder:
    """A sequence classifier with one logit."""
    return hub_classifier(path, n_labels=1, **options)


BUILDS = (
    mgeo_alignment,
    mgeo_rerank,
    mgeo_tags,
    mgeo_backbone,
    hub_encoder,
    hub_classifier,
    hub_ranker,
    hub_tags,
)
every_build = pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)


def refuse(path: Path, *words: str, **options: Any) -> str:
    """Check that a folder is refused, with a message that has the words; give the message."""
    with pytest.raises(ModelError) as caught:
        read(path, **options)
    message = str(caught.value)
    for word in words:
        assert word in message
    return message


def need_torch(storage: Storage) -> None:
    """Skip where a folder cannot even be written."""
    if storage.startswith("bin"):
        pytest.importorskip("torch", reason="torch writes and reads .bin files")


def check_weights(checkpoint: Checkpoint, made: Folder) -> None:
    """All weights of the encoder and its head, exactly, and no other.

    A pooler that nothing reads may be kept or left out.
    """
    kept = {**checkpoint.encoder}
    wanted = {**made.weights}
    if checkpoint.kind in {"vectors", "tags"}:
        for name in ("pooler.dense.weight", "pooler.dense.bias"):
            kept.pop(name, None)
            wanted.pop(name, None)
    assert sorted(kept) == sorted(wanted)
    for name, array in kept.items():
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, wanted[name], err_msg=name)
    if made.head is None:
        assert checkpoint.head is None
        return
    assert checkpoint.head is not None
    assert checkpoint.head.weight.dtype == checkpoint.head.bias.dtype == np.float32
    np.testing.assert_array_equal(checkpoint.head.weight, made.head[0])
    np.testing.assert_array_equal(checkpoint.head.bias, made.head[1])


# ---- What folders are ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "family", "kind", "labels", "pooling", "has_segments"),
    [
        (mgeo_alignment, "mgeo", "pairs", ALIGNMENT_LABELS, None, True),
        (mgeo_rerank, "mgeo", "rank", ("relevant",), None, False),
        (mgeo_tags, "mgeo", "tags", TAG_LABELS, None, False),
        (mgeo_backbone, "mgeo", "vectors", (), "cls", False),
        (hub_encoder, "bert", "vectors", (), "mean", False),
        (hub_classifier, "bert", "pairs", ALIGNMENT_LABELS, None, True),
        (hub_ranker, "bert", "rank", ("relevant",), None, True),
    ],
)
def test_folder_is_what_it_is(
    tmp_path: Path,
    build: Build,
    *,
    family: str,
    kind: str,
    labels: tuple[str, ...],
    pooling: str | None,
    has_segments: bool,
) -> None:
    """Family, task, labels and how inputs are put to the model."""
    build(tmp_path)
    checkpoint = read(tmp_path)
    assert checkpoint.family == family
    assert checkpoint.kind == kind
    assert checkpoint.labels == labels
    assert checkpoint.pooling == pooling
    assert checkpoint.has_segments is has_segments
    assert checkpoint.prefix == ""


def test_token_classifier_of_a_hub_is_no_pair_model(tmp_path: Path) -> None:
    """One that is read has a label for each token; to refuse it is right too."""
    made = hub_tags(tmp_path)
    try:
        checkpoint = read(tmp_path)
    except ModelError:
        return
    assert (checkpoint.kind, checkpoint.labels) == ("tags", made.labels)


@every_build
def test_weights_are_read_exactly(tmp_path: Path, build: Build) -> None:
    """No weight is lost, changed or taken from the map's encoder."""
    made = build(tmp_path, seed=5)
    check_weights(read(tmp_path), made)


@every_build
def test_every_key_is_used_or_named_as_dropped(tmp_path: Path, build: Build) -> None:
    """No key is passed over in silence, and none is counted twice."""
    made = build(tmp_path)
    checkpoint = read(tmp_path)
    dropped = checkpoint.dropped
    assert len(dropped) == len(set(dropped))
    assert set(dropped) <= set(made.tensors)
    n_used = len(checkpoint.encoder) + (2 if checkpoint.head else 0)
    assert n_used + len(dropped) == len(made.tensors)


def test_parts_for_maps_and_pretraining_are_dropped(tmp_path: Path) -> None:
    """So are the layers that fuse text and map."""
    made = mgeo_backbone(tmp_path)
    dropped = set(read(tmp_path).dropped)
    expected = {name for name in made.tensors if not name.startswith("text_encoder.")}
    expected |= {name for name in made.tensors if ".layer.2." in name}
    expected.add("text_encoder.embeddings.position_ids")
    assert dropped == expected
    for part in (
        "gis_encoder.embeddings.word_embeddings.weight",
        "gis_encoder.embeddings.position_ids",
        "gis2text.weight",
        "gis_type.weight",
        "text_cls.predictions.bias",
        "gis_cls.predictions.bias",
        "cls.seq_relationship.bias",
        "text_encoder.encoder.layer.2.crossattention.self.query.weight",
        "text_encoder.encoder.layer.2.attention.self.query.weight",
    ):
        assert part in dropped


@every_build
def test_config_has_the_sizes_and_rules(tmp_path: Path, build: Build) -> None:
    """What config.json says, with the layers that run."""
    made = build(tmp_path)
    with edited(tmp_path / "config.json") as content:
        content["layer_norm_eps"] = 1e-7
    config = read(tmp_path).config
    assert (config.n_layers, config.width, config.n_heads) == (made.config.n_layers, 32, 4)
    assert (config.inner_width, config.vocab_size, config.n_types) == (64, len(VOCABULARY), 2)
    assert (config.max_positions, config.norm_epsilon) == (MAX_POSITIONS, 1e-7)
    assert config.activation == "gelu"


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_activation_is_read(tmp_path: Path, activation: str) -> None:
    """An activation changes every output."""
    hub_encoder(tmp_path, activation=activation)
    assert read(tmp_path).config.activation == activation


def test_folder_is_named_by_path_or_text(tmp_path: Path) -> None:
    """Both are the same folder."""
    mgeo_rerank(tmp_path)
    assert Path(read(str(tmp_path)).folder) == Path(read(tmp_path).folder) == tmp_path


def test_checkpoint_is_frozen(tmp_path: Path) -> None:
    """What was read stays as it was checked."""
    mgeo_rerank(tmp_path)
    checkpoint = read(tmp_path)
    with pytest.raises(dataclasses.FrozenInstanceError):
        checkpoint.kind = "pairs"  # type: ignore[misc]


# ---- MGeo's keys ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prefix",
    [
        "text_encoder.",
        "bert.text_encoder.",
        "module.text_encoder.",
        "module.bert.text_encoder.",
    ],
)
@pytest.mark.parametrize("has_configuration", [True, False])
def test_backbone_is_found_under_each_prefix(
    tmp_path: Path,
    prefix: str,
    has_configuration: bool,  # noqa: FBT001 -- a case
) -> None:
    """Keys alone say that it is MGeo."""
    made = mgeo_backbone(tmp_path, prefix=prefix, has_configuration=has_configuration)
    checkpoint = read(tmp_path)
    assert (checkpoint.family, checkpoint.kind, checkpoint.pooling) == ("mgeo", "vectors", "cls")
    check_weights(checkpoint, made)


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_rerank, mgeo_tags])
def test_task_models_are_found_after_parallel_training(tmp_path: Path, build: Build) -> None:
    """A prefix of all the encoder's keys changes nothing."""
    plain = build(tmp_path / "plain")
    build(tmp_path / "parallel", prefix="module.bert.text_encoder.")
    expected, checkpoint = read(plain.path), read(tmp_path / "parallel")
    assert (checkpoint.family, checkpoint.kind) == ("mgeo", expected.kind)
    assert (checkpoint.labels, checkpoint.has_segments) == (expected.labels, expected.has_segments)
    check_weights(checkpoint, plain)


def test_configuration_alone_says_that_it_is_mgeo(tmp_path: Path) -> None:
    """A folder whose keys were renamed stays MGeo: other pooling than a plain encoder's."""
    made = hub_encoder(tmp_path)
    assert (read(tmp_path).family, read(tmp_path).pooling) == ("bert", "mean")
    write_json(tmp_path / "configuration.json", {"task": "backbone", "model": {"type": "mgeo"}})
    checkpoint = read(tmp_path)
    assert (checkpoint.family, checkpoint.pooling) == ("mgeo", "cls")
    check_weights(checkpoint, made)


def test_another_configuration_is_no_mgeo(tmp_path: Path) -> None:
    """Other models of ModelScope have that file too."""
    hub_encoder(tmp_path)
    write_json(tmp_path / "configuration.json", {"task": "backbone", "model": {"type": "bert"}})
    assert read(tmp_path).family == "bert"


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_rerank, mgeo_tags, mgeo_backbone])
@pytest.mark.parametrize(("fusion_layer", "n_layers"), [(1, 1), (2, 2), (3, 3), (12, 3), (None, 3)])
def test_encoder_ends_where_fusion_begins(
    tmp_path: Path, build: Build, fusion_layer: int | None, n_layers: int
) -> None:
    """Layers from there on are not run, and all run where the file does not say."""
    made = build(tmp_path, fusion_layer=fusion_layer)
    checkpoint = read(tmp_path)
    assert checkpoint.config.n_layers == n_layers
    check_weights(checkpoint, made)


def test_missing_layer_after_fusion_is_no_fault(tmp_path: Path) -> None:
    """A layer that does not run need not be there."""
    made = mgeo_alignment(tmp_path, fusion_layer=2)
    kept = {name: array for name, array in made.tensors.items() if ".layer.2." not in name}
    store(tmp_path, kept)
    check_weights(read(tmp_path), made)


# ---- Names, forms and types of storage -----------------------------------------------------------


@pytest.mark.parametrize("prefix", ["bert.", ""])
@pytest.mark.parametrize("old_norm_names", [False, True])
@pytest.mark.parametrize("has_pooler", [False, True])
def test_plain_encoder_is_found(
    tmp_path: Path,
    prefix: str,
    old_norm_names: bool,  # noqa: FBT001 -- a case
    has_pooler: bool,  # noqa: FBT001 -- a case
) -> None:
    """With and without prefix, pooler and the old names gamma and beta."""
    made = hub_encoder(
        tmp_path, prefix=prefix, old_norm_names=old_norm_names, has_pooler=has_pooler
    )
    checkpoint = read(tmp_path)
    assert (checkpoint.family, checkpoint.kind) == ("bert", "vectors")
    check_weights(checkpoint, made)
    heads = {name for name in made.tensors if name.startswith("cls.")}
    assert heads <= set(checkpoint.dropped)
    assert {name for name in checkpoint.dropped if "pooler" not in name} == heads


@pytest.mark.parametrize("storage", STORAGES)
@every_build
def test_each_form_of_storage_is_read(tmp_path: Path, build: Build, storage: Storage) -> None:
    """One file or shards, torch's format or safetensors."""
    need_torch(storage)
    made = build(tmp_path, storage=storage)
    check_weights(read(tmp_path), made)


@pytest.mark.parametrize("storage", STORAGES)
def test_half_precision_is_widened(tmp_path: Path, storage: Storage) -> None:
    """Stored as fp16, weights are exactly these values as fp32."""
    need_torch(storage)
    made = mgeo_alignment(tmp_path, storage=storage, dtype="float16")
    check_weights(read(tmp_path), made)


@pytest.mark.parametrize("storage", ["safetensors", "bin"])
def test_bfloat16_is_read_or_refused(tmp_path: Path, storage: Storage) -> None:
    """Numpy has no such type: to refuse it is right, to read its bytes as another is not."""
    need_torch(storage)
    dtype: Dtype = "bfloat16"
    made = hub_encoder(tmp_path, storage=storage, dtype=dtype)
    try:
        checkpoint = read(tmp_path)
    except ModelError:
        return
    check_weights(checkpoint, made)


# ---- Pooling, prompts and lengths ----------------------------------------------------------------


@pytest.mark.parametrize("form", ["old", "new"])
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("is_normalized", [False, True])
def test_modules_say_how_vectors_are_made(
    tmp_path: Path,
    form: Any,
    pooling: str,
    is_normalized: bool,  # noqa: FBT001 -- a case
) -> None:
    """In both forms of sentence-transformers' files."""
    hub_encoder(tmp_path, prefix="")
    add_modules(tmp_path, pooling, form=form, is_normalized=is_normalized)
    checkpoint = read(tmp_path)
    assert (checkpoint.kind, checkpoint.pooling) == ("vectors", pooling)


def test_pooling_may_be_a_list_of_one(tmp_path: Path) -> None:
    """A list is for several modes; one of one mode is that mode."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, ["cls"], form="new")
    assert read(tmp_path).pooling == "cls"


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("build", [mgeo_backbone, hub_encoder])
def test_caller_decides_on_pooling(tmp_path: Path, build: Build, pooling: str) -> None:
    """What a caller asks for goes before a folder's files and a family's custom."""
    build(tmp_path)
    assert read(tmp_path, pooling=pooling).pooling == pooling
    add_modules(tmp_path, "max" if pooling == "cls" else "cls")
    assert read(tmp_path, pooling=pooling).pooling == pooling


@pytest.mark.parametrize(
    ("prompts", "name", "expected"),
    [
        ({}, None, ""),
        ({"query": "查询：", "document": ""}, None, ""),
        ({"query": "查询：", "document": ""}, "query", "查询："),
        ({"query": "查询：", "document": ""}, "document", ""),
    ],
)
def test_default_prompt_is_the_prefix(
    tmp_path: Path, prompts: Mapping[str, str], name: str | None, expected: str
) -> None:
    """A prompt that is not the default is not put before texts."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls", prompts=prompts, default_prompt=name)
    assert read(tmp_path).prefix == expected


def test_caller_decides_on_the_prefix(tmp_path: Path) -> None:
    """An empty one too, which is not the same as none."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls", prompts={"query": "查询："}, default_prompt="query")
    assert read(tmp_path, prefix="地址：").prefix == "地址："
    assert read(tmp_path, prefix="").prefix == ""


def test_unknown_default_prompt_is_refused(tmp_path: Path) -> None:
    """Without its prompt a model gives other vectors."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls", prompts={"query": "查询："}, default_prompt="passage")
    refuse(tmp_path, "passage")


@pytest.mark.parametrize(
    ("n_positions", "sentence_length", "asked", "expected"),
    [
        (64, None, None, 64),
        (512, None, None, 128),
        (512, 48, None, 48),
        (512, 256, None, 128),
        (64, 512, None, 64),
        (512, None, 40, 40),
        (512, None, 300, 300),
        (64, None, 64, 64),
    ],
)
def test_length_is_the_smallest_limit(
    tmp_path: Path,
    n_positions: int,
    sentence_length: int | None,
    asked: int | None,
    expected: int,
) -> None:
    """128, the positions, the file's limit; a caller may ask for another up to the positions."""
    hub_encoder(tmp_path, n_positions=n_positions)
    add_modules(tmp_path, "cls", max_length=sentence_length)
    assert read(tmp_path, max_length=asked).max_length == expected


def test_sentence_length_may_be_null(tmp_path: Path) -> None:
    """Then the file has no limit."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls", max_length=48)
    with edited(tmp_path / "sentence_bert_config.json") as content:
        content["max_seq_length"] = None
    assert read(tmp_path).max_length == MAX_POSITIONS


@pytest.mark.parametrize("max_length", [MAX_POSITIONS + 1, 0, -1])
def test_length_without_positions_is_refused(tmp_path: Path, max_length: int) -> None:
    """A longer input has no position embedding, and one of no token no meaning."""
    hub_encoder(tmp_path)
    with pytest.raises(MenpaiError):
        read(tmp_path, max_length=max_length)


# ---- Labels --------------------------------------------------------------------------------------

PLACES = (
    "label_mapping.json",
    "model.label2id",
    "model.id2label",
    "preprocessor.label2id",
    "preprocessor.id2label",
    "config.label2id",
)
"""Where labels stand, in ModelScope's order; each place gets an order of labels of its own."""

ORDERS = [
    ("not_match", "partial_match", "exact_match"),
    ("not_match", "exact_match", "partial_match"),
    ("partial_match", "not_match", "exact_match"),
    ("partial_match", "exact_match", "not_match"),
    ("exact_match", "not_match", "partial_match"),
    ("exact_match", "partial_match", "not_match"),
]


def name_labels(path: Path, place: str, labels: tuple[str, ...]) -> None:
    """Write labels at one place of a folder."""
    label_ids = {label: number for number, label in enumerate(labels)}
    if place == "label_mapping.json":
        write_json(path / place, label_ids)
        return
    section, _, key = place.partition(".")
    mapping = label_ids if key == "label2id" else {str(n): name for name, n in label_ids.items()}
    file = "config.json" if section == "config" else "configuration.json"
    with edited(path / file) as content:
        (content if section == "config" else content[section])[key] = mapping


@pytest.fixture
def unlabelled(tmp_path: Path) -> Path:
    """An alignment folder in which no label is named."""
    mgeo_alignment(tmp_path)
    with edited(tmp_path / "configuration.json") as content:
        del content["model"]["id2label"], content["model"]["label2id"]
    return tmp_path


@pytest.mark.parametrize("first", range(len(PLACES)), ids=PLACES)
def test_labels_are_looked_up_in_order(unlabelled: Path, first: int) -> None:
    """The first place that names labels counts, whatever stands in the others."""
    for place, labels in list(zip(PLACES, ORDERS, strict=True))[first:]:
        name_labels(unlabelled, place, labels)
    assert read(unlabelled).labels == ORDERS[first]


def test_labels_may_be_named_by_id_in_config(unlabelled: Path) -> None:
    """The last place of all."""
    name_labels(unlabelled, "config.id2label", ORDERS[3])
    assert read(unlabelled).labels == ORDERS[3]


def test_labels_are_in_the_order_of_ids(unlabelled: Path) -> None:
    """Not in that of the file, nor in that of ids as texts."""
    labels = {"exact_match": "2", "not_match": "0", "partial_match": "1"}
    write_json(unlabelled / "label_mapping.json", labels)
    assert read(unlabelled).labels == ALIGNMENT_LABELS


def test_ten_ids_as_texts_are_sorted_as_numbers(tmp_path: Path) -> None:
    """10 comes after 2."""
    mgeo_tags(tmp_path)
    with edited(tmp_path / "configuration.json") as content:
        labels = content["model"]["id2label"]
        content["model"]["id2label"] = {key: labels[key] for key in sorted(labels)}
    assert len(TAG_LABELS) > 10
    assert read(tmp_path).labels == TAG_LABELS


def test_labels_of_a_data_set_are_not_the_model_s(unlabelled: Path) -> None:
    """The training block of configuration.json is not looked at; labels are never made up."""
    with edited(unlabelled / "configuration.json") as content:
        assert len(content["dataset"]["train"]["labels"]) == len(ALIGNMENT_LABELS)
    refuse(unlabelled, "label")


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_tags, hub_classifier])
@pytest.mark.parametrize("change", [-1, 2])
def test_labels_must_fit_the_head(tmp_path: Path, build: Build, change: int) -> None:
    """A head with other rows than labels is refused, however they came apart."""
    made = build(tmp_path)
    n_rows = len(made.labels) + change
    tensors = made.tensors | {
        "classifier.weight": np.zeros((n_rows, WIDTH), np.float32),
        "classifier.bias": np.zeros(n_rows, np.float32),
    }
    store(tmp_path, tensors)
    refuse(tmp_path, str(n_rows), str(len(made.labels)))


@pytest.mark.parametrize(
    "label_ids",
    [
        {"not_match": 0, "partial_match": 2, "exact_match": 3},
        {"not_match": 1, "partial_match": 2, "exact_match": 3},
        {"not_match": 0, "partial_match": 1, "exact_match": 1},
        {"not_match": 0, "partial_match": 1, "exact_match": "two"},
        {"not_match": 0, "partial_match": 1, "exact_match": None},
        ["not_match", "partial_match", "exact_match"],
    ],
)
def test_label_ids_must_count_from_zero(tmp_path: Path, label_ids: object) -> None:
    """Gaps, repeats and what is no number would give an answer a wrong name."""
    mgeo_alignment(tmp_path)
    write_json(tmp_path / "label_mapping.json", label_ids)
    refuse(tmp_path)


# ---- Digest --------------------------------------------------------------------------------------


def test_digest_is_of_content_alone(tmp_path: Path) -> None:
    """The same files elsewhere have the same digest, notes for readers do not count."""
    mgeo_alignment(tmp_path / "a")
    mgeo_alignment(tmp_path / "b")
    (tmp_path / "b" / "README.md").write_text("# Another text\n", encoding="utf-8")
    digest = read(tmp_path / "a").source_digest
    assert digest == read(tmp_path / "b").source_digest
    assert len(digest) == 64
    assert int(digest, 16) >= 0


def change_weight(made: Folder) -> None:
    """Change one number of one weight by very little."""
    name = next(name for name in made.tensors if name.endswith("layer.1.output.dense.bias"))
    made.tensors[name][3] = np.nextafter(made.tensors[name][3], np.float32(9.0))
    store(made.path, made.tensors)


def change_vocabulary(made: Folder) -> None:
    """Let two tokens change places."""
    path = made.path / "vocab.txt"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\n8\n9\n", "\n9\n8\n"), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text


def change_case(made: Folder) -> None:
    """Leave capital letters as they are."""
    with edited(made.path / "tokenizer_config.json") as content:
        content["do_lower_case"] = False


def change_epsilon(made: Folder) -> None:
    """Norms with another epsilon."""
    with edited(made.path / "config.json") as content:
        content["layer_norm_eps"] = 1e-6


def change_pooling(made: Folder) -> None:
    """Vectors from other tokens."""
    add_modules(made.path, "max")


def change_prompt(made: Folder) -> None:
    """Another text before inputs."""
    add_modules(made.path, "cls", prompts={"query": "查询："}, default_prompt="query")


@pytest.mark.parametrize(
    "change",
    [
        change_weight,
        change_vocabulary,
        change_case,
        change_epsilon,
        change_pooling,
        change_prompt,
    ],
    ids=lambda change: change.__name__,
)
def test_digest_sees_what_changes_answers(tmp_path: Path, change: Callable[[Folder], None]) -> None:
    """Weights, vocabulary and settings all decide on vectors."""
    made = hub_encoder(tmp_path)
    add_modules(tmp_path, "cls")
    digest = read(tmp_path).source_digest
    change(made)
    assert read(tmp_path).source_digest != digest


@pytest.mark.parametrize("storage", ["safetensors-shards", "bin", "bin-shards"])
def test_digest_sees_weights_in_each_form(tmp_path: Path, storage: Storage) -> None:
    """The last shard counts as the first does."""
    need_torch(storage)
    made = mgeo_rerank(tmp_path, storage=storage)
    digest = read(tmp_path).source_digest
    for name in list(made.tensors)[:2]:  # the first and second are in different shards
        tensors = made.tensors | {name: made.tensors[name] + np.float32(1.0)}
        store(tmp_path, tensors, storage)
        assert read(tmp_path).source_digest != digest


def test_digest_sees_labels(tmp_path: Path) -> None:
    """Labels in another order are other answers."""
    mgeo_alignment(tmp_path)
    digest = read(tmp_path).source_digest
    with edited(tmp_path / "configuration.json") as content:
        content["model"]["label2id"] = {"exact_match": 0, "partial_match": 1, "not_match": 2}
    assert read(tmp_path).source_digest != digest


# ---- Faults of weights ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "embeddings.word_embeddings.weight",
        "embeddings.token_type_embeddings.weight",
        "embeddings.LayerNorm.bias",
        "encoder.layer.0.attention.self.value.bias",
        "encoder.layer.1.attention.output.LayerNorm.weight",
        "encoder.layer.2.output.dense.weight",
    ],
)
@every_build
def test_missing_key_is_named(tmp_path: Path, build: Build, name: str) -> None:
    """An encoder with one random weight gives random answers."""
    made = build(tmp_path, **({"fusion_layer": N_LAYERS} if build is mgeo_backbone else {}))
    left = {key: array for key, array in made.tensors.items() if not key.endswith(name)}
    gone = len(made.tensors) - len(left)
    left |= {key: array for key, array in made.tensors.items() if "gis_encoder" in key}
    assert gone >= 1
    store(tmp_path, left)
    refuse(tmp_path, name)


def test_all_missing_keys_are_named(tmp_path: Path) -> None:
    """Not only the first."""
    made = mgeo_tags(tmp_path)
    names = [f"encoder.layer.{layer}.intermediate.dense.bias" for layer in range(N_LAYERS)]
    for name in names:
        del made.tensors[f"bert.text_encoder.{name}"]
    store(tmp_path, made.tensors)
    refuse(tmp_path, *names)


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_rerank, hub_classifier, hub_ranker])
@pytest.mark.parametrize("name", ["pooler.dense.weight", "pooler.dense.bias"])
def test_missing_pooler_is_named_where_it_is_read(tmp_path: Path, build: Build, name: str) -> None:
    """Heads of sequences read the pooler; taggers and encoders have none."""
    made = build(tmp_path)
    key = next(key for key in made.tensors if key.endswith(name) and "gis" not in key)
    del made.tensors[key]
    store(tmp_path, made.tensors)
    refuse(tmp_path, name)


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_rerank, mgeo_tags, hub_classifier])
@pytest.mark.parametrize("name", ["classifier.weight", "classifier.bias"])
def test_half_a_head_is_refused(tmp_path: Path, build: Build, name: str) -> None:
    """A head has a weight and a bias."""
    made = build(tmp_path)
    del made.tensors[name]
    store(tmp_path, made.tensors)
    refuse(tmp_path, name)


@pytest.mark.parametrize("build", [mgeo_alignment, mgeo_rerank, mgeo_tags, hub_classifier])
def test_task_model_without_head_is_no_encoder(tmp_path: Path, build: Build) -> None:
    """A folder that says it classifies is not read as something else."""
    made = build(tmp_path)
    del made.tensors["classifier.weight"], made.tensors["classifier.bias"]
    store(tmp_path, made.tensors)
    refuse(tmp_path, "classifier")


def test_keys_under_another_name_are_not_guessed(tmp_path: Path) -> None:
    """An encoder of which no key is known is missing as a whole."""
    made = hub_encoder(tmp_path)
    renamed = {key.replace("bert.", "backbone."): array for key, array in made.tensors.items()}
    store(tmp_path, renamed)
    refuse(tmp_path, "embeddings.word_embeddings.weight")


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.0.attention.self.distance_embedding.weight",  # relative positions
        "encoder.layer.0.attention.self.query.lora_A.weight",  # a change that was not merged
        "embeddings.rel_type_embeddings.weight",  # as the map's encoder has
    ],
)
@pytest.mark.parametrize(
    ("build", "prefix"),
    [
        (hub_encoder, "bert."),
        (hub_classifier, "bert."),
        (mgeo_backbone, "text_encoder."),
        (mgeo_alignment, "bert.text_encoder."),
    ],
)
def test_unexpected_key_is_named(tmp_path: Path, build: Build, prefix: str, name: str) -> None:
    """An encoder with more parts than BERT is not BERT."""
    made = build(tmp_path)
    made.tensors[prefix + name] = np.zeros((2, WIDTH), np.float32)
    store(tmp_path, made.tensors)
    refuse(tmp_path, name)


@pytest.mark.parametrize("build", [hub_encoder, hub_classifier])
def test_more_layers_than_config_says_are_named(tmp_path: Path, build: Build) -> None:
    """Without fusion, a layer that would not run is a mistake in one of the files."""
    build(tmp_path)
    with edited(tmp_path / "config.json") as content:
        content["num_hidden_layers"] = N_LAYERS - 1
    refuse(tmp_path, f"encoder.layer.{N_LAYERS - 1}.output.dense.bias")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("embeddings.word_embeddings.weight", (len(VOCABULARY), WIDTH // 2)),
        ("embeddings.position_embeddings.weight", (MAX_POSITIONS - 1, WIDTH)),
        ("embeddings.token_type_embeddings.weight", (1, WIDTH)),
        ("encoder.layer.1.intermediate.dense.weight", (WIDTH, 64)),
        ("encoder.layer.0.output.LayerNorm.weight", (1,)),
        ("encoder.layer.0.attention.self.key.bias", (1, WIDTH)),
    ],
)
def test_wrong_shape_is_named(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    """Some would even fit an addition, and be wrong."""
    made = hub_encoder(tmp_path)
    made.tensors[f"bert.{name}"] = np.zeros(shape, np.float32)
    store(tmp_path, made.tensors)
    refuse(tmp_path, name)


@pytest.mark.parametrize(
    ("weight_shape", "bias_shape"), [((3, WIDTH + 1), (3,)), ((3, WIDTH), (4,)), ((WIDTH, 3), (3,))]
)
def test_head_of_wrong_shape_is_refused(
    tmp_path: Path, weight_shape: tuple[int, ...], bias_shape: tuple[int, ...]
) -> None:
    """It reads vectors of the encoder's width and has a bias for each label."""
    made = mgeo_alignment(tmp_path)
    made.tensors["classifier.weight"] = np.zeros(weight_shape, np.float32)
    made.tensors["classifier.bias"] = np.zeros(bias_shape, np.float32)
    store(tmp_path, made.tensors)
    refuse(tmp_path, "classifier")


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_truncated_weights_are_refused(tmp_path: Path, storage: Storage, share: float) -> None:
    """Wherever a download ended, in the header or just before the end."""
    need_torch(storage)
    mgeo_alignment(tmp_path, storage=storage)
    suffix = ".bin" if storage.startswith("bin") else ".safetensors"
    path = max(path for path in tmp_path.iterdir() if path.suffix == suffix)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    refuse(tmp_path, path.name)


@pytest.mark.parametrize(
    ("storage", "file"), [("bin", "pytorch_model.bin"), ("safetensors", "model.safetensors")]
)
def test_page_in_place_of_weights_is_refused(tmp_path: Path, storage: Storage, file: str) -> None:
    """A pointer file or an error page that a download left."""
    need_torch(storage)
    mgeo_alignment(tmp_path, storage=storage)
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 409000000\n"
    (tmp_path / file).write_text(text, encoding="utf-8")
    refuse(tmp_path, file)


@pytest.mark.parametrize("storage", ["safetensors-shards", "bin-shards"])
def test_missing_shard_is_named(tmp_path: Path, storage: Storage) -> None:
    """Half of the weights are no weights."""
    need_torch(storage)
    mgeo_alignment(tmp_path, storage=storage)
    path = next(tmp_path.glob("*-00002-of-00002.*"))
    path.unlink()
    refuse(tmp_path, path.name)


@pytest.mark.parametrize("storage", ["safetensors-shards", "bin-shards"])
def test_key_that_its_shard_lacks_is_named(tmp_path: Path, storage: Storage) -> None:
    """The index promises what is not there."""
    need_torch(storage)
    made = mgeo_alignment(tmp_path, storage=storage)
    name = "encoder.layer.1.output.dense.bias"
    index = next(tmp_path.glob("*.index.json")).read_bytes()
    del made.tensors[f"bert.text_encoder.{name}"]
    store(tmp_path, made.tensors, storage)
    next(tmp_path.glob("*.index.json")).write_bytes(index)
    refuse(tmp_path, name)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}}'])
def test_broken_index_is_refused(tmp_path: Path, content: str) -> None:
    """Without an index nobody knows which shards there are."""
    mgeo_alignment(tmp_path, storage="safetensors-shards")
    (tmp_path / "model.safetensors.index.json").write_text(content, encoding="utf-8")
    refuse(tmp_path)


def test_index_leads_nowhere_outside(tmp_path: Path) -> None:
    """A folder's weights are in that folder."""
    inside = tmp_path / "inside"
    mgeo_alignment(inside, storage="safetensors-shards")
    shard = "model-00001-of-00002.safetensors"
    shutil.move(inside / shard, tmp_path / "outside.safetensors")
    path = inside / "model.safetensors.index.json"
    path.write_text(path.read_text(encoding="utf-8").replace(shard, "../outside.safetensors"))
    refuse(inside)


class Trap:
    """An object whose unpickling makes a folder: it stands for any code at all."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        import os

        return os.mkdir, (str(self.marker),)


def lay_trap(path: Path, marker: Path, *, form: str) -> None:
    """Write a file of weights that runs code when it is unpickled: torch's form, or a bare pickle."""
    torch = pytest.importorskip("torch", reason="torch writes and reads .bin files")
    weights = {"bert.embeddings.word_embeddings.weight": Trap(marker)}
    if form == "pickle":
        path.write_bytes(pickle.dumps(weights))
        return
    torch.save(weights, path, _use_new_zipfile_serialization=form == "zip")


@pytest.mark.parametrize("form", ["zip", "legacy", "pickle"])
def test_code_in_weights_is_not_run(tmp_path: Path, form: str) -> None:
    """A file from anywhere is data, whatever it would do to those who unpickle it."""
    torch = pytest.importorskip("torch", reason="torch writes and reads .bin files")
    marker = tmp_path / "marker"
    mgeo_alignment(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    path = tmp_path / "model" / "pytorch_model.bin"
    lay_trap(path, marker, form=form)
    refuse(tmp_path / "model", "pytorch_model.bin")
    assert not marker.exists()
    if form == "pickle":
        pickle.loads(path.read_bytes())  # noqa: S301 -- the trap is ours, and it does work
    else:
        torch.load(path, weights_only=False)
    assert marker.exists()


def test_code_in_a_shard_is_not_run(tmp_path: Path) -> None:
    """Shards are read with the same care."""
    pytest.importorskip("torch", reason="torch writes and reads .bin files")
    marker = tmp_path / "marker"
    mgeo_alignment(tmp_path / "model", storage="bin-shards")
    lay_trap(tmp_path / "model" / "pytorch_model-00002-of-00002.bin", marker, form="zip")
    refuse(tmp_path / "model", "pytorch_model-00002-of-00002.bin")
    assert not marker.exists()


@pytest.mark.parametrize(
    "content", [["a", "list"], {"embeddings.word_embeddings.weight": [1.0, 2.0]}, {3: 4}]
)
def test_bin_with_other_content_is_refused(tmp_path: Path, content: object) -> None:
    """A file that torch reads well but that holds no weights by name."""
    torch = pytest.importorskip("torch", reason="torch writes and reads .bin files")
    mgeo_alignment(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save(content, tmp_path / "pytorch_model.bin")
    refuse(tmp_path)


# ---- Faults of other files -----------------------------------------------------------------------


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "vocab.txt"])
@every_build
def test_missing_file_is_refused(tmp_path: Path, build: Build, file: str) -> None:
    """A folder without one of them cannot be used."""
    build(tmp_path)
    (tmp_path / file).unlink()
    words = [] if file == "model.safetensors" else [file]
    refuse(tmp_path, *words)


def test_empty_folder_is_refused(tmp_path: Path) -> None:
    """The message says which folder."""
    refuse(tmp_path, str(tmp_path))


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    """The message says which path."""
    refuse(tmp_path / "nowhere", "nowhere")


def test_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    """A path to the weights alone is not a checkpoint."""
    mgeo_alignment(tmp_path)
    refuse(tmp_path / "model.safetensors", "model.safetensors")


@pytest.mark.parametrize(
    "content",
    [b"{", b"", b"[1, 2]", b'"text"', b"\xff\xfe\x00", b'{"a": 1}}'],
    ids=["open", "empty", "list", "text", "bytes", "closed twice"],
)
@pytest.mark.parametrize(
    "file",
    [
        "config.json",
        "configuration.json",
        "label_mapping.json",
        "tokenizer_config.json",
    ],
)
def test_broken_json_is_refused(tmp_path: Path, file: str, content: bytes) -> None:
    """With the name of the file."""
    mgeo_alignment(tmp_path)
    (tmp_path / file).write_bytes(content)
    refuse(tmp_path, file)


@pytest.mark.parametrize("content", [b"{", b"", b'{"idx": 0}', b'"text"', b"[1]", b"\xff"])
def test_broken_modules_are_refused(tmp_path: Path, content: bytes) -> None:
    """Vectors made in a wrong way look like right ones."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls")
    (tmp_path / "modules.json").write_bytes(content)
    refuse(tmp_path, "modules.json")


@pytest.mark.parametrize(
    "file",
    ["1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json"],
)
@pytest.mark.parametrize("content", [b"{", b"[]", b""])
def test_broken_file_of_sentence_models_is_refused(
    tmp_path: Path, file: str, content: bytes
) -> None:
    """Each of them decides on vectors."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls")
    (tmp_path / file).write_bytes(content)
    refuse(tmp_path, Path(file).name)


def test_missing_pooling_file_is_refused(tmp_path: Path) -> None:
    """modules.json names it."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls")
    (tmp_path / "1_Pooling/config.json").unlink()
    refuse(tmp_path, "1_Pooling")


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("model_type", "xlm-roberta", "xlm-roberta"),
        ("model_type", "roberta", "roberta"),
        ("model_type", "distilbert", "distilbert"),
        ("hidden_act", "swish", "swish"),
        ("hidden_act", None, "hidden_act"),
        ("num_attention_heads", 5, "5"),
        ("num_attention_heads", 0, "num_attention_heads"),
        ("num_hidden_layers", 0, "num_hidden_layers"),
        ("num_hidden_layers", -1, "num_hidden_layers"),
        ("hidden_size", "32", "hidden_size"),
        ("hidden_size", 31.5, "hidden_size"),
        ("hidden_size", 64, "embeddings"),
        ("intermediate_size", 63, "intermediate"),
        ("vocab_size", len(VOCABULARY) + 1, "word_embeddings"),
        ("max_position_embeddings", 65, "position"),
        ("type_vocab_size", 3, "token_type"),
        ("layer_norm_eps", "small", "layer_norm_eps"),
        ("position_embedding_type", "relative_key", "relative_key"),
    ],
)
def test_config_with_another_value_is_refused(
    tmp_path: Path, key: str, value: object, word: str
) -> None:
    """What does not go with the weights, or is no BERT."""
    hub_encoder(tmp_path)
    with edited(tmp_path / "config.json") as content:
        content[key] = value
    refuse(tmp_path, word)


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"]
)
def test_config_without_a_size_is_refused(tmp_path: Path, key: str) -> None:
    """Sizes are not guessed: those of a base model would be wrong for a small one."""
    mgeo_alignment(tmp_path)
    with edited(tmp_path / "config.json") as content:
        del content[key]
    refuse(tmp_path, key)


@pytest.mark.parametrize("fusion_layer", [0, -2, "2", 1.5])
def test_fusion_at_no_layer_is_refused(tmp_path: Path, fusion_layer: object) -> None:
    """An encoder without layers is none."""
    mgeo_backbone(tmp_path)
    with edited(tmp_path / "config.json") as content:
        content["fusion_layer"] = fusion_layer
    refuse(tmp_path, "fusion_layer")


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(VOCABULARY[:-1]) + "\n",
        "\n".join([*VOCABULARY, "more"]) + "\n",
        "",
    ],
    ids=["shorter", "longer", "empty"],
)
@pytest.mark.parametrize("build", [mgeo_alignment, hub_encoder])
def test_vocabulary_of_another_size_is_refused(tmp_path: Path, build: Build, content: str) -> None:
    """It belongs to another model: every token would have another's embedding."""
    build(tmp_path)
    (tmp_path / "vocab.txt").write_text(content, encoding="utf-8")
    refuse(tmp_path, "vocab.txt")


def test_vocabulary_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """As a damaged file is."""
    mgeo_alignment(tmp_path)
    lines = [b"\xff\xfe"] * len(VOCABULARY)
    (tmp_path / "vocab.txt").write_bytes(b"\n".join(lines))
    refuse(tmp_path, "vocab.txt")


@pytest.mark.parametrize("form", ["old", "new"])
@pytest.mark.parametrize(
    "pooling", ["lasttoken", "weightedmean", "mean_sqrt_len_tokens", ["cls", "mean"]]
)
def test_other_pooling_is_refused(tmp_path: Path, form: Any, pooling: str | list[str]) -> None:
    """One that is not built in, and several at once."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, pooling, form=form)
    message = refuse(tmp_path)
    assert "pooling" in message.lower()


def test_unknown_pooling_of_a_caller_is_refused(tmp_path: Path) -> None:
    """As that of a file is."""
    hub_encoder(tmp_path)
    with pytest.raises(MenpaiError, match="lasttoken"):
        read(tmp_path, pooling="lasttoken")


@pytest.mark.parametrize("kind", ["Dense", "LayerNorm", "CNN"])
@pytest.mark.parametrize("module", ["models.{}", "base.modules.part.{}"])
def test_unknown_module_is_refused(tmp_path: Path, kind: str, module: str) -> None:
    """A part that would be left out changes every vector."""
    hub_encoder(tmp_path)
    add_modules(tmp_path, "cls", is_normalized=False)
    with edited(tmp_path / "modules.json") as content:
        content.append(
            {
                "idx": 2,
                "name": "2",
                "path": f"2_{kind}",
                "type": f"sentence_transformers.{module.format(kind)}",
            }
        )
    refuse(tmp_path, kind)


@every_build
def test_folder_is_left_as_it_was(tmp_path: Path, build: Build) -> None:
    """Reading writes nothing."""
    build(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    read(tmp_path)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


def test_same_arguments_give_the_same_folder(tmp_path: Path) -> None:
    """The builders themselves: equal bytes for a seed, others for another."""
    for build in BUILDS:
        contents = []
        for place, seed in (("a", 1), ("b", 1), ("c", 2)):
            build(tmp_path / place, seed=seed)
            contents.append((tmp_path / place / "model.safetensors").read_bytes())
        assert contents[0] == contents[1]
        assert contents[0] != contents[2]


def test_vocabulary_has_each_token_once() -> None:
    """And all characters of the addresses."""
    assert len(set(VOCABULARY)) == len(VOCABULARY)
    characters = {character for text in folders.ADDRESSES for character in text}
    assert characters <= set(VOCABULARY)
