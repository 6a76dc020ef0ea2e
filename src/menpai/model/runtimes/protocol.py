"""What every runtime takes and gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from menpai.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from menpai.model.graph import Design

    Ints = NDArray[np.int32]
    Floats = NDArray[np.float32]

RuntimeName = Literal["openvino", "onnxruntime", "torch"]
Precision = Literal["fp32", "bf16", "fp16", "int8"]

RUNTIMES: tuple[RuntimeName, ...] = ("openvino", "onnxruntime", "torch")
PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "fp16", "int8")


@dataclass(frozen=True, slots=True)
class Inputs:
    """One batch, padded to one length; every array is int32 of (n, length).

    Attributes:
        ids: Numbers of the tokens, 0 or the padding's where there is none.
        mask: 1 for a token, 0 for padding.
        segments: 0 for the first text, 1 for the second.
        channels: Further numbers for each token, by the names that the checkpoint declares.
    """

    ids: Ints
    mask: Ints
    segments: Ints
    channels: Mapping[str, Ints] = field(default_factory=dict)

    def named(self) -> dict[str, Ints]:
        """All arrays by their names in the graph."""
        return {"ids": self.ids, "mask": self.mask, "segments": self.segments, **self.channels}


@dataclass(frozen=True, slots=True)
class Plan:
    """How a checkpoint is to be executed.

    Attributes:
        folder: The converted folder.
        design: What its graph computes.
        precision: In which numbers; "int8" has quantised linear maps, the rest in fp32.
        n_threads: Processors to use, for all streams together.
        n_streams: Batches that are executed at the same time.
        cache_dir: Where compiled forms are kept between starts; None for nowhere.
        file: The graph's file, where it is not the precision's own.
        contents: Digest of what is in the folder: compiled forms of others are not taken.
    """

    folder: Path
    design: Design
    precision: Precision
    n_threads: int
    n_streams: int = 1
    cache_dir: Path | None = None
    file: str | None = None
    contents: str = ""

    @property
    def graph(self) -> Path:
        """The graph to load.

        Raises:
            ModelError: It is not there.
        """
        path = self.folder / (self.file or files_of(self.precision))
        if not path.is_file():
            raise ModelError(f"{self.folder} has no {path.name}: it was converted without")
        return path


class Runtime(Protocol):
    """A checkpoint, loaded and ready. `run` may be called by `n_streams` threads at once."""

    name: RuntimeName
    precision: Precision
    device: str
    n_threads: int
    n_streams: int

    def run(self, inputs: Inputs) -> Floats:
        """Execute one batch.

        Returns:
            Vectors (n, width), or logits (n, labels) or (n, length, labels), as float32.

        Raises:
            MemoryLimitError: The batch did not fit into memory; a smaller one may.
        """
        ...

    def close(self) -> None:
        """Let memory and threads go."""
        ...


MEMORY_WORDS = ("out of memory", "bad_alloc", "failed to allocate", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Tell by type or words whether an error of a foreign library means a lack of memory."""
    text = f"{type(error).__name__} {error}".lower()
    return isinstance(error, MemoryError) or any(word in text for word in MEMORY_WORDS)


def files_of(precision: Precision) -> str:
    """The graph that holds a precision: int8 has one of its own, the others are cast at load."""
    return "model-int8.onnx" if precision == "int8" else "model.onnx"
