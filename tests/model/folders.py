"""Tiny checkpoint folders with random weights, laid out as ModelScope and model hubs leave them.

Each builder fills the folder at `path`, which is made if need be, and says what is in it. The same
arguments give the same bytes. A fault is made afterwards: in a JSON file with `edited`, in the
weights by changing `tensors` and storing them again.
"""

import json
import math
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from reference import Array, Config, Head

Storage = Literal["safetensors", "bin", "safetensors-shards", "bin-shards"]
Dtype = Literal["float32", "float16", "bfloat16"]

STORAGES: tuple[Storage, ...] = ("safetensors", "bin", "safetensors-shards", "bin-shards")
"""The forms in which weights lie in a folder; both forms of `bin` need torch to be written."""

WIDTH, N_HEADS, N_LAYERS, INNER_WIDTH, MAX_POSITIONS = 32, 4, 3, 64, 64

ADDRESSES = (
    "浙江省杭州市西湖区望澜路88号3幢2单元501室",
    "杭州市望澜路88号三号楼501",
    "江苏省苏州市吴中区听泉镇枫桥村12组7号",
    "上海市浦东新区银杏大道2003弄19号B座1208",
    "北京市朝阳区紫竹院南街甲6号创新大厦A座",
    "广东省深圳市南山区科苑北路15-2号海岸广场F1层",
)
"""Made-up addresses; the vocabulary has all their characters."""

SPECIAL = ("[PAD]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ALIGNMENT_LABELS = ("not_match", "partial_match", "exact_match")
TAG_LABELS = tuple(
    sorted([f"{end}-{kind}" for end in "BIE" for kind in ("city", "poi", "road")] + ["O", "S-poi"])
)


def _vocabulary() -> tuple[str, ...]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    characters = sorted({c for text in ADDRESSES for c in text if c > "\u2e7f"})
    single = [*"0123456789", *letters, *"ABCF", *"-()（）,.", *characters]
    # In published vocabularies too, Chinese characters have continuations that are never reached.
    longer = ["88", "2003", "##88", "road", "##08", "##路", "##号"]
    return (*SPECIAL, *single, *(f"##{c}" for c in "0123456789" + letters), *longer)


VOCABULARY = _vocabulary()


@dataclass(frozen=True)
class Folder:
    """A checkpoint folder, and what a reader should find in it."""

    path: Path
    tensors: dict[str, Array]
    """All stored tensors by their stored names, as float32 where they are weights."""
    weights: dict[str, Array]
    """The encoder that runs, by names without prefix, float32; with the pooler if one is stored."""
    config: Config
    head: Head | None = None
    labels: tuple[str, ...] = ()


# ---- ModelScope ----------------------------------------------------------------------------------


def mgeo_alignment(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    prefix: str = "bert.text_encoder.",
    fusion_layer: int | None = N_LAYERS,
) -> Folder:
    """Make MGeo's sentence pair model: three labels, named in configuration.json alone."""
    labels = ALIGNMENT_LABELS
    model = _mgeo(path, seed, prefix, fusion_layer, dtype, n_labels=len(labels))
    configuration = _configuration("sentence-similarity", "sen-sim-tokenizer")
    configuration["model"] |= {
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    write_json(path / "configuration.json", configuration)
    store(path, model.tensors, storage, dtype)
    return Folder(path, model.tensors, model.weights, model.config, model.head, labels)


def mgeo_rerank(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    prefix: str = "bert.text_encoder.",
    fusion_layer: int | None = N_LAYERS,
) -> Folder:
    """Make MGeo's ranking model: one logit, and a configuration that names no label."""
    model = _mgeo(path, seed, prefix, fusion_layer, dtype, n_labels=1)
    configuration = _configuration("text-ranking", "mgeo-ranking")
    configuration["model"]["neg_sample"] = 19
    write_json(path / "configuration.json", configuration)
    store(path, model.tensors, storage, dtype)
    return Folder(path, model.tensors, model.weights, model.config, model.head, ("relevant",))


def mgeo_tags(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    prefix: str = "bert.text_encoder.",
    fusion_layer: int | None = N_LAYERS,
) -> Folder:
    """Make MGeo's element tagger: a label for each token, sorted by name, and no pooler."""
    labels = TAG_LABELS
    model = _mgeo(path, seed, prefix, fusion_layer, dtype, n_labels=len(labels), has_pooler=False)
    configuration = _configuration("token-classification", "token-cls-tokenizer")
    configuration["model"]["id2label"] = {str(n): label for n, label in enumerate(labels)}
    write_json(path / "configuration.json", configuration)
    store(path, model.tensors, storage, dtype)
    return Folder(path, model.tensors, model.weights, model.config, model.head, labels)


def mgeo_backbone(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    prefix: str = "text_encoder.",
    fusion_layer: int | None = 2,
    has_configuration: bool = True,
) -> Folder:
    """Make MGeo's backbone: no head of a task, no pooler, and the heads of its pretraining.

    By default the last of the three stored layers fuses the map in, so that the encoder has two.
    """
    model = _mgeo(path, seed, prefix, fusion_layer, dtype, has_pooler=False)
    outer = "module." if prefix.startswith("module.") else ""
    for place, head in enumerate(("cls", "text_cls", "gis_cls")):
        shapes = _mlm_shapes(f"{outer}{head}.")
        model.tensors.update(_draw(shapes, seed + 10 + place, dtype))
    if has_configuration:
        write_json(
            path / "configuration.json",
            {"framework": "pytorch", "task": "backbone", "model": {"type": "mgeo"}},
        )
    store(path, model.tensors, storage, dtype)
    return model


def _mgeo(
    path: Path,
    seed: int,
    prefix: str,
    fusion_layer: int | None,
    dtype: Dtype,
    *,
    n_labels: int = 0,
    has_pooler: bool = True,
) -> Folder:
    """Write all but configuration.json and the weights."""
    stored = _draw(_bert_shapes(has_pooler=has_pooler), seed, dtype)
    n_layers = min(N_LAYERS if fusion_layer is None else fusion_layer, N_LAYERS)
    tensors = {prefix + name: array for name, array in stored.items()}
    tensors[f"{prefix}embeddings.position_ids"] = _position_ids(MAX_POSITIONS)
    tensors |= _draw(_cross_shapes(prefix, n_layers), seed + 1, dtype)
    tensors |= _gis_tensors(prefix.removesuffix("text_encoder."), seed + 2, dtype)
    head = _add_head(tensors, n_labels, seed + 3, dtype)
    config = _bert_config("BertForMaskedLM") | {
        "gis_embedding": 0,
        "encoder_width": WIDTH,
        "gis_encoder": _gis_config(),
    }
    if fusion_layer is not None:
        config["fusion_layer"] = fusion_layer
    _write_common(path, config)
    return Folder(path, tensors, _running(stored, n_layers), Config(n_layers, N_HEADS), head)


def _configuration(task: str, preprocessor: str) -> dict[str, Any]:
    return {
        "framework": "pytorch",
        "task": task,
        "model": {"type": "mgeo", "finetune_mode": "multi-modal", "gis_num": 2},
        "dataset": {"train": {"labels": ["of", "other", "data"]}},
        "preprocessor": {"type": preprocessor, "first_sequence": "sentence1", "label": "label"},
        "pipeline": {"type": "mgeo-ranking" if task == "text-ranking" else task},
        "train": {"work_dir": "/tmp", "dataloader": {"batch_size_per_gpu": 64}},  # noqa: S108 -- as published
        "evaluation": {"metrics": "seq-cls-metric"},
    }


GIS_WIDTH, GIS_POSITIONS = 16, 12
_GIS_VOCABULARIES = {
    "rel_type": 5,
    "absolute_x": 21,
    "absolute_y": 21,
    "relative_x": 9,
    "relative_y": 9,
}


def _gis_config() -> dict[str, Any]:
    sizes = {f"{name}_vocab_size": size for name, size in _GIS_VOCABULARIES.items()}
    return {
        "model_type": "bert",
        "hidden_size": GIS_WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": GIS_POSITIONS,
        "vocab_size": 30,
        "type_vocab_size": 5,
        "hidden_act": "relu",
        "layer_norm_eps": 1e-5,
        "gis_embedding": 1,
        "fusion_layer": 1,
        "encoder_width": GIS_WIDTH,
        **sizes,
    }


def _gis_tensors(outer: str, seed: int, dtype: Dtype) -> dict[str, Array]:
    shapes = _bert_shapes(
        width=GIS_WIDTH, inner=24, n_layers=1, vocabulary=30, n_positions=GIS_POSITIONS, n_types=5
    )
    for name, size in _GIS_VOCABULARIES.items():
        shapes[f"embeddings.{name}_embeddings.weight"] = (size, GIS_WIDTH)
    named = {f"{outer}gis_encoder.{name}": shape for name, shape in shapes.items()}
    named[f"{outer}gis2text.weight"] = (WIDTH, GIS_WIDTH)
    named[f"{outer}gis2text.bias"] = (WIDTH,)
    named[f"{outer}gis_type.weight"] = (2, GIS_WIDTH)
    position_ids = {f"{outer}gis_encoder.embeddings.position_ids": _position_ids(GIS_POSITIONS)}
    return _draw(named, seed, dtype) | position_ids


def _cross_shapes(prefix: str, first: int) -> dict[str, tuple[int, ...]]:
    """Give the attention to another encoder that the layers from `first` on have."""
    return {
        f"{prefix}{name.replace('.attention.', '.crossattention.')}": shape
        for name, shape in _bert_shapes().items()
        if ".attention." in name and int(name.split(".")[2]) >= first
    }


# ---- Model hubs ----------------------------------------------------------------------------------


def hub_encoder(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    prefix: str = "bert.",
    activation: str = "gelu",
    n_positions: int = MAX_POSITIONS,
    has_pooler: bool = True,
    old_norm_names: bool = False,
    lower_case: bool = True,
) -> Folder:
    """Make a plain BERT: with the heads of its pretraining under `bert.`, alone without prefix."""
    shapes = _bert_shapes(n_positions=n_positions, has_pooler=has_pooler)
    weights = _draw(shapes, seed, dtype)
    tensors = {prefix + name: array for name, array in weights.items()}
    if prefix:
        tensors |= _draw(_mlm_shapes("cls."), seed + 1, dtype)
    if old_norm_names:
        tensors = {_old_norm_name(name): array for name, array in tensors.items()}
    config = _bert_config("BertForMaskedLM" if prefix else "BertModel", activation, n_positions)
    _write_common(path, config, lower_case=lower_case)
    store(path, tensors, storage, dtype)
    return Folder(path, tensors, weights, Config(N_LAYERS, N_HEADS, activation))


def add_modules(
    path: Path,
    pooling: str | list[str],
    *,
    form: Literal["old", "new"] = "old",
    is_normalized: bool = True,
    max_length: int | None = 48,
    prompts: Mapping[str, str] | None = None,
    default_prompt: str | None = None,
) -> None:
    """Make an encoder's folder one of sentence-transformers.

    Args:
        path: The folder.
        pooling: One mode, or several of which all are on: "cls", "mean", "max", "lasttoken" ...
        form: The keys and class names of most published models, or those of later releases.
        is_normalized: Whether vectors get length one.
        max_length: What sentence_bert_config.json says; no such file if None.
        prompts: Texts that are put before inputs, by name.
        default_prompt: The name of the one that is always put there.
    """
    kinds = ["Transformer", "Pooling"] + ["Normalize"] * is_normalized
    write_json(
        path / "modules.json",
        [
            {
                "idx": place,
                "name": str(place),
                "path": f"{place}_{kind}" if place else "",
                "type": _MODULES[form].format(kind=kind, module=kind.lower(), room=_ROOMS[kind]),
            }
            for place, kind in enumerate(kinds)
        ],
    )
    (path / "1_Pooling").mkdir(exist_ok=True)
    write_json(path / "1_Pooling/config.json", _pooling(pooling, form))
    if max_length is not None:
        content = {"max_seq_length": max_length, "do_lower_case": False}
        write_json(path / "sentence_bert_config.json", content)
    write_json(
        path / "config_sentence_transformers.json",
        {
            "__version__": {"sentence_transformers": "3.0.1"},
            "prompts": dict(prompts or {}),
            "default_prompt_name": default_prompt,
            "similarity_fn_name": "cosine",
        },
    )


_MODULES = {
    "old": "sentence_transformers.models.{kind}",
    "new": "sentence_transformers.{room}.modules.{module}.{kind}",
}
_ROOMS = {"Transformer": "base", "Pooling": "sentence_transformer", "Normalize": "base"}
_OLD_POOLING = {
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "max": "pooling_mode_max_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


def _pooling(pooling: str | list[str], form: Literal["old", "new"]) -> dict[str, Any]:
    if form == "new":
        return {"embedding_dimension": WIDTH, "pooling_mode": pooling, "include_prompt": True}
    modes = {pooling} if isinstance(pooling, str) else set(pooling)
    flags = {flag: mode in modes for mode, flag in _OLD_POOLING.items()}
    return {"word_embedding_dimension": WIDTH, **flags, "include_prompt": True}


def hub_classifier(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
    n_labels: int = 3,
) -> Folder:
    """Make a BertForSequenceClassification, labels in config.json: of pairs, or a ranker with one."""
    labels = ALIGNMENT_LABELS[:n_labels] if n_labels > 1 else ("LABEL_0",)
    made = _hub_task(
        path, "BertForSequenceClassification", labels, seed=seed, storage=storage, dtype=dtype
    )
    return made if n_labels > 1 else Folder(**{**vars(made), "labels": ("relevant",)})


def hub_tags(
    path: Path,
    *,
    seed: int = 0,
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
) -> Folder:
    """Make a BertForTokenClassification: no pooler, labels in config.json."""
    return _hub_task(
        path, "BertForTokenClassification", TAG_LABELS, seed=seed, storage=storage, dtype=dtype
    )


def _hub_task(
    path: Path,
    architecture: str,
    labels: tuple[str, ...],
    *,
    seed: int,
    storage: Storage,
    dtype: Dtype,
) -> Folder:
    weights = _draw(_bert_shapes(has_pooler="Sequence" in architecture), seed, dtype)
    tensors = {f"bert.{name}": array for name, array in weights.items()}
    head = _add_head(tensors, len(labels), seed + 1, dtype)
    config = _bert_config(architecture) | {
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    _write_common(path, config)
    store(path, tensors, storage, dtype)
    return Folder(path, tensors, weights, Config(N_LAYERS, N_HEADS), head, labels)


def _old_norm_name(name: str) -> str:
    if "LayerNorm" not in name:
        return name
    return name.replace(".weight", ".gamma").replace(".bias", ".beta")


# ---- What all folders share ----------------------------------------------------------------------


def _write_common(path: Path, config: dict[str, Any], *, lower_case: bool = True) -> None:
    path.mkdir(parents=True, exist_ok=True)
    write_json(path / "config.json", config)
    (path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8", newline="\n")
    tokenizer = {"do_lower_case": lower_case, "tokenizer_class": "BertTokenizer"}
    write_json(path / "tokenizer_config.json", tokenizer)
    (path / "README.md").write_text("# A tiny model\n", encoding="utf-8")


def _bert_config(
    architecture: str, activation: str = "gelu", n_positions: int = MAX_POSITIONS
) -> dict[str, Any]:
    return {
        "architectures": [architecture],
        "attention_probs_dropout_prob": 0.1,
        "classifier_dropout": None,
        "directionality": "bidi",
        "hidden_act": activation,
        "hidden_dropout_prob": 0.1,
        "hidden_size": WIDTH,
        "initializer_range": 0.02,
        "intermediate_size": INNER_WIDTH,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": n_positions,
        "model_type": "bert",
        "num_attention_heads": N_HEADS,
        "num_hidden_layers": N_LAYERS,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "type_vocab_size": 2,
        "vocab_size": len(VOCABULARY),
    }


def _bert_shapes(
    *,
    width: int = WIDTH,
    inner: int = INNER_WIDTH,
    n_layers: int = N_LAYERS,
    vocabulary: int = len(VOCABULARY),
    n_positions: int = MAX_POSITIONS,
    n_types: int = 2,
    has_pooler: bool = False,
) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (vocabulary, width),
        "embeddings.position_embeddings.weight": (n_positions, width),
        "embeddings.token_type_embeddings.weight": (n_types, width),
        **_norm_shapes("embeddings.LayerNorm", width),
    }
    for layer in range(n_layers):
        name = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            shapes |= _dense_shapes(f"{name}.attention.self.{part}", width, width)
        shapes |= _dense_shapes(f"{name}.attention.output.dense", width, width)
        shapes |= _norm_shapes(f"{name}.attention.output.LayerNorm", width)
        shapes |= _dense_shapes(f"{name}.intermediate.dense", inner, width)
        shapes |= _dense_shapes(f"{name}.output.dense", width, inner)
        shapes |= _norm_shapes(f"{name}.output.LayerNorm", width)
    return shapes | (_dense_shapes("pooler.dense", width, width) if has_pooler else {})


def _mlm_shapes(prefix: str) -> dict[str, tuple[int, ...]]:
    """Give the head that guesses masked words, and the one of following sentences."""
    return {
        f"{prefix}predictions.bias": (len(VOCABULARY),),
        **_dense_shapes(f"{prefix}predictions.transform.dense", WIDTH, WIDTH),
        **_norm_shapes(f"{prefix}predictions.transform.LayerNorm", WIDTH),
        f"{prefix}predictions.decoder.weight": (len(VOCABULARY), WIDTH),
        **_dense_shapes(f"{prefix}seq_relationship", 2, WIDTH),
    }


def _dense_shapes(name: str, n_out: int, n_in: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (n_out, n_in), f"{name}.bias": (n_out,)}


def _norm_shapes(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _draw(shapes: Mapping[str, tuple[int, ...]], seed: int, dtype: Dtype) -> dict[str, Array]:
    """Draw weights that matter: each large enough to be missed in the output if it were wrong."""
    random = np.random.default_rng(seed)
    drawn: dict[str, Array] = {}
    for name, shape in shapes.items():
        values = random.standard_normal(shape)
        if name.endswith("LayerNorm.weight"):
            values = 1.0 + 0.2 * values
        elif len(shape) == 1:
            values *= 0.2
        elif "embeddings" not in name:
            values /= math.sqrt(shape[1])
        drawn[name] = _rounded(values.astype(np.float32), dtype)
    return drawn


def _rounded(values: Array, dtype: Dtype) -> Array:
    """Give float32 values that the type holds exactly."""
    if dtype == "float16":
        return values.astype(np.float16).astype(np.float32)
    if dtype == "bfloat16":
        return (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    return values


def _add_head(tensors: dict[str, Array], n_labels: int, seed: int, dtype: Dtype) -> Head | None:
    if not n_labels:
        return None
    head = _draw(_dense_shapes("classifier", n_labels, WIDTH), seed, dtype)
    tensors |= head
    return head["classifier.weight"], head["classifier.bias"]


def _running(weights: Mapping[str, Array], n_layers: int) -> dict[str, Array]:
    return {
        name: array
        for name, array in weights.items()
        if not name.startswith("encoder.layer.") or int(name.split(".")[2]) < n_layers
    }


def _position_ids(n: int) -> Array:
    return np.arange(n, dtype=np.int64)[None]


# ---- Files ---------------------------------------------------------------------------------------


def write_json(path: Path, content: object) -> None:
    """Write a JSON file."""
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")


@contextmanager
def edited(path: Path) -> Iterator[Any]:
    """Give a JSON file's content, and write it back with what the block changed in it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    yield content
    write_json(path, content)


def store(
    path: Path,
    tensors: Mapping[str, Array],
    storage: Storage = "safetensors",
    dtype: Dtype = "float32",
) -> None:
    """Write a folder's weights, in place of those that it has."""
    for old in (*path.glob("*.safetensors*"), *path.glob("*.bin*")):
        old.unlink()
    kind = "bin" if storage.startswith("bin") else "safetensors"
    stem = "pytorch_model" if kind == "bin" else "model"
    write = _write_bin if kind == "bin" else _write_safetensors
    if not storage.endswith("shards"):
        write(path / f"{stem}.{kind}", tensors, dtype)
        return
    names = list(tensors)
    shards = {f"{stem}-0000{part + 1}-of-00002.{kind}": names[part::2] for part in range(2)}
    for file, inside in shards.items():
        write(path / file, {name: tensors[name] for name in inside}, dtype)
    size = sum(array.nbytes for array in tensors.values())
    places = {name: file for file, inside in shards.items() for name in inside}
    index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(places.items()))}
    write_json(path / f"{stem}.{kind}.index.json", index)


def _write_bin(path: Path, tensors: Mapping[str, Array], dtype: Dtype) -> None:
    import torch

    def tensor(array: Array) -> Any:
        made = torch.from_numpy(array.copy())
        return made.to(getattr(torch, dtype)) if made.is_floating_point() else made

    torch.save({name: tensor(array) for name, array in tensors.items()}, path)


def _write_safetensors(path: Path, tensors: Mapping[str, Array], dtype: Dtype) -> None:
    """Write the format by hand: the header's length, the header as JSON, the bytes of all."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts: list[bytes] = []
    place = 0
    for name, array in tensors.items():
        code, content = _encoded(array, dtype)
        offsets = [place, place + len(content)]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": offsets}
        parts.append(content)
        place = offsets[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def _encoded(array: Array, dtype: Dtype) -> tuple[str, bytes]:
    if array.dtype == np.int64:
        return "I64", array.astype("<i8").tobytes()
    if dtype == "float16":
        return "F16", array.astype("<f2").tobytes()
    if dtype == "bfloat16":
        return "BF16", (array.view(np.uint32) >> 16).astype("<u2").tobytes()
    return "F32", array.astype("<f4").tobytes()
